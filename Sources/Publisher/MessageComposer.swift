// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Makes messages of rows; remembers what is the same for all rows of a device or a characteristic.
struct MessageComposer {
    private struct Device {
        var head: [UInt8]
        /// What `…/state` begins with.
        var stateHead: [UInt8]
        var state: String
        var history: String
        var raw: String
    }

    private struct Characteristic {
        var name: String
        var decode: Decoders.Decode?
    }

    private let gateway: String
    private let topics: Topics
    private let journal: any DeliveryJournal
    private let layout: MQTTConfiguration.Layout
    private var descriptions: [String: SensorDescription] = [:]
    private var devices: [Int64: Device] = [:]
    private var characteristics: [Int64: Characteristic] = [:]
    private var writer = PayloadWriter()

    // The history being gathered.
    private var limit = 0
    private var gathering: [Int64: OutgoingMessage] = [:]
    /// The device numbers of `gathering`, in the order of their first rows.
    private var order: [Int64] = []
    private var gathered: [OutgoingMessage] = []
    /// Octets of all messages of this gathering.
    private(set) var gatheredOctets = 0

    init(gateway: String, topics: Topics, journal: any DeliveryJournal, layout: MQTTConfiguration.Layout = .martlet) {
        self.gateway = gateway
        self.topics = topics
        self.journal = journal
        self.layout = layout
    }

    /// Takes what is known of a sensor, by its `<dev>`.
    mutating func describe(_ device: String, _ description: SensorDescription) {
        descriptions[device] = description
        devices.removeAll(keepingCapacity: true)
    }

    // MARK: - One row

    /// The message for a row that is the present.
    mutating func state(of row: JournalRow, time: ReadingTime, boot: String) -> (topic: String, payload: [UInt8]) {
        let device = device(row.device)
        let characteristic = characteristic(row.characteristic)
        writer.removeAll()
        switch layout {
        case .martlet: write(row, time: time, boot: boot, device, characteristic, historical: false)
        case .theengs:
            writer.theengs(
                row, time: time, head: device.stateHead, characteristic: characteristic.name,
                fields: fields(of: row, characteristic))
        }
        return (device.state, writer.octets)
    }

    /// The decoded value; nil when no decoder understood it.
    mutating func fields(of row: JournalRow) -> [Field]? { fields(of: row, characteristic(row.characteristic)) }

    /// The digits of a value that no decoder understood.
    mutating func raw(of row: JournalRow) -> (topic: String, payload: [UInt8])? {
        guard fields(of: row, characteristic(row.characteristic)) == nil else { return nil }
        return (device(row.device).raw, [UInt8](row.value.hexadecimal.utf8))
    }

    // MARK: - History

    /// - Parameter limit: Octets that a message should not exceed; a single row may.
    mutating func beginHistory(limit: Int) {
        self.limit = limit
        gathering.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        gathered.removeAll()
        gatheredOctets = 0
    }

    /// A message of one row.
    mutating func message(of row: JournalRow, time: ReadingTime, boot: String) -> OutgoingMessage {
        let device = device(row.device)
        writer.removeAll()
        write(row, time: time, boot: boot, device, characteristic(row.characteristic), historical: true)
        return OutgoingMessage(
            topic: device.history, payload: [UInt8(ascii: "[")] + writer.octets + [UInt8(ascii: "]")],
            device: row.device, rows: [row.n], hasTimes: time.unixMilliseconds != nil, clock: time.quality)
    }

    mutating func addToHistory(_ row: JournalRow, time: ReadingTime, boot: String) {
        let device = device(row.device)
        writer.removeAll()
        write(row, time: time, boot: boot, device, characteristic(row.characteristic), historical: true)
        // A consumer that cannot read one without a time, as Telegraf, would give up those beside it, too.
        let hasTime = time.unixMilliseconds != nil
        if let message = gathering[row.device],
            message.hasTimes != hasTime || message.payload.count + writer.octets.count + 2 > limit
        {
            gathering[row.device] = nil
            order.removeAll { $0 == row.device }
            finish(message)
        }
        if gathering[row.device] == nil {
            order.append(row.device)
            gathering[row.device] = OutgoingMessage(
                topic: device.history, payload: [UInt8(ascii: "[")], device: row.device, hasTimes: hasTime)
        } else {
            gathering[row.device]?.payload.append(UInt8(ascii: ","))
        }
        gathering[row.device]?.payload.append(contentsOf: writer.octets)
        gathering[row.device]?.rows.append(row.n)
        if let clock = gathering[row.device]?.clock { gathering[row.device]?.clock = clock.orLess(time.quality) }
        gatheredOctets += writer.octets.count
    }

    /// The messages, those of one device in the order of its rows.
    mutating func endHistory() -> [OutgoingMessage] {
        for device in order {
            if let message = gathering[device] { finish(message) }
        }
        defer { beginHistory(limit: limit) }
        return gathered
    }

    private mutating func finish(_ message: OutgoingMessage) {
        var message = message
        message.payload.append(UInt8(ascii: "]"))
        gathered.append(message)
    }

    // MARK: - Parts

    private mutating func write(
        _ row: JournalRow, time: ReadingTime, boot: String, _ device: Device, _ characteristic: Characteristic,
        historical: Bool
    ) {
        writer.reading(
            row, time: time, head: device.head, boot: boot, characteristic: characteristic.name,
            fields: fields(of: row, characteristic), historical: historical)
    }

    private func fields(of row: JournalRow, _ characteristic: Characteristic) -> [Field]? {
        guard let decode = characteristic.decode else { return nil }
        return try? decode(row.value)
    }

    private mutating func device(_ id: Int64) -> Device {
        if let known = devices[id] { return known }
        let name = try? journal.deviceName(id)
        let text = name ?? "device-\(id)"
        let sensorName = descriptions[text]?.name ?? SensorNames(journal).name(of: text)
        let head = PayloadWriter.head(device: text, name: sensorName, gateway: gateway)
        let device: Device
        switch layout {
        case .martlet:
            device = Device(
                head: head, stateHead: head, state: topics.state(of: text), history: topics.history(of: text),
                raw: topics.raw(of: text))
        case .theengs:
            let name = TheengsName(text, descriptions[text])
            device = Device(
                head: head, stateHead: PayloadWriter.theengsHead(name), state: topics.theengs(of: name),
                history: topics.history(of: text), raw: topics.raw(of: text))
        }
        if name != nil { devices[id] = device }
        return device
    }

    private mutating func characteristic(_ id: Int64) -> Characteristic {
        if let known = characteristics[id] { return known }
        let name = try? journal.characteristicName(id)
        let text = name ?? "unknown"
        let characteristic = Characteristic(name: text, decode: Decoders.decoder(for: text))
        if name != nil { characteristics[id] = characteristic }
        return characteristic
    }
}

extension ClockQuality {
    /// The one that promises less.
    func orLess(_ other: ClockQuality) -> ClockQuality { code >= other.code ? self : other }
}
