// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// The work of the Security Manager on one link.
struct LinkPairing: Sendable {
    /// The place of a pairing's key.
    enum KeyUse: Sendable {
        case none
        /// The controller has it.
        case starting
        /// The link is encrypted with it.
        case inUse
    }

    /// A pairing under way.
    struct Run: Sendable {
        var machine: PairingMachine
        /// By our own wish or need.
        let isOurs: Bool
        /// With a passkey that was known beforehand, and is the same the next time.
        let hasKnownPasskey: Bool
        /// The number of what it was lent of the policy's ``SecurityPolicy/Once``; nil: nothing.
        let once: UInt64?
        var keyUse = KeyUse.none

        /// Something of that passkey may have been told.
        var risksPasskey: Bool { hasKnownPasskey && machine.model == .passkeyEntry }
    }

    /// As the Peripheral: the Central was asked for security.
    struct Request: Sendable {
        enum Purpose: Sendable {
            /// A client wants to be paired, and hears how it ends.
            case pairing
            /// The peer refused a request of our client, and there is no bond.
            case demand
            /// The peer refused a request of our client, and there is a bond, which the Central may have lost.
            case proveBond
        }

        /// For the pairing that may come of it.
        let settings: PairingSettings
        let purpose: Purpose
        let deadline: MonotonicTime
    }

    // A link is looked at for every packet, and hardly any link pairs: what a pairing needs lies apart, in lists of one.
    private var runs: [Run] = []
    private var requests: [Request] = []
    private var kept: [PairingResult] = []

    /// A pairing has timed out: no other one can follow on this link. Core 5.4, Vol 3, Part H, 3.4.
    private(set) var isOver = false
    /// The Central has left a request unanswered: it is not asked again without a client's wish.
    private(set) var ignoresRequests = false

    /// The causes that clients were told of, a bit for each.
    private var toldRefusals: UInt8 = 0

    /// See ``isOver``.
    mutating func timedOut() { isOver = true }
    /// See ``ignoresRequests``.
    mutating func leftRequestUnanswered() { ignoresRequests = true }

    /// True the first time on this link.
    mutating func isNews(_ refusal: PairingRefusal) -> Bool {
        let bit: UInt8 = 1 &<< refusal.rawValue
        defer { toldRefusals |= bit }
        return toldRefusals & bit == 0
    }

    var run: Run? { runs.first }
    var request: Request? { requests.first }
    /// Something is under way that ends with an event or an answer.
    var isBusy: Bool { !runs.isEmpty || !requests.isEmpty }
    var keyUse: KeyUse { runs.first?.keyUse ?? .none }

    /// Keys that the link has without a bond: they end with it.
    var linkKeys: PairingResult? {
        get { kept.first }
        set { kept = newValue.map { [$0] } ?? [] }
    }

    /// When something of it is due.
    var deadline: MonotonicTime? {
        .earlier(runs.first?.machine.deadline, requests.first?.deadline)
    }

    mutating func begin(_ machine: PairingMachine, isOurs: Bool, hasKnownPasskey: Bool, once: UInt64?) {
        requests = []
        runs = [Run(machine: machine, isOurs: isOurs, hasKnownPasskey: hasKnownPasskey, once: once)]
    }

    mutating func await(_ request: Request) { requests = [request] }

    /// The Central has answered, or nobody waits for it any more.
    mutating func takeRequest() -> Request? { requests.popLast() }

    /// The pairing is over, one way or the other.
    mutating func end() -> Run? { runs.popLast() }

    mutating func setKeyUse(_ use: KeyUse) {
        guard !runs.isEmpty else { return }
        runs[0].keyUse = use
        if use == .starting { runs[0].machine.encryptionBegins() }
    }

    /// Hands something to the pairing; nothing comes of it where there is none.
    mutating func tell(_ body: (inout PairingMachine) -> [PairingMachine.Effect]) -> [PairingMachine.Effect] {
        runs.isEmpty ? [] : body(&runs[0].machine)
    }
}
