// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Logging
import MQTT
import Platform

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// The publisher's machine without a journal, a broker and a clock: a table of rows, and the machine's effects.
struct MachineBench {
    static let boot = "boot"
    /// Unix time minus uptime, in milliseconds.
    static let offset: Int64 = 1_700_000_000_000

    var machine: PublisherMachine
    let table = RowTable()
    let sensors: SensorTable
    /// Milliseconds since boot.
    var uptime: Int64 = 100_000
    var spread = 1.0
    /// Messages without an acknowledgement, by their places.
    var waiting: [(place: Int, message: OutgoingMessage)] = []
    /// All messages whose way out is settled.
    var sent: [OutgoingMessage] = []
    var mentioned: [OutgoingMessage] = []
    /// The messages of a Sparkplug B edge node, in order: `DDATA/gw/sensor-1`.
    var said: [String] = []
    var acknowledged: [Int64] = []
    var dropped: [Int64: DropReason] = [:]
    /// Commands from the machine to carry out.
    var performing: [CommandRequest] = []
    /// Subscribed filters while the connection lasts.
    var subscribed: [String] = []
    /// Other gateways that own sensors.
    var owners: [String: String] = [:]
    var lines: [String] = []
    /// Octets of the largest payload that fits a packet.
    var maximum = Int.max

    /// - Parameter isOpening: The journal is not open yet.
    init(
        sensors: SensorTable = SensorTable(), isOpening: Bool = false,
        _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) {
        self.sensors = sensors
        var configuration = MQTTConfiguration()
        configuration.historyRowsPerSecond = 0
        change(&configuration)
        machine = PublisherMachine(
            configuration, layout: configuration.layout.messages(Topics(prefix: "martlet", gateway: "gw")),
            information: Sample.information, boot: Self.boot, sensors: sensors)
        table.isOpening = isOpening
        if !isOpening { machine.takeOver([:]) }
    }

    /// The update of the image, for a flashed gateway.
    var update: ImageUpdate?
    var radio: [RadioHealth.Event] = []
    var problems: ProblemNews?

    var moment: PublisherMoment {
        PublisherMoment(
            now: MonotonicTime(nanoseconds: uptime * 1_000_000),
            stamp: TimeStamp(
                boot: Self.boot, uptimeMilliseconds: uptime, unixMilliseconds: Self.offset + uptime, quality: .synced),
            anchor: ClockAnchor(offset: Self.offset, uptime: 0), update: update, radio: radio, problems: problems,
            spread: spread,
            wall: Self.offset + uptime)
    }

    /// - Parameter receiveMaximum: The broker's limit of unacknowledged messages.
    mutating func begin(receiveMaximum: Int = 20) {
        var acceptance = MQTTConnection.Acceptance()
        acceptance.receiveMaximum = receiveMaximum
        machine.begin(acceptance, at: moment.now, from: table)
        perform()
    }

    /// Begins, and removes the messages that precede readings.
    mutating func beginQuietly(receiveMaximum: Int = 20) {
        begin(receiveMaximum: receiveMaximum)
        publish()
        acknowledgeAll()
        sent = []
        mentioned = []
    }

    /// One reading of a device at each of these uptimes.
    mutating func append(_ uptimes: Int64..., device: Int64 = 1) {
        for up in uptimes {
            table.append(table.greatestNumber + 1, device: device, up: up, hundredths: Int16(up % 10_000))
        }
        machine.live.expectRows()
        machine.history.expectRows()
    }

    mutating func publish(isWriting: Bool = false) {
        repeat {
            machine.publish(at: moment, from: table, isWriting: isWriting)
            perform()
        } while machine.hasMore
    }

    mutating func wait() -> Duration? { machine.wait(from: moment) }

    mutating func acknowledgeAll() {
        let settlements = waiting.map { (place: $0.place, reason: MQTTReason(rawValue: 0)) }
        waiting = []
        machine.settle(settlements, at: moment, from: table)
        perform()
    }

    /// The broker refuses the message that has waited longest.
    mutating func refuseOldest(_ reason: MQTTReason) {
        let place = waiting.removeFirst().place
        machine.settle([(place: place, reason: reason)], at: moment, from: table)
        perform()
    }

    mutating func perform() {
        var effects = machine.takeEffects()
        while !effects.isEmpty {
            for effect in effects { perform(effect) }
            effects = machine.takeEffects()
        }
    }

    private mutating func perform(_ effect: PublisherEffect) {
        switch effect {
        case .publish(let message, _, let place):
            guard message.payload.count <= maximum else {
                return machine.tooLarge(place, at: moment, from: table)
            }
            sent.append(message)
            say(message)
            waiting.append((place, message))
            machine.sent(place, at: moment.now)
        case .mention(let message):
            mentioned.append(message)
            say(message)
        case .acknowledge(let rows):
            acknowledged += rows
            table.remove(rows)
        case .drop(let rows, let reason):
            for row in rows { dropped[row] = reason }
            table.remove(rows)
        case .setOffset(let offset, _): table.offsets[1] = offset
        case .noteRetained(let topic, let device): table.facts["retained:" + topic] = device
        case .forgetRetained(let topic): table.facts["retained:" + topic] = nil
        case .perform(let request): performing.append(request)
        case .keep(let value, let key): table.facts[key] = value.isEmpty ? nil : value
        case .subscribe(let wanted): subscribed += wanted.map(\.filter.text)
        case .tellOwner(let gateway, let device): owners[device] = gateway
        case .log(let level, let message, let metadata): lines.append("\(level) \(message) \(metadata)")
        }
    }

    private mutating func say(_ message: OutgoingMessage) {
        machine.used(message.order)
        let levels = message.topic.split(separator: "/")
        if levels.first == "spBv1.0" { said.append(([levels[2]] + levels[3...]).joined(separator: "/")) }
    }

    /// The topics of sent messages, without the prefix.
    var topics: [String] { sent.map { String($0.topic.dropFirst("martlet/".count)) } }
}
