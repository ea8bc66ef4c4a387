// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Additive: answers the questions of pairings to people, and gets their results.
///
/// Set the agent with ``CBController/setPairingAgent(_:queue:)``. The controller holds the agent weakly, and calls it
/// on the given queue, by default the main queue. A pairing waits 30 s for an answer, then fails.
public protocol CBPairingAgent: AnyObject {
    /// A pairing wants something of people. Answer with ``CBPairingRequest/respond(with:)``, now or later.
    func controller(_ controller: CBController, didReceive request: CBPairingRequest)

    /// A pairing has ended, from either side: with a bond, or with a ``CBPairingError``. Optional.
    func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>)
}

extension CBPairingAgent {
    /// Does nothing.
    public func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) {}
}

/// Additive: a question of a pairing to a person.
public final class CBPairingRequest: Sendable {
    /// The kinds of questions.
    public enum Kind: Hashable, Sendable {
        /// May this device be paired without a proof of its identity? Needs an answer.
        case consent
        /// Show these six digits until the pairing ends, for entry on the other device. Needs no answer.
        case display(passkey: String)
        /// Ask for the six digits that the other device shows, or has on its label. Needs an answer.
        case enterPasskey
        /// Do both devices show these six digits? Needs an answer.
        case compare(digits: String)
    }

    /// The answers to a question.
    public enum Answer: Hashable, Sendable {
        /// Yes to ``Kind/consent`` or ``Kind/compare(digits:)``.
        case accept
        /// No; to each kind. The pairing ends.
        case refuse
        /// To ``Kind/enterPasskey``.
        case passkey(CBPasskey)
    }

    /// The other device. Its `identifier` is the identifier of the application's `CBPeripheral` or `CBCentral`.
    public let peer: CBPeer
    /// The kind of question.
    public let kind: Kind
    /// The method by which the two devices verify each other.
    public let model: CBPairingModel
    /// True if this end started the pairing, by a call or on demand; false if the other device started it.
    public let isOurs: Bool

    private let send: Mutex<(@Sendable (Answer) -> Void)?>

    init(
        peer: CBPeer, kind: Kind, model: CBPairingModel, isOurs: Bool, send: @escaping @Sendable (Answer) -> Void
    ) {
        self.peer = peer
        self.kind = kind
        self.model = model
        self.isOurs = isOurs
        self.send = Mutex(send)
    }

    /// Answers; the first answer counts. False if the request was answered before, if the pairing is over, or if the
    /// answer does not fit the kind of request. A request with an unfit answer still waits for an answer.
    @discardableResult
    public func respond(with answer: Answer) -> Bool {
        guard fits(answer) else { return false }
        let send = send.withLock { send in
            defer { send = nil }
            return send
        }
        send?(answer)
        return send != nil
    }

    /// The pairing goes on, and waits for an answer or shows something.
    public var isOpen: Bool { send.withLock { $0 } != nil }

    /// Makes later answers void.
    func end() { send.withLock { $0 = nil } }

    private func fits(_ answer: Answer) -> Bool {
        switch (answer, kind) {
        case (.refuse, _), (.accept, .consent), (.accept, .compare), (.passkey, .enterPasskey): true
        case (.accept, .display), (.accept, .enterPasskey), (.passkey, _): false
        }
    }
}
