// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Health

/// Sensors that give their values without a bond. Any device may use the address of such a sensor and ask for a
/// pairing. The bond would be with the impostor, and the gateway would ask the true sensor for a key that the sensor
/// never had. So the gateway bonds with such a sensor only if the operator wants the bond.
extension Collector {
    private static let mark = "unpaired"

    /// The key for the fact that this run or an earlier run collected the sensor's values without a bond.
    private func unpairedKey(_ sensor: LinkedSensor) -> String { "unpaired:" + name(of: sensor) }

    /// Stays equal in every run.
    private func name(of sensor: LinkedSensor) -> String {
        let address = sensor.candidate.address.map { DeviceAddress(kind: .public, value: $0).compact }
        return address ?? sensor.candidate.identifier.uuidString
    }

    func worksUnpaired(_ sensor: LinkedSensor) -> Bool {
        sensor.pairing.isNotNeeded || outlet.identifier(unpairedKey(sensor)) == Self.mark
    }

    /// The sensor's link is set up, and no value is missing.
    func recordUnpaired(_ sensor: LinkedSensor) {
        guard bond(of: sensor) == nil else { return }
        sensor.pairing.wasNotNeeded()
        keepUnpaired(sensor)
    }

    /// Does not write a mark again that an earlier run has written. The identifier of a private address means nothing
    /// in another run.
    func keepUnpaired(_ sensor: LinkedSensor) {
        let key = unpairedKey(sensor)
        guard sensor.pairing.isNotNeeded, knowsEarlierRuns, !sensor.pairing.isStranger,
            outlet.identifier(key) != Self.mark
        else { return }
        outlet.keep(Self.mark, key)
    }

    /// The operator has paired with the sensor.
    func forgetUnpaired(_ sensor: LinkedSensor) {
        sensor.pairing.isNeededAgain()
        let key = unpairedKey(sensor)
        if outlet.identifier(key) == Self.mark { outlet.keep("", key) }
    }

    /// Whether the sensor may be bonded without an operator's request. `pair = true` and a passkey in the entry count
    /// as a request. Otherwise the earlier runs must be known, and must not have collected the sensor without a bond.
    func mayBondUnasked(_ sensor: LinkedSensor) -> Bool {
        sensor.rule.pair == true || sensor.rule.passkey != nil || (knowsEarlierRuns && !worksUnpaired(sensor))
    }

    func unaskedTrouble(_ sensor: LinkedSensor) -> String {
        advise(
            "the sensor gave its values without pairing before, and wants to be paired now: is this still the former "
                + "device? If so, run \(.martlet(.pair, sensor.device)), or set pair = true in its entry")
    }
}

// MARK: - Bonds without a request

/// A bond without a request may be with an impostor. Until a value has come under the bond, the bond goes as soon as
/// the sensor does not know its key. The journal keeps this state over restarts.
extension Collector {
    private func unprovenKey(_ sensor: LinkedSensor) -> String { "unproven:" + name(of: sensor) }

    /// Called again when the facts of earlier runs are known.
    func keepUnprovenBond(of sensor: LinkedSensor) {
        guard knowsEarlierRuns, let bond = sensor.pairing.unprovenBond else { return }
        outlet.keep(bond.uuidString, unprovenKey(sensor))
    }

    /// The bond that an earlier run or link has left without a value; nil if the sensor has another bond now.
    func keptUnprovenBond(of sensor: LinkedSensor) -> UUID? {
        guard let text = outlet.identifier(unprovenKey(sensor)), let bond = bond(of: sensor)?.identifier else {
            return nil
        }
        return UUID(uuidString: text) == bond ? bond : nil
    }

    /// Takes up a bond that an earlier run or link has left without a value.
    func recallUnprovenBond(of sensor: LinkedSensor) {
        guard sensor.pairing.unprovenBond == nil, let bond = keptUnprovenBond(of: sensor) else { return }
        sensor.pairing.bondedUnasked(bond)
    }

    /// A value has come under the bond, the operator has paired, or the bond is gone.
    func proveBond(of sensor: LinkedSensor) {
        sensor.pairing.bondIsProven()
        let key = unprovenKey(sensor)
        if outlet.identifier(key)?.isEmpty == false { outlet.keep("", key) }
    }
}
