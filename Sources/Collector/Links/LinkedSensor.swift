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
    private(set) var peripheral: CBPeripheral
    var phase = LinkPhase()
    private(set) var setUp: SetUpMachine?
    var feeds = FeedTable()
    var record = LinkRecord()
    /// For a controller with fewer links than sensors.
    var turn = SlotTurn()
    var upkeep = LinkUpkeep()
    var pairing: SensorPairing
    var plan: CollectionPlan

    init(
        peripheral: CBPeripheral, candidate: SensorRule.Candidate, rule: SensorRule, life: SensorLife,
        pairing: SensorPairing, sensors: SensorTable
    ) {
        self.peripheral = peripheral
        self.pairing = pairing
        plan = CollectionPlan(rule)
        super.init(candidate: candidate, rule: rule, life: life, sensors: sensors)
    }

    var link: SensorStatus.Link { phase.link }
    /// When to act on the sensor's state: retry, or give up waiting.
    var deadline: DispatchTime? { phase.deadline }

    /// The sensor from before the loss of the controller: its former peripheral is invalid.
    func found(again peripheral: CBPeripheral) { self.peripheral = peripheral }

    func begin(_ machine: SetUpMachine) -> [SetUpMachine.Effect] {
        setUp = machine
        return machine.begin()
    }

    /// Runs the set-up with an input; nothing happens after its end.
    func advance(_ input: (inout SetUpMachine) -> [SetUpMachine.Effect]) -> [SetUpMachine.Effect] {
        guard var machine = setUp else { return [] }
        let effects = input(&machine)
        setUp = machine
        return effects
    }

    /// The set-up is done, or given up.
    func endSetUp() { setUp = nil }

    override var advertisedName: String? { candidate.name ?? peripheral.name }
    override var lastValue: Int64? { feeds.lastValue }
    override var hasLink: Bool { record.exists }
    /// dBm, from the present link, or else as last heard.
    var strength: Int8? { record.rssi ?? signal.rssi }
    /// The wanted interval of values, in milliseconds; nil: all values are wanted.
    var wantedInterval: Int64? { plan.wantedInterval(rule) }

    override var status: SensorStatus {
        var status = super.status
        (status.link, status.wantedMs) = (link, wantedInterval)
        (status.drops, status.reconnects, status.lastDrop) = (record.drops, record.reconnects, record.lastDrop)
        (status.missing, status.unconfirmed, status.gap) = (plan.missing, upkeep.indications.unconfirmed, plan.gap)
        if !rule.write.isEmpty { status.commands = upkeep.commands.counts }
        status.values = values(of: setUp == nil ? feeds.current : feeds.former).map { SensorStatus.Value($0) }
        return status
    }

    /// The newest values of these characteristics, in their order.
    private func values(of feeds: [CharacteristicFeed]) -> [LatestValue] {
        let values = Dictionary(entry.values.map { ($0.reading.characteristic, $0) }) { first, _ in first }
        return feeds.filter { $0.lastAt != nil }.compactMap { values[$0.uuid] }
    }

    override var metadata: Logger.Metadata {
        var metadata = super.metadata
        metadata["peer"] = "\(peripheral.address)"
        if let number = record.number { metadata["link"] = "\(number)" }
        return metadata
    }
}
