// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Logging
import Readings

/// A sensor with its values in advertisements, without a connection.
final class ListenedSensor: SensorSource {
    /// Why a packet of the sensor makes no reading. Counted by name.
    enum Refusal: String, Sendable {
        /// Encrypted, and its entry has no key.
        case noKey = "no-key"
        /// The key does not open the packet: the key is wrong, or another device sent the packet.
        case wrongKey = "wrong-key"
        /// Not encrypted, although the entry has a key: any device may have sent the packet.
        case notEncrypted = "not-encrypted"
        /// Authentic, but heard before, or older than an earlier packet.
        case replayed
        /// An encrypted event that nothing distinguishes from a recording.
        case uncounted
        /// Authentic, but too early: the facts of earlier runs were unknown, and there was no room to wait for them.
        case tooEarly = "too-early"
        /// The packet is of another family than the entry's.
        case otherFamily = "other-family"
        /// From the sensor, but with impossible or unknown content; or without a comparable packet that would prove the
        /// key.
        case notUnderstood = "not-understood"
    }

    /// The family that decodes the sensor's advertisements; the last of several families.
    var family: SensorFamily
    /// From the entry: 16, 12 or 24 octets.
    var key: [UInt8]?
    var packets = PacketMachine()
    /// The packets from the time before the journal was open.
    var early = EarlyPackets()
    /// Whether the sensor has proved that its place is its own.
    var place = PlaceHold()
    /// Another device claims to be this sensor.
    var contest: String?
    /// The address of the claiming device.
    var claimant: String?
    /// The time of the last decision on the claim, in milliseconds since boot.
    private var decidedAt: Int64?
    /// The sensor's counter went back: what an operator can do.
    var counterTrouble: String?
    /// The proof of the key, for a cipher without authentication.
    var keyProof = KeyProof()
    /// Packets that repeated an earlier packet.
    var repeats = 0
    private(set) var refusals: [Refusal: Int] = [:]
    /// Packets in a row that the sensor's key did not open.
    var closedPackets = 0
    /// The time of the last advertisement that no family here understands, in milliseconds since boot, and its octets,
    /// which are kept while no values come.
    private(set) var unreadAt: Int64?
    private(set) var unread: HeardOctets?
    /// The time of the last opened packet, in milliseconds since boot.
    var openedAt: Int64?
    /// The sensor has reported events only. It has no interval, so a quiet time is no silence.
    var sendsEventsOnly = true
    /// The time of the last write of the replay counter, in milliseconds since boot.
    var counterKeptAt: Int64 = 0
    /// The sensor's key has opened the last packet, and has proved that the packet is whole and from the sensor.
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
        return "the sensor is heard, but its advertisements are not understood"
    }

    func recordUnread(_ octets: @autoclosure () -> AdvertisedOctets, at now: Int64) {
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
        entry.record(reading, about: fields, isSealed: isSealed)
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
