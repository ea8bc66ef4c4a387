// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP
import Testing

@testable import HostBench

/// Commands from the tests of other hosts' Security Managers, octet for octet, and our host's answers.
struct SMExchangeTests {
    /// Our host is open to pairings, also to LE legacy ones where `isLegacy` says so.
    private func begins(asCentral: Bool = false, isLegacy: Bool = false, _ io: IOCapability = .noInputNoOutput) throws
        -> Bench
    {
        let bench = try Bench()
        bench.host.policy = isLegacy ? Bench.legacy(io) : Bench.open(io)
        try bench.link(asCentral: asCentral)
        return bench
    }

    @Test(arguments: [
        ("0B 00", "05 07"), ("01 00 00 00 00 00 00", "05 06"), ("01 FF", "05 0A"), ("01 03 00 01 06 01 01", "05 06"),
        ("01 03 00 01 11 01 01", "05 0A"),
    ])
    func `a peripheral refuses a command`(command: String, answer: String) throws {
        for isLegacy in [false, true] {
            let bench = try begins(isLegacy: isLegacy)
            try bench.peer.send(hex(command), on: Bench.securityManager)
            try bench.expects(security: OctetPattern(answer))
            try bench.isUnpaired()
            try bench.finish()
        }
    }

    @Test func `a central is asked to pair by nobody`() throws {
        let bench = try begins(asCentral: true)
        try bench.peer.send(hex("01 03 00 01 10 05 05"), on: Bench.securityManager)
        try bench.expects(security: "05 07")
        try bench.isUnpaired()
        try bench.finish()
    }

    /// `request`: the tester's command. `response`: our host's answer.
    private func pairs(_ bench: Bench, _ request: String, _ response: OctetPattern) throws -> SMTester {
        let tester = SMTester(bench, isInitiator: true, try SMFeatures(parameters: hex(request)[1...]))
        try tester.sendRequest()
        try require(tester.request == hex(request), "the tester sends \(text(tester.request))")
        try tester.takeResponse()
        try require(response.matches(tester.response), "our host answers \(text(tester.response))")
        try tester.completePairing()
        try bench.isPaired(tester)
        try bench.finish()
        return tester
    }

    @Test func `a request of LE legacy pairing is refused unless it was allowed`() throws {
        let bench = try begins()
        try bench.peer.send(hex("01 03 00 01 10 05 05"), on: Bench.securityManager)
        try bench.expects(security: "05 03")
        try bench.isUnpaired()
        try bench.finish()
        // Our host agrees to every requested key but the signing key.
        let tester = try pairs(try begins(isLegacy: true), "01 03 00 01 10 05 05", "02 03 00 ?? 10 01 01")
        try require(!tester.isSecure && tester.model.association == .justWorks, "\(tester.model)")
    }

    @Test(arguments: [IOCapability.displayOnly, .keyboardOnly])
    func `a request of LE legacy pairing with a passkey`(io: IOCapability) throws {
        let bench = try begins(isLegacy: true, io)
        let response = OctetPattern("02 0\(io.rawValue) 00 ?? 10 01 01")
        let tester = try pairs(bench, "01 04 00 05 10 05 05", response)
        try require(!tester.isSecure && tester.model.association == .passkeyEntry, "\(tester.model)")
    }

    @Test func `a request of Secure Connections for both transports is taken for this one`() throws {
        // Neither the flag CT2 nor link and signing keys are ours.
        let tester = try pairs(try begins(), "01 03 00 29 10 0D 0D", "02 03 00 09 10 ?? ??")
        let keys = tester.responderFeatures.initiatorKeys | tester.responderFeatures.responderKeys
        try require(keys & (SMFeatures.linkKey | SMFeatures.signingKey) == 0, "our host wants \(keys)")
    }
}
