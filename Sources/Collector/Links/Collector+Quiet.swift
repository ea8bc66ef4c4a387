// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Platform
import Readings

extension Collector {
    /// Sensors forget subscriptions, by a restart without the loss of the link or by a firmware fault.
    func checkSubscriptions(of sensor: LinkedSensor) {
        let subscribed = sensor.feeds.current.filter { $0.characteristic.isNotifying }
        guard sensor.link == .collecting, sensor.upkeep.quiet.isFine, !sensor.pairing.isUnderway, !subscribed.isEmpty
        else { return }
        sensor.upkeep.quiet.checkBegins()
        for feed in subscribed { sensor.peripheral.discoverDescriptors(for: feed.characteristic) }
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        // With several feeds, the first answer may already be here.
        guard let sensor = linked[peripheral.identifier], !sensor.upkeep.quiet.isFine else { return }
        let type = CBUUID(string: CBUUIDClientCharacteristicConfigurationString)
        guard error == nil, let descriptor = characteristic.descriptors?.first(where: { $0.uuid == type }) else {
            // The sensor has nothing to read. A new link may help.
            sensor.upkeep.quiet.checked()
            return
        }
        peripheral.readValue(for: descriptor)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {
        guard let sensor = linked[peripheral.identifier], !sensor.upkeep.quiet.isFine else { return }
        sensor.upkeep.quiet.checked()
        guard error == nil, sensor.link == .collecting, let characteristic = descriptor.characteristic,
            feeds[ObjectIdentifier(characteristic)]?.sensor === sensor,
            (descriptor.value as? NSNumber)?.uint16Value == 0
        else { return }
        let name = characteristic.uuid.uuidString.lowercased()
        record(.subscriptionLost, of: sensor, name)
        logger.warning(
            "the sensor has lost a subscription; the gateway subscribes again",
            metadata: sensor.metadata.merging(["characteristic": "\(name)"]) { $1 })
        peripheral.setNotifyValue(false, for: characteristic)
        peripheral.setNotifyValue(true, for: characteristic)
    }

    /// The subscriptions are in place, and the sensor is still silent: the collector renews the link now and then.
    func renewIfQuiet(_ sensor: LinkedSensor) {
        let now = uptime
        guard sensor.link == .collecting, !sensor.pairing.isUnderway, sensor.pairing.dialogue == nil,
            let usual = sensor.readings.usualMs, let since = sensor.readings.silentSince
        else { return }
        let limit = limits.silence.limit(usual: usual)
        guard let lasted = sensor.upkeep.takeRenewal(silentSince: since, limit: limit, at: now) else { return }
        let reason = "no value in \(lasted / 1_000) s on a standing link"
        recordDrop(sensor, reason: reason)
        sensor.record.willEnd(because: reason)
        logger.warning(
            "a quiet link is made anew", metadata: sensor.metadata.merging(["silent.for_ms": "\(lasted)"]) { $1 })
        dropLink(sensor)
    }

    // MARK: The radio

    /// Repairs of the radio belong to the history of each sensor that depends on the radio.
    func recordRadio() {
        let events = controller.health.events
        guard let newest = events.last?.number, let known = rounds.takeRadioEvents(upTo: newest) else { return }
        let sensors: [SensorSource] = linked.values.filter(\.life.isProven) + Array(listened.values)
        for event in events where event.number > known {
            let step = event.step?.rawValue
            let kind: SensorEvent.Kind =
                switch event.outcome {
                case .taken: .radioStep
                case .failed: .radioStepFailed
                case .cured: .radioBack
                }
            let detail = kind == .radioBack ? step : (step.map { "\($0): " } ?? "") + event.reason
            for sensor in sensors {
                record(kind, of: sensor, detail) {
                    $0.unixMs = $0.unixMs?.subtractingSaturated($0.uptimeMs.subtractingSaturated(event.uptimeMs))
                    $0.uptimeMs = event.uptimeMs
                    $0.lastedMs = event.lastedMs
                }
            }
        }
    }
}
