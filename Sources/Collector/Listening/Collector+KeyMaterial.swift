// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Readings

/// The key of Encrypted Advertising Data, from the sensor itself.
///
/// The collector asks if an entry names the sensor by its address, has no key, and allows a pairing. The key stays in
/// memory alone: the bond is on disk, so a start asks again. A new key of the sensor shows when the old key stops
/// opening its packets.
extension Collector {
    /// Asks the sensor for its key, if a question is due. One sensor is asked at a time. True while the sensor is asked.
    func seekKey(of sensor: ListenedSensor) -> Bool {
        if sensor.key.quest.isUnderway { return true }
        let identifier = sensor.candidate.identifier
        let isBonded = controller.bond(withIdentifier: identifier) != nil
        guard let address = sensor.candidate.address, sensor.rule.address == address, sensor.rule.bindKey == nil,
            sensor.key.quest.isDue(at: now), restraint.hold(of: sensor.rule).map({ now >= $0 }) ?? true,
            manager?.state == .poweredOn,
            !listened.values.contains(where: { $0.key.quest.isUnderway }), isBonded || pairs(by: sensor.rule)
        else { return false }
        guard isBonded || restraint.attempts.allows(sensor.rule) else {
            sensor.key.quest.end(
                .failed(Self.passkeyFailure), at: now, pauses: limits.pairingPauses, spread: loop.spread())
            return false
        }
        sensor.key.quest.begin()
        if !isBonded { restraint.attempts.risked(sensor.rule) }
        let question = Question(sensor: ObjectIdentifier(sensor), isBonded: isBonded)
        let reading = KeyMaterialReading(
            identifier: identifier, controller: controller, pairing: isBonded ? nil : pairingOptions(of: sensor.rule),
            needsAuthentication: sensor.rule.passkey != nil)
        logger.info("asking for key material", metadata: sensor.metadata)
        Task { [weak self] in
            let result: Result<(key: [UInt8], bond: CBBond?), KeyMaterialReading.Failure>
            do throws(KeyMaterialReading.Failure) {
                result = .success(try await reading.run())
            } catch {
                result = .failure(error)
            }
            guard let collector = self else { return }
            collector.queue.async { collector.endedQuest(identifier, question, result) }
        }
        return true
    }

    private static let passkeyFailure =
        "its passkey has failed \(PasskeyAttempts.limit) times, and the gateway does not risk the passkey again; "
        + "correct the passkey in its entry"

    /// A question that a sensor is asked.
    private struct Question: Sendable {
        /// A sensor that is listened to anew is another object.
        let sensor: ObjectIdentifier
        let isBonded: Bool
    }

    private func endedQuest(
        _ identifier: UUID, _ question: Question,
        _ result: Result<(key: [UInt8], bond: CBBond?), KeyMaterialReading.Failure>
    ) {
        guard !isStopping, let sensor = listenedSensor(identifier), sensor.key.quest.isUnderway,
            ObjectIdentifier(sensor) == question.sensor
        else { return }
        let outcome: KeyQuest.Outcome
        switch result {
        case .success(let answer) where sensor.key.quest.isCancelled || sensor.rule.bindKey != nil:
            if let bond = answer.bond { controller.removeBond(withIdentifier: bond.identifier) }
            outcome = .failed("an operator has changed its entry or its bond meanwhile")
        case .success((let key, let bond)):
            restraint.attempts.reset(sensor.rule)
            if let bond { record(.paired, of: sensor, status(of: bond).security) }
            outcome = sensor.key.take(key)
        case .failure(let error):
            if !question.isBonded, !error.isOfPairing { restraint.attempts.withdrew(sensor.rule) }
            outcome = .failed(error.text)
        }
        sensor.key.quest.end(outcome, at: now, pauses: limits.pairingPauses, spread: loop.spread())
        switch outcome {
        case .newKey: logger.info("key material read", metadata: sensor.metadata)
        case .sameKey: logger.debug("key material read, as before", metadata: sensor.metadata)
        case .failed(let reason):
            logger.notice("no key material", metadata: sensor.metadata.merging(["cause": "\(reason)"]) { $1 })
        }
    }

    /// A sensor that is asked for its key may be paired: its entry names its address.
    func isAskedForKey(_ identifier: UUID) -> Bool { listenedSensor(identifier)?.key.quest.isUnderway == true }

    func listenedSensor(_ identifier: UUID) -> ListenedSensor? {
        listened.values.first { $0.candidate.identifier == identifier }
    }

    /// The operator has removed the bond under which the sensor gave its key. The sensor is asked again after a pause.
    func forgetKey(of sensor: ListenedSensor) {
        restraint.unpaired(sensor.rule, at: now)
        sensor.key.quest.cancel()
        if sensor.key.isOfSensor { sensor.key.change(to: sensor.rule.bindKey) }
    }
}
