// SPDX-License-Identifier: Apache-2.0

import Readings

/// The sensor's id, and its entry in the table of sensors. The table keeps an entry as long as somebody holds the
/// entry.
struct EntryHold {
    private let table: SensorTable
    /// The `<dev>` of topics.
    private(set) var device: String
    /// The entry that was found in the table, or put there.
    private var known: SensorEntry?

    init(_ device: String, in table: SensorTable) { (self.device, self.table) = (device, table) }

    /// The newest values.
    var values: [LatestValue] { known?.values ?? [] }
    /// When the newest value came, in milliseconds since boot.
    var newestAt: Int64? { known?.newestAt }

    /// Holds the entry from now on.
    mutating func hold() { _ = found() }

    mutating func record(_ reading: Reading) { found().record(reading) }

    /// - Parameters:
    ///   - fields: The decoded fields of an advertised packet.
    ///   - isSealed: A key has proved that the packet is the sensor's.
    mutating func record(_ reading: Reading, about fields: [Field]?, isSealed: Bool) {
        found().record(reading, about: fields, isSealed: isSealed)
    }

    /// Hides a quantity. True if the entry showed the quantity.
    mutating func drop(_ quantity: String) -> Bool { found().drop(quantity) }

    /// The sensor has another id from now on. Its values move along.
    mutating func rename(to device: String) {
        guard device != self.device else { return }
        self.device = device
        guard let former = known else { return }
        known = nil
        former.moveValues(to: found())
    }

    /// The sensor is no sensor any more, or another device is the sensor.
    mutating func forget() {
        known?.removeValues()
        known = nil
    }

    /// The collector collects only these characteristics from now on.
    func keep(_ characteristics: [String]) { known?.keep(Set(characteristics)) }

    private mutating func found() -> SensorEntry {
        if let known { return known }
        let entry = table.entry(of: device)
        known = entry
        return entry
    }
}
