// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Health
import Logging

/// Sensors with a private address and without a bond: after each change of the address, such a sensor looks like
/// another device. Only pairing identifies the sensor. Until then the collector takes nothing from the sensor, unless
/// its entry names it by an `id`.
extension Collector {
    /// Whether to leave a stranger alone now.
    func leavesAlone(_ sensor: LinkedSensor) -> Bool {
        guard sensor.pairing.isStranger, sensor.rule.id == nil, sensor.pairing.dialogue == nil else { return false }
        if !pairs(with: sensor) {
            sensor.trouble.record(
                advise(
                    "its address changes, and only pairing identifies the sensor: run "
                        + "\(.martlet(.pair, sensor.device)), or set pair = true in the entry, or an id if the entry is "
                        + "about this sensor alone"))
            sensor.phase.waiting(until: nil)
        } else if !sensor.pairing.isDue(at: now) {
            sensor.phase.waiting(until: sensor.pairing.next)
        } else {
            return false
        }
        rearm()
        warnOfStranger(sensor)
        return true
    }

    /// Whether the link of a sensor may be set up; pairs with a stranger first.
    func maySetUp(_ sensor: LinkedSensor) -> Bool {
        guard sensor.pairing.isStranger else { return true }
        if pairs(with: sensor), sensor.pairing.isDue(at: now) {
            beginPairing(sensor)
            return false
        }
        guard sensor.rule.id == nil else { return true }
        giveUp(sensor, reason: "its address changes, and there is no bond")
        return false
    }

    /// A stranger was paired: it is known from now on by its identity.
    func identify(_ sensor: LinkedSensor, by bond: CBBond) {
        guard sensor.pairing.isStranger else { return }
        sensor.pairing.identified()
        sensor.identified(at: DeviceAddress(bond.address, kind: .public)?.value)
        sensor.rename()
        logger.info("identity learned", metadata: sensor.metadata)
        let others = linked.values.filter { $0 !== sensor && !$0.pairing.isStranger && $0.device == sensor.device }
        for other in others { remove(other) }
        forgetDeparted()
    }

    /// The addresses of silent strangers may be gone for good. A new scan reports the strangers that are still there.
    func forgetStrangers() {
        for sensor in Array(linked.values)
        where sensor.pairing.isStranger && !sensor.life.isProven && sensor.pairing.dialogue == nil {
            guard sensor.link == .connecting || (sensor.link == .waiting && sensor.deadline == nil) else { continue }
            sensor.phase.settle()
            forget(sensor)
            manager?.cancelPeripheralConnection(sensor.peripheral)
        }
    }

    /// The text after the reason of a failed pairing.
    func consequence(for sensor: LinkedSensor) -> String {
        guard sensor.pairing.isStranger, sensor.rule.id == nil else { return "" }
        return advise(
            "; its address changes, and the gateway collects nothing before a pairing: run "
                + "\(.martlet(.pair, sensor.device)), or set an id if the entry is about this sensor alone")
    }

    private func warnOfStranger(_ sensor: LinkedSensor) {
        guard crowd.mayWarnOfStranger(at: now) else { return }
        let why: Logger.Metadata = ["rule": "\(sensor.rule.label)", "cause": "\(sensor.trouble.text ?? "")"]
        logger.warning(
            "a sensor's address changes: the gateway collects nothing before a pairing",
            metadata: sensor.metadata.merging(why) { $1 })
    }
}
