// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Publisher
import Readings

/// Makes the messages of one simulated gateway, with values that a thermometer in a room could have.
struct SimulatedValues {
    let identity: SimulatedIdentity
    private let messages: GatewayMessages
    private let numbers: SeededNumbers
    private let boot: String

    init(_ identity: SimulatedIdentity, prefix: String, seed: UInt64) {
        self.identity = identity
        messages = GatewayMessages(prefix: prefix, gateway: identity.gateway)
        numbers = SeededNumbers(seed: seed)
        boot = identity.boot(seed: seed)
    }

    var will: OutgoingMessage { messages.will }

    /// The inputs of a message beside the message itself.
    struct Moment {
        var uptimeMilliseconds: Int64 = 0
        var unixMilliseconds: Int64 = 0
        /// Readings that the gateway has made.
        var made = 0
        var acknowledged = 0
        var isWaiting = 0
    }

    func message(
        _ message: SimulatedMessage, at moment: Moment, with writer: inout PayloadWriter
    ) -> OutgoingMessage {
        switch message {
        case .online: return messages.online
        case .offline: return messages.offline
        case .information: return messages.information(information)
        case .availability(let sensor): return messages.availability(of: identity.device(sensor), isOnline: true)
        case .erasure(let former): return self.message(former, at: moment, with: &writer).erased
        case .statistics:
            var books = JournalStatistics(path: "")
            books.received = moment.made
            books.committed = moment.made
            books.delivered = moment.acknowledged
            books.buffered = moment.isWaiting
            let stamp = TimeStamp(
                boot: boot, uptimeMilliseconds: moment.uptimeMilliseconds, unixMilliseconds: moment.unixMilliseconds,
                quality: .synced)
            return messages.statistics(books, published: moment.made, at: stamp)
        case .reading(let reading):
            let row = JournalRow(
                n: reading.n, device: 0, characteristic: 0, source: .advert, rssi: rssi(of: reading), boot: 0,
                uptimeMilliseconds: reading.uptimeMilliseconds, unixMilliseconds: reading.unixMilliseconds,
                quality: .synced, value: [])
            return messages.reading(
                row, of: identity.device(reading.sensor), name: identity.name(of: reading.sensor), boot: boot,
                fields: fields(of: reading), with: &writer)
        }
    }

    private var information: GatewayInformation {
        GatewayInformation(
            version: "simulation", model: "martlet-simulate", os: "Linux", boot: boot,
            adapters: [GatewayInformation.Adapter(name: "hci0")], ip: [], capabilities: [])
    }

    /// dBm: each sensor has its own place, and some noise.
    private func rssi(of reading: SimulatedReading) -> Int8 {
        Int8(clamping: -85 + share(of: reading.sensor, 1, 35) + noise(of: reading, 1, 3))
    }

    /// A day and night of 2 °C around the usual value at each sensor's place, and the noise of a sensor.
    func fields(of reading: SimulatedReading) -> [Field] {
        let sensor = reading.sensor
        let day = Self.wave(reading.unixMilliseconds, period: 86_400_000, height: 200)
        return [
            .decimal(
                .temperature, Int64(1_800 + share(of: sensor, 2, 600) + day + noise(of: reading, 2, 5)), places: 2),
            .decimal(
                .humidity, Int64(4_500 + share(of: sensor, 3, 1_500) - day + noise(of: reading, 3, 20)), places: 2),
            .decimal(.pressure, Int64(100_500 + share(of: sensor, 4, 1_000) + noise(of: reading, 4, 10)), places: 2),
            .decimal(.voltage, Int64(2_850 + share(of: sensor, 5, 150) + noise(of: reading, 5, 3)), places: 3),
        ]
    }

    /// 0 ..< `bound`, constant for each sensor.
    private func share(of sensor: Int, _ kind: UInt64, _ bound: UInt64) -> Int {
        Int(numbers[UInt64(identity.number) << 16 | UInt64(sensor & 0xFFFF), kind] % bound)
    }

    /// −`bound`…`bound`, for this reading.
    private func noise(of reading: SimulatedReading, _ kind: UInt64, _ bound: UInt64) -> Int {
        Int(numbers[UInt64(identity.number) << 40 ^ UInt64(bitPattern: reading.n), 16 + kind] % (2 * bound + 1))
            - Int(bound)
    }

    /// A wave of straight lines: 0…`height`.
    private static func wave(_ time: Int64, period: Int64, height: Int64) -> Int {
        let place = (time % period + period) % period
        return Int((place < period / 2 ? place : period - place) * height / (period / 2))
    }
}
