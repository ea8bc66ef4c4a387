// SPDX-License-Identifier: Apache-2.0

import SMP
import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing

@testable import HostBench

/// Our server's demands on a link, and our client's behaviour when a bond no longer works.
struct AuthenticationTests {
    /// One characteristic needs an encrypted link, and another needs an authenticated key.
    static let protected = LocalService(
        uuid: short(0xFFE8),
        characteristics: [
            LocalCharacteristic(
                uuid: short(0xFFE9), properties: [.read, .write], value: [6], read: .encrypted, write: .encrypted),
            LocalCharacteristic(uuid: short(0xFFEA), properties: .read, value: [7], read: .authenticated),
        ])
    static let firstHandle: UInt16 = 0x20
    static let needsEncryption = "22 00"
    static let needsAuthentication = "24 00"

    // MARK: Our server

    @Test(arguments: [("GAP/SEC/AUT/BV-11-C", false), ("GAP/SEC/AUT/BV-12-C", true)])
    func `a server without a bond refuses, and serves after a pairing`(_ id: String, isCentral: Bool) throws {
        try conformance(id, rows: [true, false]) { bench, isAuthenticated in
            try publish(bench)
            bench.host.policy = Bench.open(.displayOnly)
            try bench.link(asCentral: isCentral)
            try refuses(bench, "05")
            // An encrypted link suffices for one characteristic; the other needs an authenticated key.
            let features = SMFeatures(isAuthenticated ? .keyboardOnly : .noInputNoOutput, mitm: isAuthenticated)
            if isCentral { try bench.send(security: "0B \(text([features.authReq]))") }
            let tester = SMTester(bench, isInitiator: !isCentral, features)
            try tester.pair()
            try bench.isPaired(tester)
            try serves(bench, isAuthenticated: isAuthenticated)
        }
    }

    @Test func `GAP/SEC/AUT/BV-23-C peripheral as server with a bond on a plain link`() throws {
        try conformance("GAP/SEC/AUT/BV-23-C") { (bench: Bench) in
            try publish(bench)
            try bench.storeBond(isAuthenticated: true)
            try bench.advertise("02 01 06")
            try bench.accept()
            try refuses(bench, "0F")
            try require(try bench.encrypts() == 0, "the host has not given its key")
            try serves(bench, isAuthenticated: true)
            // Without a key of its own the host asks for pairing instead.
            bench.host.removeBond(with: RawPeer.publicAddress)
            try bench.peer.disconnect()
            try bench.wait(for: "the end of the link") { if case .linkDown = $0 { true } else { nil } }
            try bench.accept()
            try refuses(bench, "05")
        }
    }

    @Test func `GAP/SEC/AUT/BV-24-C central as server with a bond on a plain link`() throws {
        try conformance("GAP/SEC/AUT/BV-24-C") { (bench: Bench) in
            try publish(bench)
            try bench.storeBond(Bench.legacyKeys, isAuthenticated: true)
            try bench.connectPlainly()
            try refuses(bench, "0F")
            try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "encryption did not start")
            try bench.keyIsWanted(Bench.legacyNumbers)
            try bench.givesKey()
            _ = try bench.toldEncrypted()
            try serves(bench, isAuthenticated: true)
        }
    }

    // MARK: A lost bond

    /// The upper tester is told, the bond is kept, and nothing is said in the plain.
    @Test func `GAP/SEC/AUT/BV-21-C a lost bond is told as initiator`() throws {
        try ConformanceRecord.run("GAP/SEC/AUT/BV-21-C", file: #fileID) {
            for isLegacy in [false, true] {
                for isAskedFor in [false, true] {
                    let bench = try Bench()
                    try losesBond(bench, isLegacy: isLegacy, isAskedFor: isAskedFor)
                    try bench.finish()
                }
            }
        }
    }

    /// `isAskedFor`: encryption is the client's wish, not the host's own at connection.
    private func losesBond(_ bench: Bench, isLegacy: Bool, isAskedFor: Bool) throws {
        let keys = isLegacy ? Bench.legacyKeys : .secureConnections(Bench.key)
        try bench.storeBond(keys)
        if isAskedFor {
            try bench.connectPlainly()
            try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "it did not start")
        } else {
            try bench.peer.advertise()
            try bench.join(RawPeer.publicAddress)
        }
        let plain = bench.plainPDUs
        try bench.ask(.read(handle: 9))
        try bench.keyIsWanted(isLegacy ? Bench.legacyNumbers : Bench.noNumbers)
        try bench.hasNoKey()
        try bench.toldEncryptionFailed(.pinOrKeyMissing)
        try bench.disconnected(.pinOrKeyMissing)
        try bench.expectsNothing()
        try require(bench.plainPDUs == plain, "the host went on in the plain")
        try bench.keepsBond(keys)
    }

    // MARK: Our client

    static let refusals = [
        Refusal("GAP/SEC/AUT/BV-19-C", .insufficientAuthentication),
        Refusal("GAP/SEC/AUT/BV-25-C", .insufficientAuthentication),
        Refusal("GAP/SEC/AUT/BV-27-C", .insufficientEncryption),
    ]

    @Test(arguments: refusals)
    func `a central's client whose key fails is told, and nothing is paired`(_ row: Refusal) throws {
        try conformance(row.id) { (bench: Bench) in
            try bench.storeBond()
            try bench.connectPlainly()
            try bench.ask(.read(handle: 9))
            try bench.answers("0A 09 00", with: row.response(to: 0x0A, handle: 9))
            try bench.keyIsWanted()
            try bench.hasNoKey()
            try bench.toldEncryptionFailed(.pinOrKeyMissing)
            try bench.told(refused: row.error)
            try bench.disconnected(.pinOrKeyMissing)
            try bench.didNotPair()
            try bench.expectsNothing()
            try bench.keepsBond()
        }
    }

    // MARK: Parts

    private func publish(_ bench: Bench) throws {
        let published = try bench.publish(Self.protected)
        try require(published.handles.start == Self.firstHandle, "the service is at \(published.handles)")
    }

    private func refuses(_ bench: Bench, _ error: String) throws {
        try bench.send(att: "0A \(Self.needsEncryption)")
        try bench.expects(att: OctetPattern("01 0A \(Self.needsEncryption) \(error)"))
        try bench.send(att: "12 \(Self.needsEncryption) 01")
        try bench.expects(att: OctetPattern("01 12 \(Self.needsEncryption) \(error)"))
        try bench.send(att: "0A \(Self.needsAuthentication)")
        try bench.expects(att: OctetPattern("01 0A \(Self.needsAuthentication) \(error)"))
    }

    private func serves(_ bench: Bench, isAuthenticated: Bool) throws {
        try bench.send(att: "0A \(Self.needsEncryption)")
        try bench.expects(att: "0B 06")
        try bench.send(att: "0A \(Self.needsAuthentication)")
        try bench.expects(
            att: isAuthenticated ? "0B 07" : OctetPattern("01 0A \(Self.needsAuthentication) 05"))
    }
}
