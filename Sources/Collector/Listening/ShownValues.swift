// SPDX-License-Identifier: Apache-2.0

import Readings

/// The newest values of a sensor that advertises, as the status shows them. Packets about different quantities are kept
/// apart.
///
/// A quantity that only a single packet has named goes again with the sensor's next packets
/// (``QuantityDoubts/packets``), because the packet may have been damaged.
struct ShownValues {
    /// Limit of packets: some sensors send their values in turns.
    private static let limit = 8
    /// Limit of confirmed quantities for each sensor.
    private static let maximumKnown = 64

    private struct Entry {
        var reading: Reading
        /// The subject of the reading: the keys of its fields. Without a decoder, readings of equal length have the
        /// same subject.
        var keys: Set<String>
        /// Packets that came after this packet.
        var others = 0
    }

    /// The newest last.
    private var entries: [Entry] = []
    /// The keys that two packets have named, or a single packet that cannot be damaged.
    private var known: Set<String> = []
    private var doubts = QuantityDoubts()
    private var count: Int64 = 0

    /// When the newest packet came, in milliseconds since boot.
    private(set) var newestAt: Int64?
    var readings: [Reading] { entries.map(\.reading) }

    /// - Parameter isSealed: A key has proved that the packet is whole.
    mutating func take(_ reading: Reading, isSealed: Bool) {
        let fields = Decoders.decode(characteristic: reading.characteristic, value: reading.value) ?? []
        let keys =
            fields.isEmpty ? ["\(reading.characteristic):\(reading.value.count)"] : Set(fields.map(\.key))
        count += 1
        newestAt = reading.stamp.uptimeMilliseconds
        learn(fields, keys, isSealed, at: reading.stamp)
        entries.removeAll { $0.keys.isSubset(of: keys) }
        for index in entries.indices { entries[index].others += 1 }
        entries.removeAll { $0.others >= QuantityDoubts.packets && !$0.keys.isSubset(of: known) }
        if entries.count >= Self.limit { entries.removeFirst() }
        entries.append(Entry(reading: reading, keys: keys))
    }

    private mutating func learn(_ fields: [Field], _ keys: Set<String>, _ isSealed: Bool, at stamp: TimeStamp) {
        let packet = QuantityDoubts.Packet(count, at: stamp.uptimeMilliseconds)
        _ = doubts.pass(packet)
        for key in keys where !known.contains(key) && known.count < Self.maximumKnown {
            let isDoubtful = !isSealed && fields.first { $0.key == key }?.quantity.needsSecondPacket ?? true
            if !isDoubtful || doubts.confirms(key, packet) {
                doubts.remove(key)
                known.insert(key)
            }
        }
    }

    /// An operator does not want the quantity. It is shown again when a packet names it.
    ///
    /// - Returns: False if the quantity was not shown.
    mutating func drop(_ key: String) -> Bool {
        known.remove(key)
        doubts.remove(key)
        let count = entries.count
        entries.removeAll { $0.keys.contains(key) }
        return entries.count < count
    }
}
