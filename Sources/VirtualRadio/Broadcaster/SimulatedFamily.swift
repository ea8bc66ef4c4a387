// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SensorCipher

/// Models of popular sensors that advertise their values: their packets, octet by octet.
package enum SimulatedFamily: String, CaseIterable, Sendable {
    case atc, bthome, govee, mibeacon, qingping, ruuvi, switchbot, tilt, victron

    /// The key of the encrypted families.
    package static let key: [UInt8] = (1...16).map { UInt8($0) }

    package var isEncrypted: Bool { self == .bthome || self == .mibeacon || self == .victron }

    /// The value in a packet, in hundredths of a degree: 21.00 to 23.90 °C and back. For victron, in hundredths of a
    /// volt: 12.00 to 12.58.
    package func value(of packet: UInt32) -> Int64 {
        let phase = Int64(packet % 60)
        let step = phase < 30 ? phase : 59 - phase
        return self == .victron ? 1_200 + 2 * step : 2_100 + 10 * step
    }

    /// A sensor that sends a new packet every second, or every `period`, and repeats each packet four times.
    package func configuration(
        at address: UInt64, period: Duration = .seconds(1), signalStrength: Int8 = -64
    ) -> VirtualBroadcaster.Configuration {
        VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: .public, value: address), interval: period / 4,
            signalStrength: signalStrength, scanResponse: scanResponse, repetitions: 4
        ) { packet in data(of: packet, address: address) }
    }

    /// AD structures of the scan response.
    private var scanResponse: [UInt8] {
        switch self {
        case .govee: Self.structure(0x09, Array("GVH5075_4C88".utf8))
        case .switchbot: Self.structure(0x16, [0x3D, 0xFD, UInt8(ascii: "T"), 0x00, 91])
        default: []
        }
    }

    /// AD structures of an advertising packet.
    func data(of packet: UInt32, address: UInt64) -> [UInt8] {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) }
        let body =
            switch self {
            case .atc: Self.service(0x181A, atc(packet, octets))
            case .bthome: Self.service(0xFCD2, bthome(packet, octets))
            case .govee: Self.manufacturer(0xEC88, govee(packet))
            case .mibeacon: Self.service(0xFE95, mibeacon(packet, octets))
            case .qingping: Self.service(0xFDCD, qingping(packet, octets))
            case .ruuvi: Self.manufacturer(0x0499, ruuvi(packet, octets))
            case .switchbot: Self.manufacturer(0x0969, switchbot(packet, octets))
            case .tilt: Self.manufacturer(0x004C, tilt(packet))
            case .victron: Self.manufacturer(0x02E1, victron(packet))
            }
        return Self.structure(0x01, [0x06]) + body
    }

    // MARK: Layouts

    /// PVVX's own format: 44.57 % of humidity, 2.998 V, 88 %.
    private func atc(_ packet: UInt32, _ address: [UInt8]) -> [UInt8] {
        address.reversed() + Self.low(value(of: packet), 2) + Self.low(4_457, 2) + Self.low(2_998, 2)
            + [88, UInt8(truncatingIfNeeded: packet), 0x05]
    }

    /// Version 2, encrypted: battery 95 %, temperature, humidity 50.55 %.
    private func bthome(_ packet: UInt32, _ address: [UInt8]) -> [UInt8] {
        let objects = [0x01, 95, 0x02] + Self.low(value(of: packet), 2) + [0x03] + Self.low(5_055, 2)
        let counter = Self.low(Int64(packet) + 1, 4)
        let sealed = PacketCipher.sealCCM(
            objects, key: Self.key, nonce: address + [0xD2, 0xFC, 0x41] + counter, tagLength: 4)
        return [0x41] + sealed.ciphertext + counter + sealed.tag
    }

    /// H5075: tenths of a degree only, 45.6 % and 88 % in one word.
    private func govee(_ packet: UInt32) -> [UInt8] {
        let word = value(of: packet) / 10 * 1_000 + 456
        return [0x00] + Self.low(word, 3).reversed() + [88, 0x00]
    }

    /// LYWSD03MMC, encrypted: the temperature's object, in tenths of a degree.
    private func mibeacon(_ packet: UInt32, _ address: [UInt8]) -> [UInt8] {
        let product: [UInt8] = [0x5B, 0x05]
        let counter = Self.low(Int64(packet) + 1, 4)
        let object = [0x04, 0x10, 0x02] + Self.low(value(of: packet) / 10, 2)
        let sealed = PacketCipher.sealCCM(
            object, key: Self.key, nonce: address.reversed() + product + counter, additionalData: [0x11], tagLength: 4)
        let head: [UInt8] = [0x58, 0x50] + product + [counter[0]]
        return head + address.reversed() + sealed.ciphertext + Array(counter.dropFirst()) + sealed.tag
    }

    /// CGG1: tenths, 51.3 %, battery 77 %.
    private func qingping(_ packet: UInt32, _ address: [UInt8]) -> [UInt8] {
        let climate: [UInt8] = [0x01, 0x04] + Self.low(value(of: packet) / 10, 2) + Self.low(513, 2)
        let rest: [UInt8] = [0x02, 0x01, 77, 0x0F, 0x01, UInt8(truncatingIfNeeded: packet)]
        return [0x08, 0x07] + address.reversed() + climate + rest
    }

    /// Format 5: steps of 0.005 °C, 53.49 %, 1000.44 hPa.
    private func ruuvi(_ packet: UInt32, _ address: [UInt8]) -> [UInt8] {
        [0x05] + Self.low(value(of: packet) * 2, 2).reversed()
            + [0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C, 0xAC, 0x36, 0x42]
            + Self.low(Int64(packet), 2).reversed() + address
    }

    /// Meter: whole degrees with a sign, tenths, 48 %.
    private func switchbot(_ packet: UInt32, _ address: [UInt8]) -> [UInt8] {
        let tenths = value(of: packet) / 10
        return address + [UInt8(truncatingIfNeeded: packet), 0x00]
            + [UInt8(truncatingIfNeeded: tenths % 10), 0x80 | UInt8(truncatingIfNeeded: tenths / 10), 48]
    }

    /// Red: whole degrees Fahrenheit, a gravity of 1.052.
    private func tilt(_ packet: UInt32) -> [UInt8] {
        let fahrenheit = (value(of: packet) * 9 / 5 + 3_200) / 100
        return [
            0x02, 0x15, 0xA4, 0x95, 0xBB, 0x10, 0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74, 0xDE,
        ] + Self.low(fahrenheit, 2).reversed() + Self.low(1_052, 2).reversed() + [0xC5]
    }

    /// A solar charger in float: its battery's voltage, 1.4 A, 30 Wh, 19 W, no load.
    private func victron(_ packet: UInt32) -> [UInt8] {
        let numbers = [value(of: packet), 14, 3, 19].flatMap { Self.low($0, 2) }
        let record: [UInt8] = [0x05, 0x00] + numbers + [0x00, 0xFE]
        let nonce = Self.low(Int64(packet), 2)
        return [0x10, 0x02, 0x42, 0xA0, 0x01] + nonce + Self.key.prefix(1)
            + PacketCipher.applyCTR(record, key: Self.key, block: nonce + [UInt8](repeating: 0, count: 14))
    }

    // MARK: AD structures

    private static func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: data.count + 1), type] + data
    }

    private static func service(_ uuid: UInt16, _ data: [UInt8]) -> [UInt8] {
        structure(0x16, low(Int64(uuid), 2) + data)
    }

    private static func manufacturer(_ company: UInt16, _ data: [UInt8]) -> [UInt8] {
        structure(0xFF, low(Int64(company), 2) + data)
    }

    /// The low octets of a number, the lowest first.
    private static func low(_ value: Int64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
    }
}
