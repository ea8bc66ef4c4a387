// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Health
import Logging
import Platform

/// Pairing with sensors that require it: by the collector itself if the rules allow it, with a person after
/// `martlet pair`. The collector decides for each sensor, reports each failure, and limits the attempts.
extension Collector {
    /// Time limit for an automatic pairing.
    static let pairingLimit: Duration = .seconds(45)
    /// Time limit for a pairing with a person, with the wait for the sensor.
    static let dialogueLimit = DispatchTimeInterval.seconds(150)

    /// Gives the rules' pairing policy to the controller. The agent refuses a device that is not a sensor.
    func applyPolicy() {
        var policy = CBPairingPolicy()
        policy.pairsOnDemand = false
        // A sensor may start the pairing; the agent below knows the sensors.
        policy.incoming = .open
        // A device that connects to this gateway is no sensor. Phones have their own policy, or none.
        policy.admitsCentrals = false
        policy.requiresAuthentication = settings.security.requiresAuthentication
        policy.minimumKeySize = settings.security.minimumKeySize
        for rule in rules {
            // A device with another address is not the sensor, whatever identity it gives in the pairing.
            guard let address = rule.address.map({ DeviceAddress(kind: .public, value: $0).description }) else {
                continue
            }
            policy.reservedAddresses.insert(address)
            if let passkey = rule.passkey { policy.addressPasskeys[address] = CBPasskey(passkey.revealed) }
        }
        for sensor in linked.values {
            let identifier = sensor.candidate.identifier
            if let passkey = sensor.rule.passkey { policy.passkeys[identifier] = CBPasskey(passkey.revealed) }
            if sensor.rule.allowsLegacyPairing { policy.legacyPeers.insert(identifier) }
        }
        guard policy != controller.pairingPolicy else { return }
        controller.pairingPolicy = policy
    }

    func pairs(with sensor: LinkedSensor) -> Bool { pairs(by: sensor.rule) }

    /// Whether a sensor of the rule may be paired without a person.
    func pairs(by rule: SensorRule) -> Bool { rule.pair ?? (settings.security.pairs || rule.passkey != nil) }

    /// For a pairing without a person.
    func pairingOptions(of rule: SensorRule) -> CBPairingOptions {
        var options = CBPairingOptions()
        options.passkey = rule.passkey.flatMap { CBPasskey($0.revealed) }
        if rule.allowsLegacyPairing { options.allowsLegacy = true }
        return options
    }

    // MARK: On demand

    /// Whether a refusal needs a pairing, and the pairing may be made now. If so, the pairing begins.
    func pairsInstead(of error: (any Error)?, _ sensor: LinkedSensor) -> Bool {
        switch error {
        case CBATTError.insufficientAuthentication?, CBATTError.insufficientEncryption?,
            CBATTError.insufficientEncryptionKeySize?:
            break
        default: return false
        }
        guard sensor.link == .settingUp, !sensor.pairing.isUnderway else { return sensor.pairing.isUnderway }
        guard mayPairByItself(sensor), sensor.pairing.isDue(at: now) else { return false }
        beginPairing(sensor)
        return true
    }

    /// True if no person has to ask for the pairing; otherwise the sensor's trouble names the next step.
    func mayPairByItself(_ sensor: LinkedSensor) -> Bool {
        guard pairs(with: sensor) else {
            sensor.trouble.record(
                advise(
                    "the sensor wants to be paired: run \(.martlet(.pair, sensor.device)), or set pair = true in its "
                        + "entry"))
            return false
        }
        guard mayBondUnasked(sensor) else {
            sensor.trouble.record(unaskedTrouble(sensor))
            return false
        }
        guard restraint.attempts.allows(sensor.rule) else {
            sensor.trouble.record(passkeyTrouble(sensor))
            return false
        }
        return true
    }

    func beginPairing(_ sensor: LinkedSensor) {
        let (peripheral, identifier) = (sensor.peripheral, sensor.candidate.identifier)
        let dialogue = sensor.pairing.dialogue
        sensor.endSetUp()
        var options = pairingOptions(of: sensor.rule)
        options.passkey = dialogue?.passkey ?? options.passkey
        if dialogue != nil, options.passkey == nil { options.capability = .keyboardAndDisplay }
        if dialogue == nil { restraint.attempts.risked(sensor.rule) }
        logger.info("pairing", metadata: sensor.metadata)
        record(.pairing, of: sensor)
        dialogue?.tell(.pairing)
        let limit: Duration? = dialogue == nil ? Self.pairingLimit : nil
        sensor.pairing.begin(interruptingValues: sensor.link == .collecting) { number in
            Task { [controller, options, weak self] in
                let result: Result<CBBond, any Error>
                do {
                    result = .success(try await controller.pair(peripheral, options: options, timeout: limit))
                } catch {
                    result = .failure(error)
                }
                guard let collector = self else { return }
                collector.queue.async { collector.endedPairing(identifier, number, result) }
            }
        }
        sensor.phase.settingUp(until: now + Self.setUpLimit)
        rearm()
    }

    private func endedPairing(_ identifier: UUID, _ number: Int, _ result: Result<CBBond, any Error>) {
        guard let sensor = linked[identifier], sensor.pairing.end(number) else { return }
        switch result {
        case .success(let bond):
            recordBond(bond, of: sensor)
            identify(sensor, by: bond)
            let status = status(of: bond)
            recordPairing(of: sensor, status)
            sensor.trouble.settle()
            sensor.pairing.succeeded(at: now)
            restraint.attempts.reset(sensor.rule)
            sensor.pairing.dialogue?.paired(status)
            sensor.pairing.endDialogue()
            if sensor.link == .settingUp { beginSetUp(sensor) }
        case .failure(let error):
            failedPairing(sensor, error)
        }
    }

    private func failedPairing(_ sensor: LinkedSensor, _ error: any Error) {
        let reason = error.localizedDescription
        if (error as? CBPairingError)?.code.isBeforehand == true {
            sensor.pairing.neverBegan()
            if sensor.pairing.dialogue == nil { restraint.attempts.withdrew(sensor.rule) }
        }
        let isGivenUp = (error as? CBError)?.code == .operationCancelled
        if !isGivenUp { recordFailedPairing(sensor, error, reason) }
        sensor.pairing.fail("\(sensor.device): \(reason)")
        guard sensor.link == .settingUp else { return }
        // The sensor still gives the values that need no pairing. Without such values, the next attempt comes after a
        // pause.
        if sensor.pairing.interruptsValues || (sensor.pairing.isStranger && sensor.rule.id != nil && !isGivenUp) {
            beginSetUp(sensor)
        } else {
            giveUp(sensor, reason: "pairing failed: \(reason)")
        }
    }

    func recordFailedPairing(_ sensor: LinkedSensor, _ error: any Error, _ reason: String) {
        sensor.pairing.failed(at: now, spread: loop.spread())
        if case CBPairingError.Code.alreadyBonded? = (error as? CBPairingError)?.code {
            sensor.trouble.record(
                advise(
                    "the sensor wants more than its bond is worth: run \(.martlet(.unpair, sensor.device)), then "
                        + "\(.martlet(.pair, sensor.device))"))
        } else if restraint.attempts.allows(sensor.rule) {
            sensor.trouble.record("pairing failed: \(reason)" + consequence(for: sensor))
        } else {
            sensor.trouble.record(passkeyTrouble(sensor))
        }
        recordFailedPairing(of: sensor, reason)
    }

    private func recordPairing(of sensor: LinkedSensor, _ bond: BondStatus) {
        record(.paired, of: sensor, bond.security)
        logger.info("paired", metadata: sensor.metadata.merging(["bond": "\(bond.security)"]) { $1 })
    }

    private func recordFailedPairing(of sensor: LinkedSensor, _ reason: String) {
        record(.pairingFailed, of: sensor, reason)
        logger.warning("pairing failed", metadata: sensor.metadata.merging(["cause": "\(reason)"]) { $1 })
    }

    private func passkeyTrouble(_ sensor: LinkedSensor) -> String {
        advise(
            "its passkey has failed \(PasskeyAttempts.limit) times, and the gateway does not risk the passkey again: "
                + "check the passkey, then run \(.martlet(.pair, sensor.device))")
    }

    /// The link of this pairing is gone.
    func forgetPairing(_ sensor: LinkedSensor) { sensor.pairing.forget() }

    /// Takes a link's error about the sensor's bond.
    func recordBondTrouble(_ sensor: LinkedSensor, _ error: (any Error)?) {
        guard case CBError.peerRemovedPairingInformation? = error else { return }
        // No person has asked for this bond, and no value came under it. The bond may be with another device at the
        // sensor's address.
        recallUnprovenBond(of: sensor)
        guard sensor.pairing.unprovenBond == nil else {
            forgetUnprovenBond(of: sensor)
            sensor.trouble.settle()
            return
        }
        let trouble = advise(
            "the sensor says: the key of its bond is missing (perhaps after a reset, or another pairing): "
                + "run \(.martlet(.unpair, sensor.device)), then \(.martlet(.pair, sensor.device))")
        sensor.trouble.record(trouble)
        logger.warning(
            "a sensor says: the key of its bond is missing",
            metadata: sensor.metadata.merging(["do": "\(trouble)"]) { $1 })
    }
}

// MARK: - What pairings want

extension Collector: CBPairingAgent {
    package func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        if isAskedForKey(request.peer.identifier) {
            request.respond(with: request.isOurs && request.kind == .consent ? .accept : .refuse)
            return
        }
        guard let sensor = linked[request.peer.identifier], !sensor.life.isRemoved else {
            logger.warning(
                "the gateway refuses to pair with a device without an entry",
                metadata: ["peer": "\(request.peer.identifier)"])
            request.respond(with: .refuse)
            return
        }
        if let dialogue = sensor.pairing.dialogue {
            dialogue.ask(request)
        } else {
            // Without a person, the gateway can show and enter nothing.
            let isWanted = request.isOurs || (pairs(with: sensor) && mayPairByItself(sensor))
            let agrees = request.kind == .consent && isWanted
            request.respond(with: agrees ? .accept : .refuse)
        }
    }

    package func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) {
        guard let sensor = linked[peer.identifier] else { return }
        let (isSensors, isToBeTold) = sensor.pairing.agentHears()
        // The sensor's own attempts count, too.
        if isSensors, case .failure = result { restraint.attempts.risked(sensor.rule) }
        guard isToBeTold else { return }
        switch result {
        case .success(let bond):
            recordBond(bond, of: sensor)
            identify(sensor, by: bond)
            sensor.trouble.settle()
            restraint.attempts.reset(sensor.rule)
            recordPairing(of: sensor, status(of: bond))
        case .failure(let error):
            sensor.trouble.record("pairing failed: \(error.localizedDescription)")
            recordFailedPairing(of: sensor, error.localizedDescription)
        }
    }
}

extension CBPairingError.Code {
    /// The sensor heard nothing, so no peer can cause these errors.
    var isBeforehand: Bool {
        switch self {
        case .alreadyBonded, .notConnected, .alreadyPairing, .tooManyBonds: true
        default: false
        }
    }
}
