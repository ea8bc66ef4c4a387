// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing

/// LE security mode 1 with the keys of bonds: no fallback to plain links, no values from them, no short keys.
struct SecurityModeTests {
    @Test func `GAP/SEC/SEM/BV-45-C encryption that fails ends the link`() throws {
        try conformance("GAP/SEC/SEM/BV-45-C") { (bench: Bench) in
            try bench.storeBond()
            // The bond is gone …
            try bench.peer.advertise()
            try bench.join(RawPeer.publicAddress)
            try bench.keyIsWanted()
            try bench.hasNoKey()
            try bench.toldEncryptionFailed(.pinOrKeyMissing)
            try bench.disconnected(.pinOrKeyMissing)
            // … or the device is another one, with another key.
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
        /// Nobody has asked for encryption yet.
        case plain
        /// It was asked for, and failed.
        case failed
        /// The bond's key is shorter than the host allows.
        case shortKey
    }

    struct Below: Sendable, CustomTestStringConvertible {
        let id: String
        let isCentral: Bool
        let isIndication: Bool
        let state: State

        var testDescription: String { "\(id), central \(isCentral), indication \(isIndication), \(state)" }
    }

    static let below: [Below] = {
        let states: [State] = [.plain, .failed, .shortKey]
        return (0..<12).map { index in
            Below(
                id: "GAP/SEC/SEM/BV-\(56 + index)-C", isCentral: index < 6, isIndication: index % 6 >= 3,
                state: states[index % 3])
        }
    }()

    @Test(arguments: below) func `a value on a link below the level of the bond is dropped`(_ row: Below) throws {
        try conformance(row.id) { (bench: Bench) in
            try bench.storeBond(keySize: row.state == .shortKey ? 15 : 16)
            if row.isCentral { try becomeCentral(bench, row.state) } else { try becomePeripheral(bench, row.state) }
            let opcode = row.isIndication ? "1D" : "1B"
            try bench.send(att: "\(opcode) 09 00 66")
            try bench.expectsNothing()
            try require(bench.values.isEmpty, "the client was told \(bench.values)")
            try require(bench.host.counters.valuesBlocked == 1, "the value was not looked at")
            try bench.keepsBond(bench.host.bond(for: RawPeer.publicAddress)?.keys ?? Bench.legacyKeys)
            guard try getsProtected(bench, row) else { return }
            // Under the key the same value is told.
            try bench.send(att: "\(opcode) 09 00 66")
            try bench.told(handle: 9, changedTo: "66", isIndication: row.isIndication)
            guard row.isIndication else { return }
            try bench.confirm()
            try bench.expects(att: "1E")
        }
    }

    private func becomeCentral(_ bench: Bench, _ state: State) throws {
        guard state == .failed else {
            // A key that is too short keeps the link plain by itself.
            if state == .shortKey { try bench.connect() } else { try bench.connectPlainly() }
            return
        }
        try bench.peer.advertise()
        try bench.join(RawPeer.publicAddress)
        try bench.keyIsWanted()
        // What follows comes before the host can have ended the link.
        try bench.hasNoKey()
    }

    private func becomePeripheral(_ bench: Bench, _ state: State) throws {
        try bench.acceptAsClient()
        switch state {
        case .plain: return
        case .failed:
            // A key that the host has never had.
            let status = try bench.encrypts(Bench.legacyNumbers)
            try require(status == 0x06, "the tester's controller says \(status)")
        case .shortKey:
            let status = try bench.encrypts()
            try require(status == 0x06, "the tester's controller says \(status)")
        }
    }

    /// The link gets what the bond demands; false when it is over.
    private func getsProtected(_ bench: Bench, _ row: Below) throws -> Bool {
        if row.isCentral, row.state == .failed {
            try bench.toldEncryptionFailed(.pinOrKeyMissing)
            try bench.disconnected(.pinOrKeyMissing)
            return false
        }
        if row.state == .shortKey { try bench.storeBond() }
        if row.isCentral {
            try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "encryption did not start")
            try bench.keyIsWanted()
            try bench.givesKey()
        } else {
            try require(try bench.encrypts() == 0, "the host has not given its key")
        }
        _ = try bench.toldEncrypted()
        return true
    }

    // MARK: Key sizes

    struct Short: Sendable, CustomTestStringConvertible {
        let id: String
        let isCentral: Bool
        let isLegacy: Bool
        let keySize: UInt8
        let minimum: UInt8

        var testDescription: String { "\(id), central \(isCentral), \(keySize) octets of \(minimum)" }
    }

    static let short = [
        Short(id: "GAP/SEC/SEM/BI-09-C", isCentral: true, isLegacy: false, keySize: 15, minimum: 16),
        Short(id: "GAP/SEC/SEM/BI-10-C", isCentral: false, isLegacy: false, keySize: 15, minimum: 16),
        Short(id: "GAP/SEC/SEM/BI-20-C", isCentral: true, isLegacy: true, keySize: 7, minimum: 16),
        Short(id: "GAP/SEC/SEM/BI-21-C", isCentral: false, isLegacy: true, keySize: 7, minimum: 16),
        Short(id: "GAP/SEC/SEM/BI-22-C", isCentral: true, isLegacy: true, keySize: 9, minimum: 10),
        Short(id: "GAP/SEC/SEM/BI-23-C", isCentral: false, isLegacy: true, keySize: 9, minimum: 10),
    ]

    @Test(arguments: short) func `a key that is too short is not used`(_ row: Short) throws {
        try conformance(row.id) { (bench: Bench) in
            bench.host.policy = SecurityPolicy(minimumKeySize: row.minimum)
            try bench.storeBond(row.isLegacy ? Bench.legacyKeys : .secureConnections(Bench.key), keySize: row.keySize)
            let numbers = row.isLegacy ? Bench.legacyNumbers : Bench.noNumbers
            if row.isCentral {
                try bench.connect()
                try require(bench.host.encrypt(try bench.link, at: bench.now) == .keyTooShort, "the key was taken")
                try bench.expectsNothing()
                try require(bench.parameters(of: .leEnableEncryption).isEmpty, "the host asked for encryption")
            } else {
                try bench.advertise("02 01 06")
                try bench.accept()
                let status = try bench.encrypts(numbers)
                try require(status == 0x06, "the tester's controller says \(status)")
                try require(
                    bench.parameters(of: .leLongTermKeyRequestReply).isEmpty
                        && bench.parameters(of: .leLongTermKeyRequestNegativeReply).count == 1, "the host gave its key")
            }
            try require(bench.host.security(of: try bench.link) == LinkSecurity(), "the link counts as protected")
            // The same key does where it is as long as it has to be.
            bench.host.policy = SecurityPolicy(minimumKeySize: row.keySize)
            if row.isCentral {
                try require(bench.host.encrypt(try bench.link, at: bench.now) == .started, "the key was refused")
                try bench.keyIsWanted(numbers)
                try bench.givesKey()
            } else {
                try require(try bench.encrypts(numbers) == 0, "the host has not given its key")
            }
            try require(try bench.toldEncrypted().keySize == row.keySize, "another key size")
        }
    }

    // MARK: Bonds that are not made

    /// The host makes no bonds: who wants one is told that it does not pair.
    struct Offer: Sendable, CustomTestStringConvertible {
        let id: String
        let isCentral: Bool
        let command: String

        var testDescription: String { "\(id) \(command)" }
    }

    static let offers = [
        // Pairing Request with the bonding flag, and the same with Secure Connections and all keys.
        Offer(id: "GAP/BOND/NBON/BV-01-C", isCentral: false, command: "01 03 00 01 10 01 01"),
        Offer(id: "GAP/BOND/NBON/BV-02-C", isCentral: false, command: "01 04 00 0D 10 03 03"),
        // Security Request with the bonding flag.
        Offer(id: "GAP/BOND/NBON/BV-03-C", isCentral: true, command: "0B 01"),
    ]

    @Test(arguments: offers) func `a non-bondable host keeps no keys`(_ row: Offer) throws {
        try conformance(row.id) { (bench: Bench) in
            if row.isCentral {
                try bench.connect()
            } else {
                try bench.advertise("02 01 06")
                try bench.accept()
            }
            try bench.send(security: row.command)
            try bench.expects(security: "05 05")
            try bench.expectsNothing()
            try require(bench.host.bond(for: RawPeer.publicAddress) == nil, "the host has a bond")
            try require(bench.host.takeBondChanges().isEmpty, "the host has bonds to store")
            guard !row.isCentral else { return }
            // Nor has it a key for the link.
            let status = try bench.encrypts()
            try require(status == 0x06, "the tester's controller says \(status)")
        }
    }
}
