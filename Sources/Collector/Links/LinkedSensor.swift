// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// A sensor whose values come on a link: notified, indicated or read.
final class LinkedSensor: SensorSource {
    var peripheral: CBPeripheral
    var link: SensorStatus.Link = .unavailable
    /// When to act on the sensor's state: retry, or give up waiting.
    var deadline: DispatchTime?
    /// The sensor has a private address, and no bond identifies the sensor.
    var isStranger: Bool
    /// Candidates in their order of arrival.
    let order: UInt64
    private let acceptedAt: Int64

    var setUp: SetUpMachine?
    var feeds = FeedTable()
    /// Requested characteristics that the sensor lacks.
    var missing: [String] = []
    /// Points in which its attribute server departs from the specification, as sentences.
    var peculiarities: [String] = []

    var record = LinkRecord()
    var use = LinkUse()
    /// For a controller with fewer links than sensors.
    var turn = SlotTurn()
    /// The remedies for its silence.
    var quiet = QuietLink()
    var indications = IndicationHold()
    var pairing: SensorPairing

    /// The time of the next read; nil if the rule has no polls.
    var polls: PollSchedule?
    /// The question for its maker and model.
    var quest = InformationQuest()
    /// Asks for stored records, if the sensor stores records.
    var records: RecordAccess?
    /// Follows the sensor's own numbers, if the rule names them.
    var sequence: SensorSequences?

    init(
        peripheral: CBPeripheral, candidate: SensorRule.Candidate, rule: SensorRule, isProven: Bool, order: UInt64,
        began: Int64, pairing: SensorPairing, sensors: SensorTable
    ) {
        acceptedAt = began
        self.pairing = pairing
        isStranger = peripheral.hasPrivateAddress
        self.order = order
        self.peripheral = peripheral
        sequence = rule.sequence.map { SensorSequences(octets: $0.length) }
        polls = PollSchedule(rule)
        super.init(candidate: candidate, rule: rule, isProven: isProven, sensors: sensors)
    }

    override var advertisedName: String? { candidate.name ?? peripheral.name }
    override var lastValue: Int64? { feeds.lastValue }
    override var began: Int64? { acceptedAt }
    override var hasLink: Bool { record.exists }
    /// dBm, from the present link, or else as last heard.
    var strength: Int8? { record.rssi ?? rssi }
    /// The wanted interval of values, in milliseconds; nil: all values are wanted.
    var wantedInterval: Int64? {
        rule.valueInterval?.wholeMilliseconds ?? (rule.subscribe.isEmpty ? polls?.interval : nil)
    }

    override var status: SensorStatus {
        var status = super.status
        (status.link, status.wantedMs) = (link, wantedInterval)
        (status.drops, status.reconnects, status.lastDrop) = (record.drops, record.reconnects, record.lastDrop)
        (status.missing, status.unconfirmed, status.gap) = (missing, indications.unconfirmed, sequence?.missing)
        status.values = values(of: setUp == nil ? feeds.current : feeds.former).map { SensorStatus.Value($0) }
        return status
    }

    /// The newest values of these characteristics, in their order.
    private func values(of feeds: [CharacteristicFeed]) -> [LatestValue] {
        let values = Dictionary(values.map { ($0.reading.characteristic, $0) }) { first, _ in first }
        return feeds.filter { $0.lastAt != nil }.compactMap { values[$0.uuid] }
    }

    override var metadata: Logger.Metadata {
        var metadata = super.metadata
        metadata["peer"] = "\(peripheral.address)"
        if let number = record.number { metadata["link"] = "\(number)" }
        return metadata
    }
}
