// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import HCI
import SMP

/// The person at our host, who answers the questions of its pairings; nil: no answer.
struct Person {
    var consents: Bool? = true
    var agreesToDigits: Bool? = true
    var enters: UInt32? = 123_456

    func answer(_ question: PairingQuestion) -> PairingAnswer? {
        switch question {
        case .consent: consents.map { $0 ? .yes : .no }
        case .compare: agreesToDigits.map { $0 ? .yes : .no }
        case .enterPasskey: enters.map(PairingAnswer.passkey)
        case .display: nil
        }
    }
}

/// Pairings, from the upper tester's side.
extension Bench {
    /// The policy of a host that pairs with any peer, and has a person to answer.
    static func open(_ io: IOCapability = .noInputNoOutput, minimumKeySize: UInt8 = 16) -> SecurityPolicy {
        var policy = SecurityPolicy(minimumKeySize: minimumKeySize)
        policy.acceptsPairing = .open
        policy.ioCapability = io
        policy.hasAgent = true
        return policy
    }

    /// Like ``open(_:minimumKeySize:)``, with LE legacy pairing for the tester.
    static func legacy(_ io: IOCapability = .noInputNoOutput, minimumKeySize: UInt8 = 16) -> SecurityPolicy {
        var policy = open(io, minimumKeySize: minimumKeySize)
        policy.legacyPeers = [RawPeer.publicAddress]
        return policy
    }

    // MARK: Our host

    /// Tells our host to pair with the tester. After failed attempts, the host waits first.
    func pairs(_ settings: (inout PairingSettings) -> Void = { _ in }) throws {
        recorder?.pairingWanted()
        var start = host.pair(try link, at: now, settings)
        if case .tooSoon(let pause) = start {
            try require(pause > .zero && pause <= .seconds(3600), "our host wants to wait for \(pause)")
            pauses.append(pause)
            run(for: pause)
            start = host.pair(try link, at: now, settings)
        }
        try require(start == .started, "our host does not begin to pair: \(start)")
    }

    /// A tester for the present link. If our host is the Central, it is told to pair.
    func begins(
        _ features: SMFeatures = SMFeatures(), asCentral isCentral: Bool,
        _ settings: (inout PairingSettings) -> Void = { _ in }
    ) throws -> SMTester {
        let tester = SMTester(self, isInitiator: !isCentral, features)
        if isCentral { try pairs(settings) }
        return tester
    }

    /// As the Peripheral, our host asks for a pairing. Returns the AuthReq of its Security Request.
    @discardableResult
    func asksForSecurity(_ settings: (inout PairingSettings) -> Void = { _ in }) throws -> UInt8 {
        try pairs(settings)
        return try takeSecurityRequest()
    }

    func takeSecurityRequest() throws -> UInt8 {
        let authReq = try expects(security: "0B ??")[1]
        try require(authReq & 0xE2 == 0, "our host asks for \(text([authReq]))")
        return authReq
    }

    /// After an error for lack of protection, our host begins to pair, and the tester declines.
    func declinesPairing(after error: ATTErrorCode) throws {
        switch error {
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort: try declinesPairing()
        default: break
        }
    }

    func declinesPairing() throws {
        try expects(security: "01 03 00 ?? 10 ?? ??")
        try send(security: "05 05")
        try toldPairingFailed(.refusedByPeer(.pairingNotSupported))
    }

    // MARK: Questions

    func askedToDisplay() throws -> UInt32 {
        try asked("digits to show") { if case .display(let passkey) = $0 { passkey } else { nil } }
    }

    func askedToCompare() throws -> UInt32 {
        try asked("digits to compare") { if case .compare(let digits) = $0 { digits } else { nil } }
    }

    func askedToEnter() throws { try asked("a passkey") { if case .enterPasskey = $0 { () } else { nil } } }

    private func asked<Result>(_ what: String, _ match: (PairingQuestion) -> Result?) throws -> Result {
        run(for: Self.patience, until: { questions.contains { match($0) != nil } })
        guard let index = questions.firstIndex(where: { match($0) != nil }), let found = match(questions[index]) else {
            throw ScriptFailure("our host did not ask for \(what); it asked \(questions), and was told \(events)")
        }
        questions.remove(at: index)
        return found
    }

    // MARK: Results

    @discardableResult
    func toldPaired() throws -> Bond {
        try wait(for: "the end of the pairing") {
            if case .pairing(_, _, _, .finished(let bond)) = $0 { bond } else { nil }
        }
    }

    func toldPairingFailed(_ expected: PairingFailure, within limit: Duration = patience) throws {
        let seen = try wait(for: "the failure of the pairing", within: limit) {
            if case .pairing(_, _, _, .failed(let failure)) = $0 { failure } else { nil }
        }
        try require(seen == expected, "expected \(expected); the client was told \(seen)")
    }

    /// Nothing of the pairing is left: no protection, no bond.
    func isUnpaired() throws {
        try require(host.bond(for: RawPeer.publicAddress) == nil, "our host has a bond")
        try require(host.takeBondChanges().isEmpty, "our host has bonds to store")
        guard let link = links.last, let security = host.security(of: link) else { return }
        try require(!security.isEncrypted, "the link is \(security)")
    }

    /// Pairing has succeeded on both sides, with one key of the right strength, and with a bond if both sides want a
    /// bond.
    @discardableResult
    func isPaired(_ tester: SMTester) throws -> Bond {
        let bond = try toldPaired()
        try require(bond.isSecureConnections == tester.isSecure, "the bond is \(bond)")
        try require(bond.keySize == tester.keySize, "the bond is \(bond), not of \(tester.keySize) octets")
        try require(bond.isAuthenticated == tester.isAuthenticated, "the bond is \(bond)")
        if tester.isSecure { try require(bond.keys == .secureConnections(tester.key), "the host has another key") }
        try require(host.bond(for: bond.identity) == bond, "the bond is not kept")
        try isProtected(tester)
        return bond
    }

    /// Like ``isPaired(_:)``, for a pairing in which one side does not bond: the key ends with the link.
    func isPairedForNow(_ tester: SMTester) throws {
        let security = try wait(for: "the end of the pairing") {
            if case .pairing(_, _, _, .finishedUnbonded(let security)) = $0 { security } else { nil }
        }
        try require(security.isEncrypted, "the client was told of \(security)")
        try isProtected(tester)
        try require(host.bond(for: RawPeer.publicAddress) == nil, "our host has a bond")
        try require(host.takeBondChanges().isEmpty, "our host has bonds to store")
    }

    private func isProtected(_ tester: SMTester) throws {
        guard let security = host.security(of: try link) else { throw ScriptFailure("our host has no link") }
        try require(
            security.isEncrypted && security.isAuthenticated == tester.isAuthenticated
                && security.isSecureConnections == tester.isSecure && security.keySize == tester.keySize,
            "the link is \(security)")
    }

    /// Forgets all events and questions so far.
    func forgetTold() {
        events = []
        questions = []
    }

    /// Our host and the tester have never met.
    func forgetBond() {
        host.removeBond(with: RawPeer.publicAddress)
        _ = host.takeBondChanges()
        forgetTold()
    }
}
