// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Gateway
import Logging
import Synchronization

/// Called on ``WindowKeeper/queue``. The digits are never logged, because people who may not pair can read the log.
extension WindowKeeper: CBPairingAgent {
    package func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        switch request.kind {
        case .display:
            begin(request)
        case .compare(let digits):
            begin(request)
            tell(.compare(digits: digits))
        // Neither protects a phone from a device in the middle, or the gateway from a stranger.
        case .consent, .enterPasskey:
            request.respond(with: .refuse)
        }
    }

    private func begin(_ request: CBPairingRequest) {
        logger.info("a phone is pairing", metadata: ["model": "\(request.model.rawValue)"])
        inside.withLock { $0.request = request }
        var passkey: Secret?
        if case .display(let digits) = request.kind { passkey = Secret(digits) }
        perform { $0.began(with: passkey, at: $1) }
        tell(.began)
    }

    package func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) {
        // The gateway refused another phone during this attempt.
        if inside.withLock({ $0.request?.isOpen == true }) { return }
        inside.withLock { $0.request = nil }
        let (outcome, text) = Self.outcome(of: result)
        switch result {
        case .success: logger.notice("a phone has paired")
        case .failure(let error):
            logger.notice("a phone has not paired", metadata: ["reason": "\(error.localizedDescription)"])
        }
        perform { $0.ended(outcome, at: $1) }
        tell(.ended(outcome, text))
    }

    private static func outcome(of result: Result<CBBond, CBPairingError>) -> (WindowMachine.Outcome, String) {
        switch result {
        case .success: (.paired, "The phone has paired.")
        // A phone that keeps no key has proved all digits, too.
        case .failure(let error) where error.revealsPasskey || error.code == .notBonded:
            (.revealed, "The pairing broke off when it had almost succeeded. Connect again, and enter the new passkey.")
        case .failure(let error) where error.code == .timedOut:
            (
                .timedOut,
                "The passkey was not entered within 30 s. Connect again with the phone, and enter the new passkey."
            )
        case .failure(let error) where error.code == .disconnected:
            (.failed, "The phone has gone. Connect again, and enter the new passkey.")
        case .failure:
            (.failed, "The phone has not paired: the passkey was wrong, or the phone gave up. Enter the new passkey.")
        }
    }

    /// A person's answer about the digits of ``Notice/compare(digits:)``; false if the question is no longer open.
    @discardableResult
    package func answerComparison(_ isSame: Bool) -> Bool {
        let request = inside.withLock { $0.request }
        guard let request, case .compare = request.kind else { return false }
        return request.respond(with: isSame ? .accept : .refuse)
    }

    // MARK: Label

    package var label: LabelRecord? { inside.withLock { $0.machine.label } }

    /// The label's digits. Makes new digits if there are none, or if `isNew`: then the identity address changes, too.
    package func label(isNew: Bool) async throws -> LabelRecord {
        if let label, !isNew { return label }
        let hadLabel = label != nil || isNew
        let record = LabelRecord(passkey: Secret(parts.makePasskey()))
        queue.sync { perform { $0.setLabel(record, at: $1) } }
        guard let kept = label, kept.isGood else { throw ControlError.refused("the label's record cannot be written") }
        // Phones with the old digits see a new gateway.
        if hadLabel { await parts.changeIdentity() }
        return kept
    }

    /// Data for the next phone over a channel other than the radio.
    package var outOfBand: CBOutOfBandData? { inside.withLock { $0.outOfBand } }
}
