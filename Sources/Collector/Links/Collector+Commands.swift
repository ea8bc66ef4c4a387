// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Readings

/// Sensors that answer a written command. The commands follow the subscriptions, so that no answer is lost.
extension Collector {
    /// The characteristics to look for on a new link, in addition to the values.
    func wantedExtras(of sensor: LinkedSensor) -> [SensorRule.Feed] {
        wantedControlPoints(of: sensor) + sensor.rule.write.map(\.feed.plain)
    }

    /// Commands of the entry without a characteristic in this sensor, in words.
    func missingCommands(of sensor: LinkedSensor) -> [String] {
        var seen: Set<SensorRule.Feed> = []
        return sensor.rule.write.map(\.feed).filter { seen.insert($0).inserted && target($0, of: sensor) == nil }.map {
            "\($0) is not there"
        }
    }

    private func target(_ feed: SensorRule.Feed, of sensor: LinkedSensor) -> CharacteristicFeed? {
        sensor.feeds.current.first {
            $0.feed == feed.plain && (feed.instance == 0 || feed.instance == $0.instance)
        }
    }

    /// The set-up is done.
    func beginCommands(of sensor: LinkedSensor) {
        sensor.upkeep.commands.setUp()
        guard !sensor.rule.write.isEmpty else { return }
        writeCommands(to: sensor)
    }

    /// A round of the commands.
    func writeCommands(to sensor: LinkedSensor) {
        let interval = sensor.rule.writeInterval.map { DispatchTimeInterval.milliseconds(Int($0.wholeMilliseconds)) }
        defer { rearm() }
        guard sensor.link == .collecting, sensor.upkeep.commands.beginRound(at: now, every: interval) else { return }
        for command in sensor.rule.write {
            guard let feed = target(command.feed, of: sensor) else { continue }
            write(command, to: feed)
        }
    }

    private func write(_ command: SensorRule.Command, to feed: CharacteristicFeed) {
        let (sensor, peripheral) = (feed.sensor, feed.sensor.peripheral)
        let properties = feed.characteristic.properties
        guard properties.contains(.write) || properties.contains(.writeWithoutResponse) else {
            return refused(command.feed, of: sensor, "the characteristic cannot be written")
        }
        let isConfirmed = properties.contains(.write)
        let type: CBCharacteristicWriteType = isConfirmed ? .withResponse : .withoutResponse
        guard command.value.count <= peripheral.maximumWriteValueLength(for: type) else {
            return refused(command.feed, of: sensor, "the command is longer than a packet of this link")
        }
        guard isConfirmed || peripheral.canSendWriteWithoutResponse else {
            return refused(command.feed, of: sensor, "the link has no room at present")
        }
        peripheral.writeValue(Data(command.value), for: feed.characteristic, type: type)
        if isConfirmed { sensor.upkeep.commands.asked() } else { sensor.upkeep.commands.sent() }
    }

    private func refused(_ feed: SensorRule.Feed, of sensor: LinkedSensor, _ cause: String) {
        sensor.upkeep.commands.failed()
        recordCommand(of: sensor, failure: "\(feed): \(cause)")
    }

    /// The sensor has answered a command of its entry.
    func commandAnswered(_ feed: CharacteristicFeed, _ error: (any Error)?) {
        let sensor = feed.sensor
        guard sensor.upkeep.commands.answered(isRefusal: error != nil) else { return }
        guard let error else {
            if sensor.upkeep.commands.isRoundTaken { sensor.trouble.succeeded() }
            return
        }
        guard !pairsInstead(of: error, sensor) else { return }
        let place = feed.feed.map(String.init(describing:)) ?? feed.uuid
        recordCommand(of: sensor, failure: "\(place): \(describe(error))")
    }

    /// Reports a refusal if it differs from the last trouble.
    private func recordCommand(of sensor: LinkedSensor, failure: String) {
        let text = "a command cannot be written: \(failure)"
        guard sensor.trouble.failed(text) else { return }
        record(.commandRefused, of: sensor, failure)
        logger.warning("a command was refused", metadata: sensor.metadata.merging(["cause": "\(failure)"]) { $1 })
    }
}
