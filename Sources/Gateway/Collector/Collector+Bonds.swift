// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging

/// What `martlet pair`, `unpair` and `bonds` ask for; called on any thread.
extension Collector {
    /// Pairs with a sensor, and asks and tells `dialogue` what comes of it.
    package func pair(_ device: String, _ dialogue: PairingDialogue) {
        queue.async { [self] in
            do throws(DeviceName.Unclear) {
                try begin(dialogue, with: DeviceName(device).pick(names.filter { sensors[$0.identifier] != nil }))
            } catch {
                let hint = " A device that no [[sensor]] entry accepts cannot be paired with."
                dialogue.fail(error.description + (error.isUnknown ? hint : ""))
            }
        }
    }

    private func begin(_ dialogue: PairingDialogue, with name: DeviceName.Known) {
        guard let sensor = sensors[name.identifier] else { return dialogue.fail("\(name.label) has just gone") }
        let (identifier, device) = (name.identifier, sensor.device)
        guard sensor.dialogue == nil, sensor.pairing == nil else {
            return dialogue.fail("\(device) is being paired already: wait for its end")
        }
        guard !controller.bonds.contains(where: { $0.identifier == identifier }) else {
            return dialogue.fail("\(device) is paired already: run martlet unpair \(device) first to pair anew")
        }
        guard manager?.state == .poweredOn, !isStopping else {
            return dialogue.fail("the controller is not ready: \(controller.statusDescription)")
        }
        sensor.dialogue = dialogue
        passkeyTrials.reset(sensor.rule)
        dialogue.begin(with: device) { [weak self, weak dialogue] in
            guard let collector = self, let dialogue else { return }
            collector.queue.async { collector.gaveUp(dialogue, identifier) }
        }
        queue.asyncAfter(deadline: .now() + Self.dialogueLimit) { [weak self, weak dialogue] in
            guard let self, let dialogue, let sensor = sensors[identifier], sensor.dialogue === dialogue else { return }
            let wasConnecting = sensor.pairing == nil
            dialogue.fail(
                wasConnecting
                    ? "\(device) was not heard of: is it switched on and near, and does it advertise?"
                    : "\(device): the pairing took too long")
            gaveUp(dialogue, identifier)
        }
        switch sensor.link {
        case .collecting, .settingUp: beginPairing(sensor)
        case .waiting:
            dialogue.tell(.connecting)
            connect(sensor, step: "pairing")
        case .connecting, .disconnecting, .unavailable:
            dialogue.tell(.connecting)
        }
    }

    /// Whoever wanted the pairing is gone.
    private func gaveUp(_ dialogue: PairingDialogue, _ identifier: UUID) {
        guard let sensor = sensors[identifier], sensor.dialogue === dialogue else { return }
        sensor.dialogue = nil
        sensor.pairing?.cancel()
    }

    /// Forgets the keys of a device; gives what was forgotten, or says why not.
    package func unpair(_ device: String) -> Result<BondStatus, ControlError> {
        queue.sync {
            let bonds = controller.bonds
            let bonded = names.filter { name in bonds.contains { $0.identifier == name.identifier } }
            do throws(DeviceName.Unclear) {
                let name = try DeviceName(device).pick(bonded)
                guard let bond = bonds.first(where: { $0.identifier == name.identifier }) else {
                    return .failure(.refused("\(name.label) is not paired"))
                }
                let status = status(of: bond)
                logger.notice("bond removed by an operator", metadata: ["device": "\(name.label)"])
                if let sensor = sensors[name.identifier] {
                    (sensor.trouble, sensor.nextPairing) = (nil, .now())
                    sensor.pairingBackoff.reset()
                }
                controller.removeBond(withIdentifier: name.identifier)
                return .success(status)
            } catch {
                let hint = " martlet bonds shows what is paired."
                return .failure(.refused(error.description + (error.isUnknown ? hint : "")))
            }
        }
    }

    package var bondList: BondList {
        queue.sync { BondList(bonds: controller.bonds.map(status(of:)), problems: controller.bondProblems) }
    }

    func status(of bond: CBBond) -> BondStatus {
        let sensor = sensors[bond.identifier]
        return BondStatus(
            device: sensor?.device, name: sensor.flatMap { $0.candidate.name ?? $0.peripheral.name },
            address: bond.address, identifier: bond.identifier.uuidString, authenticated: bond.isAuthenticated,
            secureConnections: bond.isSecureConnections, keySize: bond.keySize,
            since: bond.creationDate.formatted(.iso8601))
    }

    /// Sensors, and devices that are paired and are none now.
    private var names: [DeviceName.Known] {
        let known = sensors.values.filter { !$0.isRemoved }.map { sensor in
            DeviceName.Known(
                identifier: sensor.candidate.identifier, id: sensor.device,
                name: sensor.candidate.name ?? sensor.peripheral.name, address: sensor.candidate.address)
        }
        let others = controller.bonds.filter { sensors[$0.identifier] == nil }.map { bond in
            DeviceName.Known(
                identifier: bond.identifier, id: nil, name: nil,
                address: DeviceAddress(bond.address, kind: .public)?.value)
        }
        return known + others
    }
}

extension BondStatus {
    /// In words: `authenticated, Secure Connections, 128 bit`.
    package var security: String {
        "\(authenticated ? "authenticated" : "encrypted"), \(secureConnections ? "Secure Connections" : "legacy"), "
            + "\(keySize * 8) bit"
    }
}
