// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Logging
import Readings

/// A sensor with its values in advertisements, without a connection.
final class ListenedSensor: SensorSource {
    /// The family that decodes the sensor's advertisements; the last of several families.
    private(set) var family: SensorFamily
    var key: SensorKey
    var packets = PacketMachine()
    /// The packets from the time before the journal was open.
    var early = EarlyPackets()
    /// Whether the sensor has proved that its place is its own.
    var place = PlaceHold()
    /// Whether another device claims to be this sensor.
    var contest = PlaceContest()
    var counter = CounterKeeping()
    var refused = RefusedPackets()
    var unread = UnreadAdvertisements()
    /// The sensor has reported events only. It has no interval, so a quiet time is no silence.
    private(set) var sendsEventsOnly = true

    init(candidate: SensorRule.Candidate, rule: SensorRule, family: SensorFamily, sensors: SensorTable) {
        self.family = family
        key = SensorKey(rule.bindKey)
        super.init(candidate: candidate, rule: rule, life: SensorLife(), sensors: sensors)
    }

    /// A packet was understood by this family.
    func decoded(by family: SensorFamily) { self.family = family }

    /// The sensor has sent more than events.
    func sentValue() { sendsEventsOnly = false }

    /// The troubles that an operator has to act on, the worst first.
    var complaint: String? { trouble.text ?? counter.trouble ?? contest.text ?? unreadTrouble }

    private var unreadTrouble: String? {
        guard lastValue != nil, standing.state == .notUnderstood else { return nil }
        return "the sensor is heard, but its advertisements are not understood"
    }

    /// When something came last that brought no value, in milliseconds since boot; nil where all was read.
    var unreadableAt: Int64? {
        unread.lastAt(heardAt: signal.heardAt, hasValue: lastValue != nil, hasTrouble: trouble.text != nil)
    }

    func show(_ reading: Reading, about fields: [Field]?) {
        entry.record(reading, about: fields, isSealed: key.isSealing)
        unread.valueCame()
    }

    override var status: SensorStatus {
        var status = super.status
        status.link = .listening
        status.family = family.family
        status.trouble = complaint
        status.claimedBy = contest.claimant
        status.counterBack = counter.trouble == nil ? nil : true
        (status.repeats, status.refused) = (refused.repeats, refused.named)
        status.gap = packets.isNumbered ? packets.missing : nil
        status.values = entry.values.map { SensorStatus.Value($0) }
        return status
    }
}
