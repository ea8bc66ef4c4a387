// SPDX-License-Identifier: Apache-2.0

import Readings

/// Sorts the packets of a sensor that advertises: new packets, the sensor's repeats, and recordings from other devices.
///
/// A sensor sends each packet several times, because most packets are not heard. A numbered packet is known by its
/// number. Other packets are known by their content, for a while: an unchanged value is a reading of its own now and
/// then.
struct PacketMachine: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// A new packet; `missing`: numbers just before this packet that never came.
        case new(missing: Int)
        /// The packet was heard before.
        case repeated
        /// Authentic, but heard before, or older than an earlier packet: another device plays the packet back, or the
        /// sensor counts anew.
        case replayed
    }

    /// Content without a number counts again after this many milliseconds.
    static let unchangedTime: Int64 = 60_000
    /// Like ``unchangedTime``, for an event, because an event may soon happen again.
    static let eventTime: Int64 = 5_000
    /// Limit of packets that a sensor sends in turns.
    private static let turns = 8
    /// After this many milliseconds without a packet, the sensor may have restarted.
    private static let pause: Int64 = 600_000
    /// Short packets count again if no long packet came for this many milliseconds.
    static let longMemory: Int64 = 60_000

    private struct Packet: Equatable {
        var stream: String
        var value: [UInt8]
        var number: UInt32?
        var counter: UInt32?
        var at: Int64

        func isSame(as other: Self) -> Bool {
            number == other.number && counter == other.counter && value == other.value && stream == other.stream
        }
    }

    private struct Short: Equatable {
        var number: PacketNumber
        var at: Int64
    }

    private var recent: [Packet] = []
    private var numbers: [Int: SequenceMachine] = [:]
    private(set) var replay = ReplayGuard()
    /// The time of the last long packet, for a sensor that sends each sample twice.
    private var longAt: Int64?
    /// The last accepted short packet.
    private var short: Short?

    /// The count of missing numbers.
    private(set) var missing = 0
    private(set) var isNumbered = false

    /// Changes the state of the sensor's counter.
    mutating func change(_ body: (inout ReplayGuard) -> Void) { body(&replay) }

    /// The key has changed, so packets are counted anew.
    mutating func forgetCounter() { replay = ReplayGuard() }

    /// `stream`: the family. `counter`, `tag`: of an authentic packet. `now`: milliseconds since boot.
    mutating func judge(
        _ packet: AdvertisedPacket, stream: String, counter: PacketNumber? = nil, tag: PacketTag? = nil, at now: Int64
    ) -> Verdict {
        if let counter {
            switch replay.judge(counter, tag ?? PacketTag(packet.value), at: now) {
            case .new: break
            case .current: return .repeated
            case .played: return .replayed
            }
        }
        if isOtherEdition(packet, at: now) { return .repeated }
        let new = Packet(
            stream: stream, value: packet.value, number: packet.number?.value, counter: counter?.value, at: now)
        let last = recent.last?.at
        if let place = recent.firstIndex(where: { $0.isSame(as: new) }) {
            let hasNumber = new.number != nil && !packet.numbersChanges
            let isKnown = hasNumber || new.counter != nil || packet.isUnique
            let time = packet.isEvent ? Self.eventTime : Self.unchangedTime
            if isKnown || now - recent[place].at < time { return .repeated }
            recent.remove(at: place)
        }
        if recent.count >= Self.turns { recent.removeFirst() }
        recent.append(new)
        guard let number = packet.number else { return .new(missing: 0) }
        isNumbered = true
        // The other edition's numbers went on meanwhile.
        if packet.edition != .only { numbers = numbers.filter { $0.key == number.bits } }
        var sequence = numbers[number.bits] ?? SequenceMachine(bits: number.bits)
        if let last, now - last > Self.pause { sequence.connected() }
        defer { numbers[number.bits] = sequence }
        guard case .gap(let missing) = sequence.judge(number.value) else { return .new(missing: 0) }
        self.missing += missing
        return .new(missing: missing)
    }

    /// A packet of the other edition has already reported the sample.
    private mutating func isOtherEdition(_ packet: AdvertisedPacket, at now: Int64) -> Bool {
        switch packet.edition {
        case .only: return false
        case .short:
            if let longAt, now - longAt < Self.longMemory { return true }
            short = packet.number.map { Short(number: $0, at: now) }
            return false
        case .long:
            longAt = now
            guard let short, let number = packet.number, now - short.at < Self.longMemory else { return false }
            self.short = nil
            let mask: UInt32 = short.number.bits >= 32 ? .max : 1 << UInt32(short.number.bits) - 1
            return number.value & mask == short.number.value
        }
    }
}
