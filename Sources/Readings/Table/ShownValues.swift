// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The newest values of a sensor, as the status shows them: of one with a link, the newest of each characteristic; of one that
/// advertises, packets that are about other things apart.
///
/// A quantity that one packet alone has named goes again with the sensor's next packets (``QuantityDoubts/packets``): the packet may
/// have been a damaged one.
struct ShownValues {
    /// Packets at most: some sensors send their values in turns.
    private static let limit = 8
    /// Characteristics at most.
    private static let maximumCharacteristics = 256
    /// Quantities of one sensor that are known to be its own, at most.
    private static let maximumKnown = 64

    private struct Entry {
        var value: LatestValue
        /// The keys of the packet's fields. Packets without a decoder share a key if they have the same length.
        var keys: Set<String> = []
        /// Packets that came after it.
        var others = 0
        /// All of the packet's keys are known.
        var isKnown = false
    }

    /// The newest packet last; characteristics in the order in which they first came.
    private var entries: [Entry] = []
    /// The keys that two packets have named, or one that cannot have been a damaged one.
    private var known: Set<String> = []
    private var doubts = QuantityDoubts()
    private var count: Int64 = 0

    /// When the newest value came, in milliseconds since boot.
    private(set) var newestAt: Int64?
    var values: [LatestValue] { entries.map(\.value) }

    // MARK: - What comes

    /// Takes the value of a characteristic in the place of its last one. Its decoder is asked later, if anybody asks.
    mutating func record(_ reading: Reading) {
        newestAt = reading.stamp.uptimeMilliseconds
        let value = LatestValue(reading: reading, decoding: .pending)
        if let place = entries.firstIndex(where: { $0.value.reading.characteristic == reading.characteristic }) {
            entries[place].value = value
        } else {
            if entries.count >= Self.maximumCharacteristics { entries.removeFirst() }
            entries.append(Entry(value: value))
        }
    }

    /// Takes an advertised packet.
    ///
    /// - Parameters:
    ///   - fields: The packet's; nil where no decoder understands it.
    ///   - isSealed: A key has shown that the packet is whole.
    mutating func record(_ reading: Reading, about fields: [Field]?, isSealed: Bool) {
        let value = LatestValue(reading: reading, decoding: .done(fields))
        let fields = fields ?? []
        count += 1
        newestAt = reading.stamp.uptimeMilliseconds
        if isLikeLast(fields) {
            pass(at: reading.stamp)
            (entries[0].value, entries[0].others) = (value, 0)
            return
        }
        let keys =
            fields.isEmpty ? ["\(reading.characteristic):\(reading.value.count)"] : Set(fields.map(\.key))
        learn(fields, keys, isSealed, at: reading.stamp)
        entries.removeAll { $0.keys.isSubset(of: keys) }
        for index in entries.indices { entries[index].others += 1 }
        entries.removeAll { $0.others >= QuantityDoubts.packets && !$0.keys.isSubset(of: known) }
        if entries.count >= Self.limit { entries.removeFirst() }
        entries.append(Entry(value: value, keys: keys, isKnown: keys.isSubset(of: known)))
    }

    /// All known values are of one packet, and these fields are about the same: most packets of most sensors. Nothing is to be
    /// learned from these, and their keys need not be made.
    private func isLikeLast(_ fields: [Field]) -> Bool {
        guard entries.count == 1, entries[0].isKnown, let last = entries[0].value.fields, !fields.isEmpty else {
            return false
        }
        return last.elementsEqual(fields) { $0.quantity == $1.quantity && $0.index == $1.index }
    }

    @discardableResult
    private mutating func pass(at stamp: TimeStamp) -> QuantityDoubts.Packet {
        let packet = QuantityDoubts.Packet(count, at: stamp.uptimeMilliseconds)
        _ = doubts.pass(packet)
        return packet
    }

    private mutating func learn(_ fields: [Field], _ keys: Set<String>, _ isSealed: Bool, at stamp: TimeStamp) {
        let packet = pass(at: stamp)
        for key in keys where !known.contains(key) && known.count < Self.maximumKnown {
            let isDoubtful = !isSealed && fields.first { $0.key == key }?.quantity.needsSecondPacket ?? true
            if !isDoubtful || doubts.confirms(key, packet) {
                doubts.remove(key)
                known.insert(key)
            }
        }
    }

    // MARK: - What is asked

    /// All values, decoded.
    mutating func decoded(by decoder: SensorTable.DecoderOfName) -> [LatestValue] {
        for place in entries.indices { entries[place].value.decode(by: decoder) }
        return values
    }

    /// The decoded fields of a value among the newest.
    mutating func decoding(
        of value: [UInt8], _ characteristic: String, by decoder: SensorTable.DecoderOfName
    ) -> LatestValue.Decoding {
        let place = entries.lastIndex {
            $0.value.reading.characteristic == characteristic && $0.value.reading.value == value
        }
        return place.map { .done(entries[$0].value.decode(by: decoder)) } ?? .pending
    }

    // MARK: - What goes

    /// An operator does not want the quantity: it is shown again when a packet names it.
    ///
    /// - Returns: False where it was not shown.
    mutating func drop(_ key: String) -> Bool {
        known.remove(key)
        doubts.remove(key)
        let count = entries.count
        entries.removeAll { $0.keys.contains(key) }
        return entries.count < count
    }

    /// Values of other characteristics go.
    mutating func keep(_ characteristics: Set<String>) {
        entries.removeAll { !characteristics.contains($0.value.reading.characteristic) }
    }

    /// Decoders have changed.
    mutating func forgetDecoded() {
        for place in entries.indices { (entries[place].value.decoding, entries[place].isKnown) = (.pending, false) }
    }
}
