// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Logging
import Readings

/// Changing the rules of a running collector.
extension Collector {
    /// The collector lets a sensor go if no rule accepts it any more. A sensor with a changed rule is set up again on
    /// its link. All other sensors run on untouched.
    ///
    /// `readsInformation` holds from the next link on.
    package func apply(
        _ rules: [SensorRule], security: SensorSecurity = .init(), readsInformation: Bool = false
    ) {
        queue.async { [self] in
            guard !isStopping else { return }
            settings = CollectorSettings(rules, security, readsInformation: readsInformation, on: installation)
            outlet.sensors.expect(settings.facts)
            let rules = settings.rules
            defer { applyPolicy() }
            var takenBySingle: Set<String> = []
            for sensor in linked.values.sorted(by: { $0.device < $1.device }) {
                // A rule keeps its sensors, although it may have matched them by data that only advertisements show.
                let rule =
                    rules.first { $0.key == sensor.rule.key }
                    ?? rules.first { $0.accepts(sensor.candidate) && !($0.isSingle && takenBySingle.contains($0.key)) }
                guard var rule else {
                    remove(sensor)
                    continue
                }
                rule.keepFill(of: sensor.rule)
                if rule.isSingle { takenBySingle.insert(rule.key) }
                var paced = sensor.rule
                (paced.pacing, paced.silentAfter, paced.facts) = (rule.pacing, rule.silentAfter, rule.facts)
                paced.limits = rule.limits
                if rule != paced {
                    change(sensor, to: rule)
                } else if rule != sensor.rule {
                    // The sensor itself would not notice this change.
                    sensor.follow(rule)
                    describe(sensor)
                }
            }
            applyToListened()
            forgetDeparted()
            scan.interrupt()
            if let manager, manager.state == .poweredOn {
                manager.stopScan()
                controllerIsReady(isStart: false)
            }
        }
    }

    func remove(_ sensor: LinkedSensor, because reason: String = "no entry accepts the sensor any more") {
        logger.info("sensor let go", metadata: sensor.metadata.merging(["cause": "\(reason)"]) { $1 })
        record(.removed, of: sensor, reason)
        sensor.record.willEnd(because: reason)
        announce(sensor, isOnline: false)
        sensor.feeds.setUpBegins()
        dropFormerFeeds(of: sensor)
        sensor.endSetUp()
        sensor.upkeep.sensorRemoved()
        forgetPairing(sensor)
        forgetUnprovenBond(of: sensor)
        sensor.pairing.fail("\(sensor.device): \(reason)")
        sensor.phase.settle()
        sensor.life.remove()
        if sensor.peripheral.state == .disconnected {
            forget(sensor)
        } else {
            sensor.phase.disconnecting(until: nil)
            manager?.cancelPeripheralConnection(sensor.peripheral)
        }
    }

    /// Only the sensor's history remains.
    func forget(_ sensor: LinkedSensor) {
        announce(sensor, isOnline: false)
        linked[sensor.candidate.identifier] = nil
        keepHistory(of: sensor)
    }

    func change(_ sensor: LinkedSensor, to rule: SensorRule) {
        let wanted = Set(rule.subscribe)
        announce(sensor, isOnline: false)
        for feed in sensor.feeds.current where feed.characteristic.isNotifying {
            if let known = feed.feed, !wanted.contains(known) {
                sensor.peripheral.setNotifyValue(false, for: feed.characteristic)
            }
        }
        sensor.plan.change(from: sensor.rule, to: rule)
        sensor.follow(rule)
        sensor.rename()
        record(.ruleChanged, of: sensor)
        logger.info("rule changed", metadata: sensor.metadata)
        applyPolicy()
        switch sensor.link {
        case .collecting, .settingUp: beginSetUp(sensor)
        case .resting: connect(sensor, step: "rule changed")
        case .elsewhere: connect(sensor, step: "rule changed")
        case .queued: shareSlots()
        case .connecting, .waiting, .disconnecting, .unavailable, .listening: break
        }
    }
}
