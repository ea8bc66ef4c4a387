// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation

/// Sensors that give their values without a bond. Anybody may use the address of such a sensor, and ask to be paired
/// with: the bond would be with the impostor, and the true sensor would be asked for a key that it never had. So a sensor
/// that was collected without a bond is not bonded with unless the operator wants it.
extension Collector {
    private static let mark = "unpaired"

    /// Under which its values were collected without a bond, in this run or an earlier one.
    private func unpairedKey(_ sensor: LinkedSensor) -> String { "unpaired:" + name(of: sensor) }

    /// The same in every run.
    private func name(of sensor: LinkedSensor) -> String {
        let address = sensor.candidate.address.map { DeviceAddress(kind: .public, value: $0).compact }
        return address ?? sensor.candidate.identifier.uuidString
    }

    func worksUnpaired(_ sensor: LinkedSensor) -> Bool {
        sensor.pairing.isNotNeeded || outlet.identifier(unpairedKey(sensor)) == Self.mark
    }

    /// Its link is set up, and lacks nothing.
    func noteUnpaired(_ sensor: LinkedSensor) {
        guard bond(of: sensor) == nil else { return }
        sensor.pairing.isNotNeeded = true
        keepUnpaired(sensor)
    }

    /// What an earlier run has kept is not written again. What a private address is known by means nothing in another run.
    func keepUnpaired(_ sensor: LinkedSensor) {
        let key = unpairedKey(sensor)
        guard sensor.pairing.isNotNeeded, knowsEarlierRuns, !sensor.isStranger, outlet.identifier(key) != Self.mark
        else {
            return
        }
        outlet.keep(Self.mark, key)
    }

    /// The operator has paired with it.
    func forgetUnpaired(_ sensor: LinkedSensor) {
        sensor.pairing.isNotNeeded = false
        let key = unpairedKey(sensor)
        if outlet.identifier(key) == Self.mark { outlet.keep("", key) }
    }

    /// Whether a bond with the sensor may come about although nobody has asked for it: `pair = true` and a passkey in its
    /// entry are such a wish. As long as it is not known what earlier runs have collected, it may not.
    func mayBondUnasked(_ sensor: LinkedSensor) -> Bool {
        sensor.rule.pair == true || sensor.rule.passkey != nil || (knowsEarlierRuns && !worksUnpaired(sensor))
    }

    static func unaskedTrouble(_ sensor: LinkedSensor) -> String {
        "it gave its values without pairing before, and wants to be paired now: is it the same device? If it is, run "
            + "martlet pair \(sensor.device), or set pair = true in its entry"
    }
}

// MARK: - Bonds that nobody asked for

/// Such a bond may be with an impostor. Until a value has come under it, it goes as soon as the sensor does not know its key;
/// the journal keeps that over restarts.
extension Collector {
    private func unprovenKey(_ sensor: LinkedSensor) -> String { "unproven:" + name(of: sensor) }

    /// To be called again when it is known what earlier runs have kept.
    func keepUnprovenBond(of sensor: LinkedSensor) {
        guard knowsEarlierRuns, let bond = sensor.pairing.unprovenBond else { return }
        outlet.keep(bond.uuidString, unprovenKey(sensor))
    }

    /// The bond that an earlier run, or an earlier link, has left without a value; nil when there is another one by now.
    func keptUnprovenBond(of sensor: LinkedSensor) -> UUID? {
        guard let text = outlet.identifier(unprovenKey(sensor)), let bond = bond(of: sensor)?.identifier else {
            return nil
        }
        return UUID(uuidString: text) == bond ? bond : nil
    }

    /// A value has come under it, the operator has paired, or the bond is gone.
    func proveBond(of sensor: LinkedSensor) {
        sensor.pairing.unprovenBond = nil
        let key = unprovenKey(sensor)
        if outlet.identifier(key)?.isEmpty == false { outlet.keep("", key) }
    }
}
