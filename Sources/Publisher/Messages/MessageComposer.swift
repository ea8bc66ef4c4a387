// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SparkplugB

/// Makes messages of rows; remembers the common parts of a sensor's or characteristic's rows.
struct MessageComposer {
    struct Characteristic {
        var name: String
        var decode: Decoders.Decode?
        /// Whether the characteristic may report events.
        var hasEvents = false
        /// The family of advertised values; nil for values of a link.
        var family: SensorFamily?
    }

    private struct Sensor {
        /// The `<dev>` of topics.
        var device: String
        var layout: LayoutSensor
        var facts: OperatorFacts
    }

    private struct RowOwner: Hashable {
        var device: Int64
        /// The index of the former gateway that took the row; nil for this gateway.
        var former: Int?
    }

    let layout: any MessageLayout
    let properties: LaneProperties
    /// Nil makes JSON.
    let sparkplug: SparkplugComposer?
    /// Milliseconds since 1970 UTC, for data that needs a time; with Sparkplug only.
    private(set) var now: Int64 = 0
    private let table: SensorTable
    private var sensors: [RowOwner: Sensor] = [:]
    /// The gateways that took the rows; read again for each new sensor.
    private var owners = RowOwners()
    private var characteristics: [Int64: Characteristic] = [:]
    private var writer = PayloadWriter()
    /// The row of the present that was decoded last: several ask about each.
    private var last: (row: JournalRow, fields: [Field]?)?

    // The history being gathered.
    private var limit = 0
    private var gathering: [Int64: OutgoingMessage] = [:]
    /// The device numbers of `gathering`, in the order of their first rows.
    private var order: [Int64] = []
    private var gathered: [OutgoingMessage] = []
    /// Octets of all messages of this gathering.
    private(set) var gatheredOctets = 0

    /// A turn of the publisher begins at this time; see ``now``.
    mutating func beginTurn(at now: Int64) { self.now = now }

    /// - Parameter expiry: Seconds for which a broker keeps a live value; 0 is for ever.
    init(
        _ layout: any MessageLayout, _ sparkplug: SparkplugComposer? = nil, sensors table: SensorTable,
        expiry: UInt32 = 0
    ) {
        self.layout = layout
        self.table = table
        properties = LaneProperties(expiry: expiry)
        self.sparkplug = sparkplug
    }

    /// The facts about sensors have changed: the composer looks each sensor up again.
    mutating func forgetSensors() { sensors.removeAll(keepingCapacity: true) }

    /// Decoders may have changed: each is looked up again.
    mutating func forgetDecoders() {
        characteristics.removeAll(keepingCapacity: true)
        last = nil
    }

    // MARK: - Single rows

    /// The message for a present row.
    mutating func state(
        of row: JournalRow, time: ReadingTime, boot: String, from rows: any DeliveryRows
    ) -> OutgoingMessage {
        let characteristic = characteristic(row.characteristic, from: rows)
        let fields = fields(of: row, characteristic, from: rows)
        return state(of: row, characteristic, fields, time: time, boot: boot, from: rows)
    }

    private mutating func state(
        of row: JournalRow, _ characteristic: Characteristic, _ fields: [Field]?, time: ReadingTime, boot: String,
        from rows: any DeliveryRows
    ) -> OutgoingMessage {
        let sensor = sensor(of: row, from: rows).layout
        writer.removeAll()
        layout.writeState(
            of: row, time: time, boot: boot, sensor, characteristic: characteristic.name, fields: fields, to: &writer)
        return OutgoingMessage(topic: sensor.state, payload: writer.octets)
    }

    /// Whether a row reports an event: a pressed button, or the start of a motion whose end is never reported.
    mutating func isEvent(_ row: JournalRow, from rows: any DeliveryRows) -> Bool {
        let characteristic = characteristic(row.characteristic, from: rows)
        guard let fields = fields(of: row, characteristic, from: rows) else { return false }
        if characteristic.hasEvents, fields.contains(where: \.isEvent) { return true }
        return characteristic.family?.isImpulse(row.value, fields) ?? false
    }

    /// The states of a row that its sensor never ends, with the seconds until each is over.
    mutating func impulses(of row: JournalRow, from rows: any DeliveryRows) -> [Quantity: Int] {
        characteristic(row.characteristic, from: rows).family?.impulses(of: row.value) ?? [:]
    }

    /// The message for a present event, with all values of its packet, and a state message for its other values.
    mutating func event(
        of row: JournalRow, time: ReadingTime, boot: String, from rows: any DeliveryRows
    ) -> (event: OutgoingMessage, state: OutgoingMessage?)? {
        let characteristic = characteristic(row.characteristic, from: rows)
        guard characteristic.hasEvents, let fields = fields(of: row, characteristic, from: rows),
            fields.contains(where: \.isEvent)
        else { return nil }
        let sensor = sensor(of: row, from: rows).layout
        writer.removeAll()
        writer.reading(
            row, time: time, head: sensor.head, boot: boot, characteristic: characteristic.name, fields: fields,
            historical: false)
        let event = OutgoingMessage(topic: sensor.event, payload: writer.octets)
        let rest = fields.filter { !$0.isEvent }
        return (event, rest.isEmpty ? nil : state(of: row, characteristic, rest, time: time, boot: boot, from: rows))
    }

    /// The decoded value; nil if no decoder understood the value.
    mutating func fields(of row: JournalRow, from rows: any DeliveryRows) -> [Field]? {
        fields(of: row, characteristic(row.characteristic, from: rows), from: rows)
    }

    /// A row waited with its decoded value.
    mutating func record(_ fields: [Field]?, of row: JournalRow) { last = (row, fields) }

    /// The digits of a value that no decoder understood.
    mutating func raw(of row: JournalRow, from rows: any DeliveryRows) -> OutgoingMessage? {
        guard fields(of: row, from: rows) == nil else { return nil }
        return OutgoingMessage(
            topic: sensor(of: row, from: rows).layout.raw, payload: [UInt8](row.value.hexadecimal.utf8))
    }

    // MARK: - History

    /// - Parameter limit: Octets that a message should not exceed; a single row may exceed them.
    mutating func beginHistory(limit: Int) {
        self.limit = limit
        gathering.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        gathered.removeAll()
        gatheredOctets = 0
    }

    /// A message with a single row.
    mutating func message(
        of row: JournalRow, time: ReadingTime, boot: String, from rows: any DeliveryRows
    ) -> OutgoingMessage {
        if let message = historicalPart(of: row, time: time, from: rows) { return message }
        let whole = sensor(of: row, from: rows)
        let sensor = whole.layout
        write(row, time: time, boot: boot, whole, from: rows)
        return OutgoingMessage(
            topic: sensor.history, payload: [UInt8(ascii: "[")] + writer.octets + [UInt8(ascii: "]")],
            device: row.device, rows: [row.n], hasTimes: time.unixMilliseconds != nil, clock: time.quality)
    }

    mutating func addToHistory(_ row: JournalRow, time: ReadingTime, boot: String, from rows: any DeliveryRows) {
        if let part = historicalPart(of: row, time: time, from: rows) { return addToHistory(part) }
        let whole = sensor(of: row, from: rows)
        let sensor = whole.layout
        write(row, time: time, boot: boot, whole, from: rows)
        // A consumer that cannot read a row without a time, such as Telegraf, would also lose the other rows of the
        // message.
        let hasTime = time.unixMilliseconds != nil
        if let message = gathering[row.device],
            message.hasTimes != hasTime || message.payload.count + writer.count + 2 > limit
        {
            gathering[row.device] = nil
            order.removeAll { $0 == row.device }
            finish(message)
        }
        if gathering[row.device] == nil {
            order.append(row.device)
            gathering[row.device] = OutgoingMessage(
                topic: sensor.history, payload: [UInt8(ascii: "[")], device: row.device, hasTimes: hasTime)
        } else {
            gathering[row.device]?.payload.append(UInt8(ascii: ","))
        }
        if let index = gathering.index(forKey: row.device) {
            writer.append(to: &gathering.values[index].payload)
            gathering.values[index].rows.append(row.n)
            gathering.values[index].clock = gathering.values[index].clock.orLess(time.quality)
        }
        gatheredOctets += writer.count
    }

    /// Metrics of messages may be appended to each other without a change.
    private mutating func addToHistory(_ part: OutgoingMessage) {
        if let message = gathering[part.device], message.payload.count + part.payload.count > limit {
            gathering[part.device] = nil
            order.removeAll { $0 == part.device }
            gathered.append(message)
        }
        if var message = gathering.removeValue(forKey: part.device) {
            message.payload += part.payload
            message.rows += part.rows
            message.data?.merge(part.data?.metrics ?? [])
            gathering[part.device] = message
        } else {
            order.append(part.device)
            gathering[part.device] = part
        }
        gatheredOctets += part.payload.count
    }

    /// The messages; messages of a device are in the order of its rows.
    mutating func endHistory() -> [OutgoingMessage] {
        for device in order {
            if let message = gathering[device] { finish(message) }
        }
        defer { beginHistory(limit: limit) }
        return gathered
    }

    private mutating func finish(_ message: OutgoingMessage) {
        var message = message
        if sparkplug == nil { message.payload.append(UInt8(ascii: "]")) }
        gathered.append(message)
    }

    // MARK: - Parts

    /// A reading of the past.
    private mutating func write(
        _ row: JournalRow, time: ReadingTime, boot: String, _ sensor: Sensor, from rows: any DeliveryRows
    ) {
        let characteristic = characteristic(row.characteristic, from: rows)
        writer.removeAll()
        writer.reading(
            row, time: time, head: sensor.layout.head, boot: boot, characteristic: characteristic.name,
            fields: Self.decoded(row, characteristic).map(sensor.facts.corrected), historical: true)
    }

    /// The decoded value of a row of the present: mostly it is in the table already.
    private mutating func fields(
        of row: JournalRow, _ characteristic: Characteristic, from rows: any DeliveryRows
    ) -> [Field]? {
        if let last, last.row == row { return last.fields }
        let sensor = sensor(of: row, from: rows)
        let fields: [Field]? =
            switch table[sensor.device]?.decoding(of: row.value, characteristic.name) {
            case .done(let fields): fields
            case .pending, nil: Self.decoded(row, characteristic)
            }
        last = (row, fields.map(sensor.facts.corrected))
        return last?.fields
    }

    private static func decoded(_ row: JournalRow, _ characteristic: Characteristic) -> [Field]? {
        guard let decode = characteristic.decode else { return nil }
        return try? decode(row.value)
    }

    private mutating func sensor(of row: JournalRow, from rows: any DeliveryRows) -> Sensor {
        let key = RowOwner(device: row.device, former: owners.former(of: row.n))
        if let known = sensors[key] { return known }
        owners = RowOwners(rows.identifier)
        let former = owners.former(of: row.n)
        let name = try? rows.deviceName(row.device)
        let text = name ?? "device-\(row.device)"
        let description = table[text]?.description
        let facts = table.facts(of: text)
        let label = facts.label ?? description?.name ?? SensorNames.name(of: text, in: rows)
        let sensor = Sensor(
            device: text,
            layout: layout.sensor(
                text, name: label, description, offsets: facts.offsets,
                readBy: former.map { owners.formers[$0].name } ?? layout.topics.gatewayName), facts: facts)
        if name != nil { sensors[RowOwner(device: row.device, former: former)] = sensor }
        return sensor
    }

    mutating func characteristic(_ id: Int64, from rows: any DeliveryRows) -> Characteristic {
        if let known = characteristics[id] { return known }
        let name = try? rows.characteristicName(id)
        let text = name ?? "unknown"
        let characteristic = Characteristic(
            name: text, decode: table.decoder(text), hasEvents: Decoders.hasEvents(text),
            family: SensorFamilies.family(text))
        if name != nil { characteristics[id] = characteristic }
        return characteristic
    }
}

extension Field {
    fileprivate var isEvent: Bool { quantity.kind == .event }
}

extension ClockQuality {
    /// The lower of two qualities.
    func orLess(_ other: ClockQuality) -> ClockQuality { code >= other.code ? self : other }
}
