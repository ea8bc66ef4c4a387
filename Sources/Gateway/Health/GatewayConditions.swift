// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Health
import Platform
import Publisher
import Readings

/// The conditions that the parts of a gateway report in its status. This is the one place that finds problems; delays, causes and
/// texts are the account's.
enum GatewayConditions {
    static func of(_ status: GatewayStatus, on installation: Installation = .package) -> [Condition] {
        radio(status.controller) + quiet(status) + disk(status) + namesake(status) + broker(status) + rest(status)
            + limits(status) + status.collector.sensors.flatMap(conditions)
            + status.collector.awaited.map { condition(of: $0, on: installation) }
    }

    // MARK: Radio, disk, broker

    private static func radio(_ controller: GatewayStatus.Controller) -> [Condition] {
        var found: [Condition] = []
        if controller.state != "powered on" { found.append(Condition(.radioDown, "", ["state": controller.summary])) }
        guard let health = controller.health else { return found }
        if let trouble = health.trouble {
            let step = health.events.last { $0.outcome != .cured }.flatMap(\.done)
            found.append(Condition(.radioTrouble, "", ["trouble": trouble + (step.map { "; \($0)" } ?? "")]))
        }
        let reasons = (health.refusals ?? []).map(\.reason)
        if !reasons.isEmpty {
            let scans = health.refusals?.contains { $0.use == .scan } ?? false
            found.append(
                Condition(
                    .radioRefuses, "",
                    [
                        "refusal": reasons.joined(separator: "; "),
                        "consequence": scans
                            ? "; sensors whose entries have addresses are connected to all the same" : "",
                    ]))
        }
        return found
    }

    /// A working radio has an effect: the radio hears devices.
    private static func quiet(_ status: GatewayStatus) -> [Condition] {
        guard status.controller.state == "powered on", status.collector.scanning, let proofs = status.proofs else {
            return []
        }
        let age = proofs.heardAgeMs ?? min(max(0, Int64(clamping: status.uptimeS)), 1 << 40) * 1_000
        guard age > EffectLimit.hearing else { return [] }
        return [Condition(.radioSilent, "", ["time": SpokenTime.of(age)])]
    }

    private static func disk(_ status: GatewayStatus) -> [Condition] {
        var found: [Condition] = []
        if let problem = status.journal.problem {
            let code: ProblemCode = status.journal.isFull == true ? .diskFull : .diskFails
            found.append(Condition(code, "", ["error": problem]))
        } else if let age = status.proofs?.unwrittenMs, age > EffectLimit.write {
            let time = SpokenTime.of(age)
            let error = "\(status.journal.waiting) readings wait for the disk, which has taken none for \(time)"
            found.append(Condition(.diskFails, "", ["error": error]))
        }
        if let notice = status.journal.notice {
            found.append(Condition(.diskLow, "", ["free": notice]))
        } else if let disk = status.system?.disk, disk.totalBytes > 0, disk.freeBytes < DiskRoom.little {
            found.append(
                Condition(.diskLow, "", ["free": "\(disk.freeBytes >> 20) MiB free of \(disk.totalBytes >> 20)"]))
        }
        return found
    }

    private static func namesake(_ status: GatewayStatus) -> [Condition] {
        status.mqtt.namesake == true ? [Condition(.nameTaken, "", ["gateway": status.gateway])] : []
    }

    private static func broker(_ status: GatewayStatus) -> [Condition] {
        let mqtt = status.mqtt
        guard mqtt.connected else {
            let reason = mqtt.lastError ?? "not connected yet"
            return [
                Condition(
                    .brokerUnreachable, "",
                    [
                        "reason": reason.contains(mqtt.broker) ? reason : "\(mqtt.broker): \(reason)",
                        // A disk that takes nothing keeps nothing.
                        "meanwhile": status.journal.problem == nil ? "Readings wait in the journal meanwhile." : "",
                    ])
            ]
        }
        var found: [Condition] = []
        if let refused = mqtt.refusedSensors {
            let sensors = refused == 1 ? "one sensor" : "\(refused) sensors"
            found.append(
                Condition(
                    .brokerRefusesReadings, "",
                    [
                        "reason": "readings of \(sensors) are not taken" + (mqtt.lastError.map { ": \($0)" } ?? "")
                    ]))
        } else if let error = mqtt.lastError {
            found.append(Condition(.brokerComplains, "", ["reason": error]))
        }
        if let age = status.proofs?.unacknowledgedMs, age > EffectLimit.acknowledgement {
            found.append(
                Condition(
                    .notAcknowledged, "",
                    [
                        "waiting": "\(status.journal.buffered &+ status.journal.waiting)",
                        "time": SpokenTime.of(age),
                    ]))
        }
        return found
    }

    private static func rest(_ status: GatewayStatus) -> [Condition] {
        var found = (status.late ?? []).map { Condition(.partLate, $0, ["part": $0]) }
        if status.clock == "unsynced" { found.append(Condition(.clockUnknown)) }
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
            let usually = sensor.usualMs.map { ", though one usually comes every \(SpokenTime.of($0))" } ?? ""
            found.append(Condition(.sensorSilent, sensor.id, ["usually": usually]))
        case .notUnderstood: found.append(Condition(.sensorNotUnderstood, sensor.id))
        case .neverHeard: found.append(Condition(.sensorNeverHeard, sensor.id))
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
        let state = "not seen yet; its entry asks for \(awaited.wants)"
        guard awaited.nearest.isEmpty else {
            let hints = awaited.nearest.map(hint).joined(separator: ", ")
            return Condition(.sensorAwaited, awaited.entry, ["state": state, "advice": "In the air: \(hints)"])
        }
        let other = awaited.mayBeElsewhere == true ? ", or has another gateway a link with it" : ""
        return Condition(
            .sensorAwaited, awaited.entry,
            ["state": state, "advice": "Nothing like it was heard lately: is it switched on and near\(other)?"])
    }

    private static func hint(_ heard: AwaitedSensor.Heard) -> String {
        let facts: [String?] = [
            heard.address, heard.rssi.map { "\($0) dBm" },
            heard.likeness == .service ? "has the service" : nil,
            heard.connectable ? nil : "does not let itself be connected to",
        ]
        let name = heard.name.map { "\"\($0)\"" } ?? "a device without a name"
        return "\(name) (\(facts.compactMap { $0 }.joined(separator: ", ")))"
    }
}

/// For how long an effect may be missing, in milliseconds.
package enum EffectLimit {
    /// Messages are at the broker, and it acknowledges none.
    package static let acknowledgement: Int64 = 60_000
    /// Readings wait for the disk. The longest pause between two writes is 10 s.
    package static let write: Int64 = 60_000
    /// The gateway listens, and hears nobody.
    package static let hearing: Int64 = 600_000
}

/// How much room a disk should have, in octets.
package enum DiskRoom {
    package static let little: UInt64 = 200 << 20
    package static let tooLittle: UInt64 = 20 << 20
}

extension RadioHealth.Event {
    /// The step that was done, or the reason for not doing it; nil without a step.
    fileprivate var done: String? {
        guard outcome == .failed else { return step?.done }
        return step.map { "\($0.rawValue) could not be done: \(reason)" }
    }
}

extension RecoveryStep {
    /// The effect of the step, in words.
    package var done: String {
        switch self {
        case .scan: "the scan was started again"
        case .reset: "the controller was reset"
        case .reopen: "the controller was closed and opened"
        case .power: "the adapter's power was cycled"
        case .rebind: "the adapter was taken from its driver and given back"
        case .process: "the gateway was started again"
        case .reboot: "the machine was started again"
        }
    }
}
