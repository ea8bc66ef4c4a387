// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import SMP
import Testing

@testable import HostBench

/// Our server and our client meet insufficient keys and bonds that the peer has lost. Our host pairs anew only with a person's consent.
struct AuthenticationByPairingTests {
    private static let authenticated = AuthenticationTests.needsAuthentication

    // MARK: An unauthenticated key

    @Test func `GAP/SEC/AUT/BV-13-C central whose key is not authenticated`() throws {
        try conformance("GAP/SEC/AUT/BV-13-C", rows: ["server", "client"]) { bench, side in
            try begins(bench, isCentral: true)
            if side == "server" {
                try bench.send(security: "0B 01")
            } else {
                try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "it did not start")
            }
            try bench.keyIsWanted()
            try bench.givesKey()
            _ = try bench.toldEncrypted()
            if side == "server" {
                try refuses(bench)
                try bench.send(security: "0B 0D")
            } else {
                try bench.ask(.read(handle: 9))
                try bench.answers("0A 09 00", with: "01 0A 09 00 05")
            }
            let tester = SMTester(bench, isInitiator: false, SMFeatures(.keyboardOnly, mitm: true))
            _ = try bench.expects(event: .encryptionChange)
            try tester.pair()
            try require(tester.hostFeatures.wantsAuthentication, "our host asks for \(tester.hostFeatures)")
            try bench.isPaired(tester)
            if side == "server" {
                try serves(bench)
            } else {
                try bench.answers("0A 09 00", with: "0B 66")
                try bench.told(value: "66")
            }
        }
    }

    @Test func `GAP/SEC/AUT/BV-14-C peripheral whose key is not authenticated`() throws {
        try conformance("GAP/SEC/AUT/BV-14-C") { (bench: Bench) in
            try begins(bench, isCentral: false)
            try require(try bench.encrypts() == 0, "our host has not given its key")
            try refuses(bench)
            let tester = SMTester(bench, isInitiator: true, SMFeatures(.keyboardOnly, mitm: true))
            try tester.pair()
            try bench.isPaired(tester)
            try serves(bench)
        }
    }

    /// A bond with an unauthenticated key, and a host that may pair with authentication.
    private func begins(_ bench: Bench, isCentral: Bool) throws {
        let published = try bench.publish(AuthenticationTests.protected)
        try require(published.handles.start == AuthenticationTests.firstHandle, "it is at \(published.handles)")
        try bench.storeBond()
        bench.host.policy = Bench.open(.displayOnly)
        bench.host.policy.replacement = .unlessWeaker
        try bench.link(asCentral: isCentral)
    }

    private func refuses(_ bench: Bench) throws {
        try bench.send(att: "0A \(Self.authenticated)")
        try bench.expects(att: OctetPattern("01 0A \(Self.authenticated) 05"))
    }

    private func serves(_ bench: Bench) throws {
        try bench.send(att: "0A \(Self.authenticated)")
        try bench.expects(att: "0B 07")
    }

    // MARK: A peer without a better key

    @Test(arguments: [("GAP/SEC/AUT/BV-17-C", true), ("GAP/SEC/AUT/BV-18-C", false)])
    func `a refused client pairs with a peer that has no input and no output`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: [false, true]) { bench, isMandated in
            bench.host.policy.ioCapability = .displayYesNo
            bench.host.policy.requiresAuthentication = isMandated
            if isCentral { try bench.link(asCentral: true) } else { try bench.acceptShared() }
            try bench.ask(.read(handle: 9))
            try bench.answers("0A 09 00", with: "01 0A 09 00 05")
            let tester = SMTester(bench, isInitiator: !isCentral, SMFeatures(isBonding: false))
            if isCentral {
                tester.features.authReq = SMFeatures.secureConnections
            } else {
                let authReq = try bench.takeSecurityRequest()
                try require(!isMandated || authReq & SMFeatures.mitm != 0, "our host asks for \(text([authReq]))")
                tester.features.authReq = authReq
            }
            if isMandated {
                if isCentral { try tester.exchangeFeatures() } else { try tester.sendRequest() }
                try tester.expectsFailure(.authenticationRequirements)
                try bench.told(refused: .insufficientAuthentication)
                try bench.isUnpaired()
                return
            }
            try tester.pair()
            try require(!tester.isAuthenticated, "\(tester.model)")
            if isCentral { try bench.isPairedForNow(tester) } else { try bench.isPaired(tester) }
            try bench.answers("0A 09 00", with: "0B 66")
            try bench.told(value: "66")
        }
    }

    // MARK: A bond lost by the Central

    enum Somebody: String, Sendable, CaseIterable {
        /// The window is closed, as by default.
        case absent
        case refuses
        case agrees
    }

    /// Our client speaks to a bonded Central only under its key. So our host tests the bond before the first request, and neither error can
    /// answer a request.
    @Test(arguments: ["GAP/SEC/AUT/BV-20-C", "GAP/SEC/AUT/BV-26-C", "GAP/SEC/AUT/BV-28-C"])
    func `a peripheral whose bond is lost is told, and asks before it pairs anew`(_ id: String) throws {
        try conformance(id, rows: Somebody.allCases) { bench, person in
            // GAP/SEC/AUT/BV-28-C uses an authenticated bond.
            let isAuthenticated = id == "GAP/SEC/AUT/BV-28-C"
            try bench.storeBond(isAuthenticated: isAuthenticated)
            bench.host.policy.ioCapability = .displayYesNo
            if person != .absent {
                bench.host.policy.acceptsPairing = .open
                bench.host.policy.replacement = .unlessWeaker
                bench.host.policy.hasAgent = true
            }
            bench.person = Person(
                consents: person == .agrees, agreesToDigits: person == .agrees, enters: nil)
            try bench.acceptUnproven()
            _ = try bench.takeSecurityRequest()
            let features = SMFeatures(isAuthenticated ? .displayYesNo : .noInputNoOutput, mitm: isAuthenticated)
            let tester = SMTester(bench, isInitiator: true, features)
            if person == .agrees {
                try tester.pair()
                try require(isAuthenticated || bench.questions == [.consent], "nobody was asked: \(bench.questions)")
                try bench.isPaired(tester)
                try bench.becomeClient()
                try bench.ask(.read(handle: 9))
                try bench.answers("0A 09 00", with: "0B 66")
                try bench.told(value: "66")
                return
            }
            if person == .refuses, isAuthenticated {
                try tester.exchangeFeatures()
                try tester.exchangePublicKeys()
                try tester.exchangeNonces()
            } else {
                try tester.sendRequest()
            }
            if person == .absent {
                try bench.losesBond()
            } else {
                try tester.expectsFailure(isAuthenticated ? .numericComparisonFailed : .pairingNotSupported)
                try bench.wait(for: "the failure") {
                    if case .pairing(_, _, _, .failed(.refused)) = $0 { true } else { nil }
                }
            }
            try bench.expectsNothing()
            try require(bench.host.bond(for: RawPeer.publicAddress)?.keys == .secureConnections(Bench.key), "no bond")
            try require(bench.peer.frames[Bench.attributeProtocol]?.isEmpty != false, "our client spoke in the plain")
        }
    }

    @Test func `GAP/SEC/AUT/BV-22-C a lost bond is told as responder`() throws {
        try conformance("GAP/SEC/AUT/BV-22-C", rows: [false, true]) { bench, isLegacy in
            let keys = isLegacy ? Bench.legacyKeys : LongTermKeys.secureConnections(Bench.key)
            try bench.storeBond(keys)
            try bench.acceptUnproven()
            _ = try bench.takeSecurityRequest()
            let tester = SMTester(bench, isInitiator: true, SMFeatures(isSecure: !isLegacy))
            try tester.sendRequest()
            try bench.losesBond()
            try bench.keepsBond(keys)
        }
    }
}

extension Bench {
    /// The upper tester hears that the peer has lost its key, and the link ends. It may hear the reason earlier.
    fileprivate func losesBond() throws {
        try toldEncryptionFailed(.pinOrKeyMissing)
        try wait(for: "the end of the link") { if case .linkDown = $0 { true } else { nil } }
        let answer = peer.takeFrame(on: Self.securityManager) ?? hex("05 05")
        try require(answer == hex("05 05"), "our host answers \(text(answer))")
    }

    /// Our host becomes the Peripheral of a link to an unknown tester, and our client shares the link.
    fileprivate func acceptShared() throws {
        try acceptUnproven()
        try expects(att: "02 ?? ??")
        try send(att: "03 17 00")
        try wait(for: "the MTU") { if case .mtuExchanged = $0 { true } else { nil } }
    }
}
