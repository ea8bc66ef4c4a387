// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import SMP
import Testing

@testable import HostBench

/// LE security mode 1 by pairing: the needs of each level, in both roles, and that our host accepts nothing less.
struct SecurityLevelTests {
    struct Row: CustomStringConvertible, Sendable {
        let id: String
        let isCentral: Bool
        /// A level of LE security mode 1, with Secure Connections alone: 2 has an unauthenticated key, 3 and 4 have an authenticated key.
        let level: Int

        var description: String { "\(id), level \(level), central \(isCentral)" }

        var policy: SecurityPolicy {
            var policy = Bench.open(level > 2 ? .displayYesNo : .noInputNoOutput)
            policy.requiresAuthentication = level > 2
            return policy
        }
        var features: SMFeatures {
            SMFeatures(level > 2 ? .displayYesNo : .noInputNoOutput, mitm: level > 2)
        }
        var service: LocalService {
            let access: AttributeAccess =
                [2: .encrypted, 3: .authenticated][level] ?? AttributeAccess(level: .secureConnections)
            return LocalService(
                uuid: short(0xFFE8),
                characteristics: [
                    LocalCharacteristic(uuid: short(0xFFE9), properties: .read, value: [6], read: access)
                ])
        }
    }

    // MARK: The level is reached

    static let outgoing = [
        Row(id: "GAP/SEC/SEM/BV-21-C", isCentral: false, level: 4),
        Row(id: "GAP/SEC/SEM/BV-37-C", isCentral: false, level: 2),
        Row(id: "GAP/SEC/SEM/BV-38-C", isCentral: false, level: 3),
        Row(id: "GAP/SEC/SEM/BV-26-C", isCentral: true, level: 4),
        Row(id: "GAP/SEC/SEM/BV-41-C", isCentral: true, level: 2),
        Row(id: "GAP/SEC/SEM/BV-42-C", isCentral: true, level: 3),
    ]

    @Test(arguments: outgoing) func `our host brings the link to the level`(_ row: Row) throws {
        try conformance(row.id) { (bench: Bench) in
            let published = try bench.publish(row.service)
            bench.host.policy = row.policy
            bench.host.policy.acceptsPairing = .closed
            try bench.link(asCentral: row.isCentral)
            let tester = SMTester(bench, isInitiator: !row.isCentral, row.features)
            if row.isCentral {
                // The client's request needs the level.
                try bench.ask(.read(handle: 9))
                try bench.answers("0A 09 00", with: "01 0A 09 00 05")
            } else {
                let authReq = try bench.asksForSecurity()
                let expected = SMFeatures.secureConnections | (row.level > 2 ? SMFeatures.mitm : 0)
                try require(authReq & 0x0C == expected, "our host asks for \(text([authReq]))")
            }
            try tester.pair()
            try require(tester.hostFeatures.isSecure, "our host's features are \(tester.hostFeatures)")
            try bench.isPaired(tester)
            if row.isCentral {
                try bench.answers("0A 09 00", with: "0B 66")
                try bench.told(value: "66")
            }
            try serves(bench, published)
        }
    }

    static let incoming = [
        Row(id: "GAP/SEC/SEM/BV-22-C", isCentral: false, level: 4),
        Row(id: "GAP/SEC/SEM/BV-39-C", isCentral: false, level: 2),
        Row(id: "GAP/SEC/SEM/BV-40-C", isCentral: false, level: 3),
        Row(id: "GAP/SEC/SEM/BV-27-C", isCentral: true, level: 4),
        Row(id: "GAP/SEC/SEM/BV-43-C", isCentral: true, level: 2),
        Row(id: "GAP/SEC/SEM/BV-44-C", isCentral: true, level: 3),
    ]

    @Test(arguments: incoming) func `the peer brings the link to the level`(_ row: Row) throws {
        try conformance(row.id) { (bench: Bench) in
            let published = try bench.publish(row.service)
            bench.host.policy = row.policy
            try bench.link(asCentral: row.isCentral)
            try refuses(bench, published)
            let tester = SMTester(bench, isInitiator: !row.isCentral, row.features)
            // As the Peripheral, the tester begins with a Security Request.
            if row.isCentral { try bench.send(security: "0B \(text([row.features.authReq]))") }
            try tester.pair()
            try bench.isPaired(tester)
            try serves(bench, published)
        }
    }

    // MARK: A peer without Secure Connections

    @Test(arguments: [("GAP/SEC/SEM/BV-23-C", false), ("GAP/SEC/SEM/BV-28-C", true)])
    func `our host does not pair with a peer without Secure Connections`(_ id: String, isCentral: Bool) throws {
        let rows = [2, 3, 4].map { Row(id: id, isCentral: isCentral, level: $0) }
        try conformance(id, rows: rows) { bench, row in
            bench.host.policy = row.policy
            try bench.link(asCentral: isCentral)
            var features = row.features
            features.authReq &= ~SMFeatures.secureConnections
            let tester = SMTester(bench, isInitiator: !isCentral, features)
            if isCentral {
                try bench.ask(.read(handle: 9))
                try bench.answers("0A 09 00", with: "01 0A 09 00 05")
                try tester.exchangeFeatures()
            } else {
                let authReq = try bench.asksForSecurity()
                try require(authReq & SMFeatures.secureConnections != 0, "our host asks for \(text([authReq]))")
                try tester.sendRequest()
            }
            try tester.expectsFailure(.authenticationRequirements)
            try bench.toldPairingFailed(.refused(.authenticationRequirements))
            if isCentral { try bench.told(refused: .insufficientAuthentication) }
            try bench.isUnpaired()
        }
    }

    @Test(arguments: [("GAP/SEC/SEM/BV-24-C", false), ("GAP/SEC/SEM/BV-29-C", true)])
    func `a peer without Secure Connections gets nothing`(_ id: String, isCentral: Bool) throws {
        let rows = [2, 3, 4].map { Row(id: id, isCentral: isCentral, level: $0) }
        try conformance(id, rows: rows) { bench, row in
            let published = try bench.publish(row.service)
            bench.host.policy = row.policy
            try bench.link(asCentral: isCentral)
            try refuses(bench, published)
            // Authenticated, as legacy pairing can be.
            let features = SMFeatures(.keyboardOnly, mitm: true, isSecure: false)
            let tester = SMTester(bench, isInitiator: !isCentral, features)
            if isCentral {
                try bench.send(security: "0B 05")
                try tester.exchangeFeatures()
            } else {
                try tester.sendRequest()
            }
            try tester.expectsFailure(.authenticationRequirements)
            try bench.toldPairingFailed(.refused(.authenticationRequirements))
            try refuses(bench, published)
            try bench.isUnpaired()
        }
    }

    // MARK: Short keys

    static let shortKeys = [
        Row(id: "GAP/SEC/SEM/BI-09-C", isCentral: false, level: 4),
        Row(id: "GAP/SEC/SEM/BI-20-C", isCentral: false, level: 3),
        Row(id: "GAP/SEC/SEM/BI-21-C", isCentral: false, level: 2),
        Row(id: "GAP/SEC/SEM/BI-10-C", isCentral: true, level: 4),
        Row(id: "GAP/SEC/SEM/BI-22-C", isCentral: true, level: 3),
        Row(id: "GAP/SEC/SEM/BI-23-C", isCentral: true, level: 2),
    ]

    @Test(arguments: shortKeys) func `a pairing with a short key is refused`(_ row: Row) throws {
        try conformance(row.id, rows: Array(7...15) as [UInt8]) { bench, size in
            bench.host.policy = row.policy
            try bench.link(asCentral: row.isCentral)
            var features = row.features
            features.keySize = size
            let tester = try bench.begins(features, asCentral: row.isCentral)
            if row.isCentral {
                try tester.exchangeFeatures()
                try require(tester.hostFeatures.keySize == 16, "our host says \(tester.hostFeatures)")
            } else {
                try tester.sendRequest()
            }
            try tester.expectsFailure(.encryptionKeySize)
            try bench.toldPairingFailed(.refused(.encryptionKeySize))
            try bench.isUnpaired()
        }
    }

    // MARK: Our server

    private func refuses(_ bench: Bench, _ service: PublishedService) throws {
        let handle = text(little(service.handles.start + 2))
        try bench.send(att: "0A \(handle)")
        try bench.expects(att: OctetPattern("01 0A \(handle) 05"))
    }

    private func serves(_ bench: Bench, _ service: PublishedService) throws {
        try bench.send(att: [0x0A] + little(service.handles.start + 2))
        try bench.expects(att: "0B 06")
    }
}
