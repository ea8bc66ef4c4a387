// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Logging

/// Candidates: devices that a rule accepted, and that have not worked yet. An advertisement is only a claim, so
/// candidates are bounded and make room for newer candidates. The journal does not keep them, and they end neither a
/// scan nor a rule.
extension Collector {
    /// Sensors that work now, or have worked before.
    var provenSensors: Int { linked.values.count { $0.life.isProven } }

    /// Whether a rule may have a further candidate. Evicts the least promising candidate if necessary.
    func makeRoomForCandidate(of rule: SensorRule) -> Bool {
        let candidates = linked.values.filter { $0.life.isCandidate && $0.rule.key == rule.key }
        guard candidates.count >= CandidateBound.maximum else { return true }
        let standings = candidates.map {
            CandidateBound.Standing(
                hasAnswered: $0.record.hasAnswered, isMute: $0.record.isMute, isLinked: $0.link == .settingUp,
                order: $0.life.order)
        }
        if crowd.evict(at: now) { warnOfCandidates(rule) }
        guard let index = CandidateBound.leastPromising(standings) else { return false }
        let evicted = candidates[index]
        logger.debug("candidate let go", metadata: evicted.metadata)
        evicted.phase.settle()
        linked[evicted.candidate.identifier] = nil
        forgetUnprovenBond(of: evicted)
        manager?.cancelPeripheralConnection(evicted.peripheral)
        // Scans coalesce sightings: only a new scan reports an evicted sensor again.
        scan.renewSoon(at: now)
        rearm()
        return true
    }

    /// The candidate works, and is a sensor from now on. False if there are too many sensors.
    func prove(_ sensor: LinkedSensor) -> Bool {
        guard !sensor.life.isProven else { return true }
        guard provenSensors < Self.maximumSensors else {
            warnOfMaximum()
            return false
        }
        sensor.life.prove()
        keep(sensor)
        keepEvents(of: sensor)
        if sensor.rule.isSingle {
            for other in Array(linked.values) where other !== sensor && other.rule.key == sensor.rule.key {
                if let rule = rules.first(where: { $0.accepts(other.candidate) && canMatchMore($0) }) {
                    change(other, to: rule)
                } else {
                    remove(other)
                }
            }
        }
        scanIfNeeded()
        return true
    }

    /// Bonds are few, and strangers would take them all. A bond without an operator and without a value goes with its
    /// candidate.
    func forgetUnprovenBond(of sensor: LinkedSensor) {
        guard let bond = sensor.pairing.unprovenBond else { return }
        proveBond(of: sensor)
        logger.info("bond without a value forgotten", metadata: sensor.metadata)
        controller.removeBond(withIdentifier: bond)
    }

    /// Called for each new bond of a sensor.
    func recordBond(_ bond: CBBond, of sensor: LinkedSensor) {
        if sensor.pairing.dialogue == nil {
            sensor.pairing.bondedUnasked(bond.identifier)
            keepUnprovenBond(of: sensor)
        } else {
            proveBond(of: sensor)
            forgetUnpaired(sensor)
        }
    }

    func warnOfMaximum() {
        guard crowd.mayWarnOfMaximum() else { return }
        logger.warning("too many sensors: more are left alone", metadata: ["maximum": "\(Self.maximumSensors)"])
    }

    private func warnOfCandidates(_ rule: SensorRule) {
        logger.warning(
            "more advertise what a rule accepts than can be connected to: the oldest are let go",
            metadata: [
                "rule": "\(rule.label)", "maximum": "\(CandidateBound.maximum)", "let.go": "\(crowd.evicted)",
            ])
    }
}

/// Which candidate has to go when there are too many.
enum CandidateBound {
    /// Limit of candidates for each rule.
    static let maximum = 64

    struct Standing: Equatable, Sendable {
        /// The candidate has answered on a link.
        var hasAnswered: Bool
        /// The candidate had a link, and did not answer on it.
        var isMute = false
        /// There is a link, and its set-up is going on.
        var isLinked: Bool
        var order: UInt64
    }

    /// Mute candidates go first, then candidates without a link so far; the oldest first in both groups. A candidate
    /// with a link stays.
    static func leastPromising(_ candidates: [Standing]) -> Int? {
        candidates.indices.filter { !candidates[$0].isLinked }.min { first, second in
            let (first, second) = (candidates[first], candidates[second])
            if first.isMute != second.isMute { return first.isMute }
            return first.hasAnswered == second.hasAnswered ? first.order < second.order : !first.hasAnswered
        }
    }
}
