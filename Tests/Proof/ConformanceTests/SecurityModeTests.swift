// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing

@testable import HostBench

/// LE security mode 1 with the keys of bonds: no fallback to plain links, no values from them, no short keys.
struct SecurityModeTests {
    @Test func `GAP/SEC/SEM/BV-45-C encryption that fails ends the link`() throws {
        try conformance("GAP/SEC/SEM/BV-45-C") { (bench: Bench) in
            try bench.storeBond(isAuthenticated: true)
            // The bond is gone …
            try bench.peer.advertise()
            try bench.join(RawPeer.publicAddress)
            try bench.keyIsWanted()
            try bench.hasNoKey()
            try bench.toldEncryptionFailed(.pinOrKeyMissing)
            try bench.disconnected(.pinOrKeyMissing)
            // … or the device is another device with another key.
            try bench.peer.advertise()
            try bench.join(RawPeer.publicAddress)
            try bench.keyIsWanted()
            try bench.givesKey(Bench.secret(0xB2))
            try bench.toldEncryptionFailed(.micFailure)
            try bench.disconnected(.micFailure)
            try bench.expectsNothing()
            try require(bench.plainPDUs == 0, "the host spoke in the plain")
            try bench.keepsBond()
        }
    }

    // MARK: Values on links below the bond's level

    enum State: String, Sendable {
        /// Neither side has asked for encryption yet.
        case plain
        /// The encryption was started, and failed.
        case failed
        /// The bond's key is shorter than the host allows.
        case shortKey
    }

    struct Below: Sendable, CustomTestStringConvertible {
        let id: String
        let isCentral: Bool
        let isIndication: Bool
        /// A level of LE security mode 1: 2 has an unauthenticated key, 4 has an authenticated key of Secure Connections.
        let level: Int

        var testDescription: String { "\(id), central \(isCentral), indication \(isIndication), level \(level)" }

        var keys: LongTermKeys { level == 4 ? .secureConnections(Bench.key) : Bench.legacyKeys }
        var numbers: [UInt8] { level == 4 ? Bench.noNumbers : Bench.legacyNumbers }
    }

    static let below: [Below] = (0..<12).map { index in
        Below(
            id: "GAP/SEC/SEM/BV-\(56 + index)-C", isCentral: index >= 6, isIndication: index % 6 < 3,
            level: 2 + index % 3)
    }

    @Test(arguments: below) func `a value on a link below the level of the bond is not told`(_ row: Below) throws {
        try ConformanceRecord.run(row.id, file: #fileID) {
            for state in [State.plain, .failed, .shortKey] {
                let bench = try Bench()
                try isNotTold(bench, row, state)
                try bench.finish()
            }
        }
    }

    private func isNotTold(_ bench: Bench, _ row: Below, _ state: State) throws {
        try bench.storeBond(row.keys, keySize: state == .shortKey ? 15 : 16, isAuthenticated: row.level > 2)
        if row.isCentral { try becomeCentral(bench, row, state) } else { try becomePeripheral(bench, row, state) }
        let opcode = row.isIndication ? "1D" : "1B"
        try bench.send(att: "\(opcode) 09 00 66")
        // Our client confirms the indication all the same, unless the link ends.
        let isOver = row.isCentral && state == .failed
        if row.isIndication, !isOver { try bench.expects(att: "1E") }
        try bench.expectsNothing()
        try require(bench.values.isEmpty, "the client was told \(bench.values)")
        try require(bench.host.counters.valuesBlocked == 1, "the value was not looked at")
        try bench.keepsBond(row.keys)
        guard !isOver else {
            try bench.toldEncryptionFailed(.pinOrKeyMissing)
            try bench.disconnected(.pinOrKeyMissing)
            return
        }
        try protect(bench, row, state)
        // Under the key our client takes the same value.
        try bench.send(att: "\(opcode) 09 00 66")
        try bench.told(handle: 9, changedTo: "66", isIndication: row.isIndication)
        guard row.isIndication else { return }
        try bench.confirm()
        try bench.expects(att: "1E")
    }

    private func becomeCentral(_ bench: Bench, _ row: Below, _ state: State) throws {
        // With a too short key, the host would end the link as soon as it tries to encrypt.
        guard state == .failed else { return try bench.connectPlainly() }
        try bench.peer.advertise()
        try bench.join(RawPeer.publicAddress)
        try bench.keyIsWanted(row.numbers)
        // The next packets come before the host can have ended the link.
        try bench.hasNoKey()
    }

    private func becomePeripheral(_ bench: Bench, _ row: Below, _ state: State) throws {
        try bench.acceptWanted(asksForSecurity: state != .shortKey)
        guard state != .plain else { return }
        // A key unknown to the host, or the too short key.
        let others = row.level == 4 ? Bench.legacyNumbers : Bench.noNumbers
        let status = try bench.encrypts(state == .failed ? others : row.numbers)
        try require(status == 0x06, "the tester's controller says \(status)")
    }

    /// Gives the link the bond's protection.
    private func protect(_ bench: Bench, _ row: Below, _ state: State) throws {
        if state == .shortKey { try bench.storeBond(row.keys, isAuthenticated: row.level > 2) }
        if row.isCentral {
            try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "encryption did not start")
            try bench.keyIsWanted(row.numbers)
            try bench.givesKey()
        } else {
            try require(try bench.encrypts(row.numbers) == 0, "the host has not given its key")
        }
        let security = try bench.toldEncrypted()
        try require(
            security.isAuthenticated == (row.level > 2) && security.isSecureConnections == (row.level == 4),
            "the link is \(security)")
        if !row.isCentral { try bench.becomeClient() }
    }

    // MARK: Key sizes

    struct Short: Sendable, CustomTestStringConvertible {
        let isCentral: Bool
        let isLegacy: Bool
        let keySize: UInt8
        let minimum: UInt8

        var testDescription: String { "central \(isCentral), \(keySize) octets of \(minimum)" }
    }

    /// Bonds from before the test: the SIG has no test case for them.
    static let short = [
        Short(isCentral: true, isLegacy: false, keySize: 15, minimum: 16),
        Short(isCentral: false, isLegacy: false, keySize: 15, minimum: 16),
        Short(isCentral: true, isLegacy: true, keySize: 7, minimum: 16),
        Short(isCentral: false, isLegacy: true, keySize: 7, minimum: 16),
        Short(isCentral: true, isLegacy: true, keySize: 9, minimum: 10),
        Short(isCentral: false, isLegacy: true, keySize: 9, minimum: 10),
    ]

    @Test(arguments: short) func `a key that is too short is not used`(_ row: Short) throws {
        let bench = try Bench()
        bench.host.policy = SecurityPolicy(minimumKeySize: row.minimum)
        try bench.storeBond(row.isLegacy ? Bench.legacyKeys : .secureConnections(Bench.key), keySize: row.keySize)
        let numbers = row.isLegacy ? Bench.legacyNumbers : Bench.noNumbers
        if row.isCentral {
            // Nothing is said in the plain instead.
            try bench.peer.advertise()
            try bench.join(RawPeer.publicAddress)
            try bench.toldEncryptionFailed(.insufficientSecurity)
            try bench.disconnected(.insufficientSecurity)
            try bench.expectsNothing()
            try require(bench.parameters(of: .leEnableEncryption).isEmpty, "the host asked for encryption")
            try require(bench.parameters(of: .disconnect).map(\.last) == [0x05], "the link did not end for that")
            try require(bench.plainPDUs == 0, "the host spoke in the plain")
        } else {
            try bench.advertise("02 01 06")
            try bench.accept()
            let status = try bench.encrypts(numbers)
            try require(status == 0x06, "the tester's controller says \(status)")
            try require(
                bench.parameters(of: .leLongTermKeyRequestReply).isEmpty
                    && bench.parameters(of: .leLongTermKeyRequestNegativeReply).count == 1, "the host gave its key")
            try require(bench.host.security(of: try bench.link) == LinkSecurity(), "the link counts as protected")
        }
        // This key suffices where it has the required length.
        bench.host.policy = SecurityPolicy(minimumKeySize: row.keySize)
        if row.isCentral {
            try bench.peer.advertise()
            try bench.join(RawPeer.publicAddress)
            try bench.keyIsWanted(numbers)
            try bench.givesKey()
        } else {
            try require(try bench.encrypts(numbers) == 0, "the host has not given its key")
        }
        try require(try bench.toldEncrypted().keySize == row.keySize, "another key size")
        if row.isCentral { try bench.expects(att: "02 ?? ??") }
        try bench.finish()
    }
}
