// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Logging
import Readings

/// A sensor whose values come in what it advertises: nobody connects to it.
final class ListenedSensor: SensorSource {
    /// Why a packet of the sensor's is no reading. Each is counted by its name.
    enum Refusal: String, Sendable {
        /// Encrypted, and its entry has no key.
        case noKey = "no-key"
        /// The key does not open it: the key is wrong, or somebody else sent it.
        case wrongKey = "wrong-key"
        /// Not encrypted, though the entry has a key: anybody can have sent it.
        case notEncrypted = "not-encrypted"
        /// Authentic, and heard before or older than one that came before.
        case replayed
        /// It tells of an event, is encrypted, and nothing in it would tell it from a recording.
        case uncounted
        /// Authentic, and came before it was known what earlier runs have heard, with no room to wait for that.
        case tooEarly = "too-early"
        /// Of another family than its entry wants.
        case otherFamily = "other-family"
        /// It is the sensor's, and says what cannot be, or nothing that is known; or nothing could be compared with it that would
        /// show the key to be right.
        case notUnderstood = "not-understood"
    }

    /// Who knows its advertisements; the last one that did.
    var family: SensorFamily
    /// As its entry has it: 16 or 12 octets.
    var key: [UInt8]?
    var packets = PacketMachine()
    /// The packets that came before the journal was open.
    var early = EarlyPackets()
    /// Whether it has shown that its place is its own.
    var place = PlaceHold()
    /// Another device claims to be it.
    var contest: String?
    /// The address of that device.
    var claimant: String?
    /// When its claim was decided on last, in milliseconds since boot.
    private var decidedAt: Int64?
    /// Its counter went back: what an operator is to do.
    var counterTrouble: String?
    /// Where the cipher does not authenticate, what shows that the key is right.
    var keyProof = KeyProof()
    /// Packets that said what an earlier one had said.
    var repeats = 0
    private(set) var refusals: [Refusal: Int] = [:]
    /// Packets in a row that its key did not open.
    var closedPackets = 0
    /// When an advertisement of its came last that nobody here understands, in milliseconds since boot, and its octets, which are
    /// kept while no values come.
    private(set) var unreadAt: Int64?
    private(set) var unread: HeardOctets?
    /// When a packet was opened last, in milliseconds since boot.
    var openedAt: Int64?
    /// It has told of events alone: it has no interval, and is not silent when it says nothing.
    var sendsEventsOnly = true
    /// When the replay counter was written down, in milliseconds since boot.
    var counterKeptAt: Int64 = 0
    /// Its key has opened its last packet, and has shown that the packet is its own and whole.
    var isSealed = false

    init(candidate: SensorRule.Candidate, rule: SensorRule, family: SensorFamily, sensors: SensorTable) {
        self.family = family
        key = rule.bindKey.flatMap { [UInt8](hexadecimal: $0.revealed) }
        super.init(candidate: candidate, rule: rule, isProven: false, sensors: sensors)
    }

    /// The troubles that an operator has to act on, the worst first.
    var complaint: String? { trouble ?? counterTrouble ?? contest ?? unreadTrouble }

    private var unreadTrouble: String? {
        guard lastValue != nil, standing.state == .notUnderstood else { return nil }
        return "it is heard, but its advertisements are not understood; run martlet why \(device)"
    }

    func noteUnread(_ octets: @autoclosure () -> AdvertisedOctets, at now: Int64) {
        unreadAt = now
        if !standing.state.isPresent { unread = HeardOctets(octets()) }
    }

    /// A claim is decided on once a second at most, however many packets come.
    func mayBeDecidedOn(at now: Int64) -> Bool {
        if let decidedAt, now - decidedAt < 1_000 { return false }
        decidedAt = now
        return true
    }

    func count(_ refusal: Refusal) { refusals[refusal, default: 0] += 1 }

    /// When something came last that brought no value, in milliseconds since boot; nil where all was read.
    var unreadableAt: Int64? {
        guard lastValue == nil, trouble != nil else { return unreadAt }
        return max(unreadAt ?? heardUptime ?? 0, heardUptime ?? 0)
    }

    func show(_ reading: Reading, about fields: [Field]?) {
        entry.take(reading, about: fields, isSealed: isSealed)
        unread = nil
    }

    override var status: SensorStatus {
        var status = super.status
        status.link = .listening
        status.family = family.family
        status.trouble = complaint
        status.claimedBy = contest == nil ? nil : claimant
        status.counterBack = counterTrouble == nil ? nil : true
        status.repeats = repeats
        status.refused =
            refusals.isEmpty
            ? nil : Dictionary(uniqueKeysWithValues: refusals.map { ($0.key.rawValue, $0.value) })
        status.gap = packets.isNumbered ? packets.missing : nil
        status.values = values.map { SensorStatus.Value($0) }
        return status
    }
}
