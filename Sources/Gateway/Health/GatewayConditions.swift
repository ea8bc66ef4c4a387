// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Health
import Platform
import Publisher
import Readings

/// The conditions that the parts of a gateway report in its status. This is the one place that finds problems; delays, causes and
/// texts are the account's.
package enum GatewayConditions {
    static func of(_ status: GatewayStatus, on installation: Installation = .package) -> [Condition] {
        radio(status.controller) + quiet(status) + disk(status) + namesake(status) + broker(status) + rest(status)
            + (status.system.map { machine($0, at: status.time?.unixMs.map { $0 / 1_000 }) } ?? [])
            + limits(status) + status.collector.sensors.flatMap(conditions)
            + (status.collector.isEarly == true
                ? [] : status.collector.awaited.map { condition(of: $0, on: installation) })
    }

    // MARK: Radio, disk, broker

    private static func radio(_ controller: GatewayStatus.Controller) -> [Condition] {
        var found: [Condition] = []
        if controller.state != "powered on" { found.append(Condition(.radioDown, "", ["state": controller.summary])) }
        guard let health = controller.health else { return found }
        if let trouble = health.trouble {
            let step = health.events.last { $0.outcome != .cured }.flatMap(\.phrase)
            found.append(
                Condition(
                    .radioTrouble, "", ["trouble": trouble], variant: step == nil ? nil : .step,
                    parts: step.map { [$0] } ?? []))
        }
        let reasons = (health.refusals ?? []).map(\.reason)
        if !reasons.isEmpty {
            let scans = health.refusals?.contains { $0.use == .scan } ?? false
            found.append(
                Condition(
                    .radioRefuses, "", ["refusal": reasons.joined(separator: "; ")],
                    parts: scans ? [ProblemPhrase(.linksOnly)] : []))
        }
        return found
    }

    /// A working radio has an effect: the radio hears devices. A radio that hears none leaves the states of sensors unknown.
    private static func quiet(_ status: GatewayStatus) -> [Condition] {
        guard status.controller.state == "powered on", let proofs = status.proofs else { return [] }
        if let age = status.collector.unheardMs {
            // Values that came on links since then.
            let isLinked = proofs.heardAgeMs.map { $0 < age.subtractingSaturated(EffectLimit.slack) } ?? false
            return [
                Condition(
                    .radioSilent, "", ["time": SpokenTime.of(age)], variant: isLinked ? .scan : nil, ageMs: age)
            ]
        }
        guard status.collector.scanning else { return [] }
        let age = proofs.heardAgeMs ?? min(max(0, Int64(clamping: status.uptimeS)), 1 << 40) * 1_000
        guard age > EffectLimit.hearing else { return [] }
        return [Condition(.radioSilent, "", ["time": SpokenTime.of(age)], ageMs: age)]
    }

    private static func disk(_ status: GatewayStatus) -> [Condition] {
        var found: [Condition] = []
        let room = room(of: status)
        if let problem = status.journal.problem, status.journal.isFull == true {
            found.append(Condition(.diskFull, "", ["error": problem]))
        } else if let room, room.freeBytes < DiskRoom.none {
            // The journal does not know before it writes.
            found.append(Condition(.diskFull, "", ["total": "\(room.totalBytes >> 20) MiB"], variant: .free))
        } else if let problem = status.journal.problem {
            found.append(Condition(.diskFails, "", ["error": problem]))
        } else if let age = status.proofs?.unwrittenMs, age > EffectLimit.write {
            let arguments = ["waiting": "\(status.journal.waiting)", "time": SpokenTime.of(age)]
            found.append(Condition(.diskFails, "", arguments, variant: .stuck, ageMs: age))
        }
        if let notice = status.journal.notice {
            found.append(Condition(.diskLow, "", ["notice": notice]))
        } else if let room, room.freeBytes < DiskRoom.little {
            found.append(
                Condition(
                    .diskLow, "", ["free": "\(room.freeBytes >> 20)", "total": "\(room.totalBytes >> 20)"],
                    variant: .free))
        }
        return found
    }

    /// Nil for a disk whose size is not known.
    private static func room(of status: GatewayStatus) -> SystemStatus.Disk? {
        status.system?.disk.flatMap { $0.totalBytes > 0 ? $0 : nil }
    }

    private static func namesake(_ status: GatewayStatus) -> [Condition] {
        status.mqtt.namesake == true ? [Condition(.nameTaken, "", ["gateway": status.gateway])] : []
    }

    private static func broker(_ status: GatewayStatus) -> [Condition] {
        let mqtt = status.mqtt
        guard mqtt.connected else {
            // A disk that takes nothing keeps nothing.
            let isKept = status.journal.problem == nil && room(of: status)?.freeBytes ?? .max >= DiskRoom.none
            guard let reason = mqtt.lastError else {
                return [
                    Condition(
                        .brokerUnreachable, "", ["broker": mqtt.broker], variant: isKept ? .earlyKept : .early)
                ]
            }
            let named = reason.contains(mqtt.broker) ? reason : "\(mqtt.broker): \(reason)"
            return [Condition(.brokerUnreachable, "", ["reason": named], variant: isKept ? .kept : nil)]
        }
        var found: [Condition] = []
        if let refused = mqtt.refusedSensors {
            let sensors =
                refused == 1 ? ProblemPhrase(.sensor) : ProblemPhrase(.sensors, ["count": "\(refused)"])
            found.append(
                Condition(
                    .brokerRefusesReadings, "", mqtt.lastError.map { ["reason": $0] } ?? [:],
                    variant: mqtt.lastError == nil ? nil : .reason, parts: [sensors]))
        } else if let error = mqtt.lastError {
            found.append(Condition(.brokerComplains, "", ["reason": error]))
        }
        if mqtt.historyMode == HistoryMode.paused.rawValue, status.journal.buffered > 0 {
            let waiting = status.journal.buffered
            found.append(
                Condition(.historyPaused, "", ["waiting": "\(waiting)"], variant: waiting == 1 ? .single : nil))
        }
        if let age = status.proofs?.unacknowledgedMs, age > EffectLimit.acknowledgement {
            found.append(
                Condition(
                    .notAcknowledged, "",
                    [
                        "waiting": "\(status.journal.buffered &+ status.journal.waiting)",
                        "time": SpokenTime.of(age),
                    ], ageMs: age))
        }
        return found
    }

    private static func rest(_ status: GatewayStatus) -> [Condition] {
        var found = (status.late ?? []).map { Condition(.partLate, $0, ["part": $0]) }
        if status.clock == "unsynced" { found.append(Condition(.clockUnknown)) }
        if let former = status.copiedFrom {
            found.append(Condition(.gatewayCopied, "", ["former": former, "gateway": status.gateway]))
        }
        found += (status.configurationProblems ?? []).map { Condition(.configuration, $0, ["what": $0]) }
        found += status.bondProblems.map { Condition(.bonds, $0, ["what": $0]) }
        return found
    }

    // MARK: Sensors

    private static func conditions(of sensor: SensorStatus) -> [Condition] {
        var found: [Condition] = []
        if let trouble = sensor.trouble {
            found.append(Condition(.sensorTrouble, sensor.id, ["cause": trouble]))
        } else if sensor.link == .collecting {
            if !sensor.missing.isEmpty {
                found.append(
                    Condition(.sensorLacks, sensor.id, ["missing": sensor.missing.joined(separator: "; ")]))
            }
        } else if let failure = sensor.lastFailure, sensor.health != .elsewhere {
            found.append(Condition(.sensorFails, sensor.id, ["cause": failure]))
        }
        switch sensor.health {
        case .silent:
            let time = sensor.usualMs.map { ["time": SpokenTime.of($0)] }
            found.append(
                Condition(
                    .sensorSilent, sensor.id, time ?? [:], variant: time == nil ? nil : .usually,
                    ageMs: sensor.healthAgeMs))
        case .notUnderstood:
            found.append(Condition(.sensorNotUnderstood, sensor.id, [:], ageMs: sensor.healthAgeMs))
        case .neverHeard: found.append(Condition(.sensorNeverHeard, sensor.id, ageMs: sensor.healthAgeMs))
        case .fresh, .late, .elsewhere, .unknown, .off: break
        }
        if let level = sensor.lowBattery { found.append(Condition(.sensorBatteryLow, sensor.id, ["level": level])) }
        return found
    }

    private static func condition(of awaited: AwaitedSensor, on installation: Installation) -> Condition {
        guard awaited.refused == nil else {
            return Condition(
                .sensorAwaited, awaited.entry,
                ["state": awaited.state, "advice": awaited.refusalAdvice(on: installation) ?? ""])
        }
        guard awaited.nearest.isEmpty else {
            return Condition(
                .sensorAwaited, awaited.entry, ["wants": awaited.wants], variant: .nearest,
                parts: awaited.nearest.map(hint))
        }
        return Condition(
            .sensorAwaited, awaited.entry, ["wants": awaited.wants], variant: .unheard,
            parts: awaited.mayBeElsewhere == true ? [ProblemPhrase(.elsewhere)] : [])
    }

    private static func hint(_ heard: AwaitedSensor.Heard) -> ProblemPhrase {
        let signs = [heard.address, heard.rssi.map { "\($0) dBm" }].compactMap { $0 }.joined(separator: ", ")
        guard let name = heard.name else {
            let phrase: ProblemPhrase.Name =
                switch (heard.likeness == .service, heard.connectable) {
                case (false, true): .unnamed
                case (true, true): .unnamedService
                case (false, false): .unnamedClosed
                case (true, false): .unnamedServiceClosed
                }
            return ProblemPhrase(phrase, ["signs": signs])
        }
        let phrase: ProblemPhrase.Name =
            switch (heard.likeness == .service, heard.connectable) {
            case (false, true): .named
            case (true, true): .namedService
            case (false, false): .namedClosed
            case (true, false): .namedServiceClosed
            }
        return ProblemPhrase(phrase, ["name": name, "signs": signs])
    }
}

/// A part that did not answer in time.
enum LatePart: String, CaseIterable {
    case controller, collector, journal

    var sentence: String { "the \(rawValue) does not answer: its last known state is shown" }
}

/// For how long an effect may be missing, in milliseconds.
package enum EffectLimit {
    /// Messages are at the broker, and it acknowledges none.
    package static let acknowledgement: Int64 = 60_000
    /// Readings wait for the disk. The longest pause between two writes is 10 s.
    package static let write: Int64 = 60_000
    /// Counts are some seconds old when somebody looks at them.
    static let slack: Int64 = 10_000
    /// The gateway listens, and hears nobody.
    package static let hearing: Int64 = 600_000
}

/// How much room a disk should have, in octets.
package enum DiskRoom {
    package static let little: UInt64 = 200 << 20
    package static let tooLittle: UInt64 = 20 << 20
    /// Less than this is a full disk.
    package static let none: UInt64 = 1 << 20
}

extension RadioHealth.Event {
    /// The step that was done, or the reason for not doing it; nil without a step.
    fileprivate var phrase: ProblemPhrase? {
        step.map { step in
            outcome == .failed
                ? ProblemPhrase(.stepFailed, ["step": step.rawValue, "reason": reason]) : ProblemPhrase(step.phrase)
        }
    }
}

extension RecoveryStep {
    /// The effect of the step, in words.
    package var done: String { phrase.english }

    fileprivate var phrase: ProblemPhrase.Name {
        switch self {
        case .scan: .stepScan
        case .reset: .stepReset
        case .reopen: .stepReopen
        case .power: .stepPower
        case .rebind: .stepRebind
        case .process: .stepProcess
        case .reboot: .stepReboot
        }
    }
}
