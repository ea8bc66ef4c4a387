// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Health
import Logging
import Platform
import Readings
import SensorCipher

/// Looks at listened sensors in rounds, and what happens to them at the start, at a change of the rules and at the end.
extension Collector {
    /// Looks at each sensor that sends values by itself.
    func lookAtListened() {
        for sensor in listened.values where sensor.life.isProven && !sensor.sendsEventsOnly {
            // This counter came just after the last write.
            keepCounter(of: sensor, at: uptime, isEvent: false)
            look(at: sensor)
        }
        lookAtUnheard()
        lookAtClaims()
    }

    /// If no sensor is heard, and other devices are, the scan may be the reason.
    private func lookAtUnheard() {
        let sensors = listened.values.filter { $0.life.isProven && !$0.sendsEventsOnly }
        let now = uptime
        let heard = controller.health.lastAdvertMs.map { now.subtractingSaturated($0) < UnheardWatch.proof } ?? false
        let verdict = rounds.unheard.look(
            at: now,
            sensors.compactMap { sensor in
                [sensor.signal.heardAt, sensor.unread.at].compactMap { $0 }.max()
                    .map { UnheardWatch.Sensor(last: $0, usual: sensor.readings.usualMs) }
            }, hearsOthers: heard, limits: limits.silence)
        switch verdict {
        case .renew:
            let what =
                sensors.count == 1
                ? "the only advertising sensor is not heard"
                : "none of \(sensors.count) advertising sensors is heard"
            controller.renewScan(because: what + ", and others are")
        case .helped(let time): controller.scanHelped(after: .milliseconds(time))
        case nil: break
        }
    }

    /// The journal was opened late. Its counters hold from now on.
    func resumeCounters() {
        returnPlaces()
        for sensor in listened.values {
            resumeCounter(of: sensor)
            judgeEarly(of: sensor)
            if sensor.life.isAnnounced { keepAnnounced(sensor) }
        }
    }

    /// Called before the collector stops.
    func stopListening() {
        radio.stopListening()
        for sensor in listened.values {
            refuseEarly(of: sensor)
            if knowsEarlierRuns { writeCounter(of: sensor) }
            announce(sensor, isOnline: false)
        }
        if isStopping { keepEvents(isEnd: true, of: Array(listened.values)) }
        places.removeAll()
    }

    /// The rules have changed: lets sensors go that no rule accepts any more.
    func applyToListened() {
        // A device makes its claim again if a rule still allows it.
        places.dropClaims()
        for (address, sensor) in listened {
            var candidate = sensor.candidate
            candidate.rssi = nil
            guard let rule = rules.first(where: { $0.accepts(candidate) }), rule.namesNothing else {
                letGo(sensor, at: address, because: "no entry accepts the sensor any more")
                continue
            }
            guard rule != sensor.rule else { continue }
            if rule.id != sensor.rule.id { announce(sensor, isOnline: false) }
            if rule.bindKey != sensor.rule.bindKey {
                sensor.key.change(to: rule.bindKey)
                sensor.trouble.settle()
                sensor.packets.forgetCounter()
                refuseEarly(of: sensor)
            }
            sensor.follow(rule)
            sensor.rename()
            record(.ruleChanged, of: sensor)
            if sensor.life.isAnnounced { describe(sensor) }
        }
        listenAsNeeded()
    }
}
