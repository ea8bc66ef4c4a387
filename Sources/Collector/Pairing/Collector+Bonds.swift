// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Health
import Logging
import Platform
import Readings
import Synchronization

/// The requests of `martlet pair`, `unpair` and `bonds`; called on any thread.
extension Collector {
    /// Pairs with a sensor; `dialogue` gets the questions and the outcome.
    package func pair(_ device: String, _ dialogue: PairingDialogue) {
        queue.async { [self] in
            // Without a working controller, no sensor can be heard, so the person does not wait.
            if let trouble = controllerTrouble { return dialogue.fail("the controller is not ready: \(trouble)") }
            // The collector waits for a sensor that an entry names. The sensor may have been unpaired just now, and the
            // collector looks for it again.
            let isAwaited = rules.contains { DeviceName(device).isAwaited(by: $0) }
            find(device, dialogue, until: isAwaited ? now + Self.dialogueLimit : nil)
        }
    }

    private func find(_ device: String, _ dialogue: PairingDialogue, until deadline: DispatchTime?) {
        do throws(DeviceName.Unclear) {
            try begin(dialogue, with: DeviceName(device).pick(names.filter { linked[$0.identifier] != nil }))
        } catch {
            if error.isUnknown, let listener = listened.values.first(where: { isCalled(device, $0) }) {
                return dialogue.fail(takesNoConnection(listener.device))
            }
            guard error.isUnknown, let deadline else {
                guard error.isFarFromAll else { return dialogue.fail(error.description) }
                return dialogue.fail("\(error). The gateway pairs only with devices of a [[sensor]] entry.")
            }
            guard !isStopping else { return dialogue.fail("the gateway is stopping") }
            guard now < deadline else { return dialogue.fail(Self.unheard(device)) }
            guard !dialogue.isOver else { return }
            dialogue.awaits(device)
            loop.run(at: now + .milliseconds(200)) { [weak self] in
                self?.find(device, dialogue, until: deadline)
            }
        }
    }

    /// Whether a person means this sensor, whose values come in its advertisements.
    private func isCalled(_ text: String, _ sensor: ListenedSensor) -> Bool {
        DeviceName(text).isOne(of: [Self.known(sensor)])
    }

    private func takesNoConnection(_ device: String) -> String {
        let advice: Advice = "An encrypted sensor needs its key: \(.martlet(.key, device))"
        return "\(device) is not connected to: its values come in its advertisements, and nothing has to be paired. "
            + advice.text(on: installation)
    }

    private static func unheard(_ device: String) -> String {
        "\(device) was not heard: is the device switched on, near, and advertising?"
    }

    private func begin(_ dialogue: PairingDialogue, with name: DeviceName.Known) {
        guard let sensor = linked[name.identifier] else { return dialogue.fail("\(name.label) has just gone") }
        let (identifier, device) = (name.identifier, sensor.device)
        guard sensor.pairing.dialogue == nil, !sensor.pairing.isUnderway else {
            return dialogue.fail("\(device) is being paired already: wait for its end")
        }
        guard bond(of: sensor) == nil else {
            return dialogue.fail(
                advise("\(device) is paired already: run \(.martlet(.unpair, device)) first to pair anew"))
        }
        guard manager?.state == .poweredOn, !isStopping else {
            return dialogue.fail("the controller is not ready: \(controller.statusDescription)")
        }
        sensor.pairing.begin(dialogue)
        restraint.attempts.reset(sensor.rule)
        dialogue.begin(with: device) { [weak self, weak dialogue] in
            guard let collector = self, let dialogue else { return }
            collector.queue.async { collector.gaveUp(dialogue, identifier) }
        }
        loop.run(at: now + Self.dialogueLimit) { [weak self, weak dialogue] in
            guard let self, let dialogue, let sensor = linked[identifier], sensor.pairing.dialogue === dialogue else {
                return
            }
            let wasConnecting = !sensor.pairing.isUnderway
            dialogue.fail(
                wasConnecting
                    ? Self.unheard(device)
                    : "\(device): the pairing took too long")
            gaveUp(dialogue, identifier)
        }
        switch sensor.link {
        case .collecting, .settingUp: beginPairing(sensor)
        case .waiting, .resting, .elsewhere:
            dialogue.tell(.connecting)
            connect(sensor, step: "pairing")
        case .queued:
            // A sensor goes first if a person waits for it.
            dialogue.tell(.connecting)
            shareSlots()
        case .connecting, .disconnecting, .unavailable, .listening:
            dialogue.tell(.connecting)
        }
    }

    /// The person who wanted the pairing has left.
    private func gaveUp(_ dialogue: PairingDialogue, _ identifier: UUID) {
        guard let sensor = linked[identifier], sensor.pairing.dialogue === dialogue else { return }
        sensor.pairing.endDialogue()
        sensor.pairing.cancel()
    }

    /// Forgets the keys of a device; returns the forgotten bond, or the reason for a refusal. Waits for the disk,
    /// `limit` at most: forgotten keys stay forgotten, even if the power fails right afterwards.
    package func unpair(_ device: String, within limit: Duration) async -> Result<BondStatus, BondRefusal> {
        let named = Mutex(device)
        let result = await Waiting.answer(within: limit) {
            (answer: @escaping @Sendable (Result<BondStatus, BondRefusal>) -> Void) in
            queue.async { [self] in
                switch forget(device, then: answer) {
                case .success(let bond): named.withLock { $0 = bond.device ?? bond.address }
                case .failure(let error): answer(.failure(error))
                }
            }
        }
        if let result { return result }
        let name = named.withLock { $0 }
        let text = advise("\(name): whether its keys are gone from disk is not known yet; see \(.martlet(.bonds))")
        return .failure(BondRefusal(text))
    }

    /// `end` is called after the disk has confirmed the change or failed, but not if this function fails.
    private func forget(
        _ device: String, then end: @escaping @Sendable (Result<BondStatus, BondRefusal>) -> Void
    ) -> Result<BondStatus, BondRefusal> {
        let bonded = names.filter { controller.bond(withIdentifier: $0.identifier) != nil }
        do throws(DeviceName.Unclear) {
            let name = try DeviceName(device).pick(bonded)
            guard let bond = controller.bond(withIdentifier: name.identifier) else {
                return .failure(BondRefusal("\(name.label) is not paired"))
            }
            let status = status(of: bond)
            logger.notice("bond removed by an operator", metadata: ["sensor": "\(name.label)"])
            controller.removeBond(withIdentifier: name.identifier) { trouble in
                end(trouble.map { .failure(BondRefusal($0)) } ?? .success(status))
            }
            if let sensor = linked[name.identifier] {
                unpaired(sensor, bond)
            } else if let sensor = listenedSensor(name.identifier) {
                forgetKey(of: sensor)
            }
            return .success(status)
        } catch {
            if error.isUnknown, DeviceName(device).isOne(of: names) {
                return .failure(BondRefusal("\(device) is not paired"))
            }
            guard error.isFarFromAll else { return .failure(BondRefusal(error.description)) }
            return .failure(BondRefusal(advise("\(error.description). \(.martlet(.bonds)) shows the paired devices.")))
        }
    }

    /// Only the bond distinguished this sensor from other devices, so the collector looks for it like for a new sensor.
    /// The operator pairs with the sensor before it may pair by itself.
    private func unpaired(_ sensor: LinkedSensor, _ bond: CBBond) {
        restraint.unpaired(sensor.rule, at: now)
        sensor.life.doubt()
        unkeep(bond.identifier, of: sensor.rule)
        remove(sensor, because: "unpaired, looked for again")
        forgetAnnounced(sensor.device)
        forgetDeparted()
        scanAnew()
    }

    func bond(of sensor: LinkedSensor) -> CBBond? { controller.bond(withIdentifier: sensor.candidate.identifier) }

    /// The sensor of a bond.
    private func sensor(of bond: CBBond) -> SensorSource? {
        let address = DeviceAddress(bond.address, kind: .public)?.value
        let linked: SensorSource? =
            linked[bond.identifier]
            ?? self.linked.values.first { !$0.pairing.isStranger && $0.candidate.address == address }
        return linked ?? address.flatMap { listened[$0] }
    }

    package var bondList: BondList {
        queue.sync { BondList(bonds: controller.bonds.map(status(of:)), problems: controller.bondProblems) }
    }

    func status(of bond: CBBond) -> BondStatus {
        let sensor = sensor(of: bond)
        return BondStatus(
            device: sensor?.device, name: sensor?.name,
            address: bond.address, identifier: bond.identifier.uuidString, authenticated: bond.isAuthenticated,
            secureConnections: bond.isSecureConnections, keySize: bond.keySize, central: bond.isOfCentral,
            since: bond.creationDate.formatted(.iso8601))
    }

    /// Sensors, and paired devices that are no sensors now.
    private var names: [DeviceName.Known] {
        let known = linked.values.filter { !$0.life.isRemoved }.map(Self.known)
        let others = controller.bonds.filter { !(sensor(of: $0) is LinkedSensor) }.map { bond in
            let listener = sensor(of: bond)
            return DeviceName.Known(
                identifier: bond.identifier, id: listener?.device, name: listener?.advertisedName,
                given: listener?.rule.facts.label, address: DeviceAddress(bond.address, kind: .public)?.value)
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
