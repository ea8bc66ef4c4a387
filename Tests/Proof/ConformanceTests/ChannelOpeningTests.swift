// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP
import Testing

@testable import HostBench

/// LE credit based channels: requests and answers.
struct ChannelOpeningTests {
    @Test func `L2CAP/LE/CFC/BV-01-C a peer without credit based channels`() throws {
        try conformance("L2CAP/LE/CFC/BV-01-C") { bench in
            try bench.connect()
            let (identifier, _) = try bench.opens()
            try bench.send(signalling: "01 \(text([identifier])) 02 00 00 00")
            try bench.told(failure: .notSupported)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-02-C request for a supported SPSM`() throws {
        try conformance("L2CAP/LE/CFC/BV-02-C") { bench in
            try bench.connect()
            let channel = try bench.openedByUs()
            try bench.send([1, 2, 3], on: channel)
            try bench.expects("03 00 01 02 03", on: Bench.testerChannel)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-03-C response to a request`() throws {
        try conformance("L2CAP/LE/CFC/BV-03-C") { bench in
            try bench.connect()
            try bench.publish()
            let channel = try bench.openedByTester()
            try bench.peer.send(hex("02 00 0A 0B"), on: channel.ours)
            try bench.told(data: [0x0A, 0x0B], on: channel)
        }
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let id: String
        let result: ConnectionResult
        var testDescription: String { "\(id), \(result)" }

        /// A key, or a better key, would permit the channel.
        var wantsSecurity: Bool {
            let results: [ConnectionResult] = [
                .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort,
            ]
            return results.contains(result)
        }

        init(_ id: String, _ result: ConnectionResult) {
            self.id = id
            self.result = result
        }
    }

    static let refusals = [
        Answer("L2CAP/LE/CFC/BV-04-C", .spsmNotSupported),
        Answer("L2CAP/LE/CFC/BV-10-C", .insufficientAuthentication),
        Answer("L2CAP/LE/CFC/BV-12-C", .insufficientAuthorization),
        Answer("L2CAP/LE/CFC/BV-14-C", .encryptionKeySizeTooShort),
        Answer("L2CAP/LE/CFC/BV-16-C", .noResources),
        Answer("L2CAP/LE/CFC/BV-18-C", .invalidSourceCID),
        Answer("L2CAP/LE/CFC/BV-19-C", .sourceCIDAlreadyAllocated),
        Answer("L2CAP/LE/CFC/BV-24-C", .insufficientEncryption),
    ]

    @Test(arguments: refusals) func `a refused request is told to the client`(_ row: Answer) throws {
        try conformance(row.id) { bench in
            try bench.connect()
            let (identifier, _) = try bench.opens()
            try bench.answers(identifier, result: UInt8(row.result.rawValue))
            if row.wantsSecurity { try bench.declinesPairing() }
            try bench.told(failure: .refused(row.result))
            // Our client may try again.
            _ = try bench.openedByUs()
        }
    }

    @Test func `L2CAP/LE/CFC/BV-05-C request for an unsupported SPSM`() throws {
        try conformance("L2CAP/LE/CFC/BV-05-C") { bench in
            try bench.connect()
            try bench.publish()
            try bench.request(spsm: 0x0081)
            try bench.refused(0x02)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-22-C many requests for an unsupported SPSM`() throws {
        try conformance("L2CAP/LE/CFC/BV-22-C") { bench in
            try bench.connect()
            for identifier in UInt8(1)...100 {
                try bench.request(spsm: 0x00F0, identifier: identifier)
                try bench.refused(0x02, identifier: identifier)
            }
            try bench.publish()
            _ = try bench.openedByTester()
        }
    }

    @Test func `L2CAP/LE/CFC/BV-11-C insufficient authentication`() throws {
        try conformance("L2CAP/LE/CFC/BV-11-C") { bench in
            try bench.connect()
            try bench.publish(.encrypted)
            try bench.request()
            try bench.refused(0x05)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-13-C insufficient authorization`() throws {
        try conformance("L2CAP/LE/CFC/BV-13-C") { bench in
            try bench.connect()
            try bench.publish(ChannelRequirement(authorization: true))
            try bench.request()
            try bench.refused(0x06)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-15-C encryption key size too short`() throws {
        try machine("L2CAP/LE/CFC/BV-15-C", LinkSecurity(isEncrypted: true, keySize: 7, hasBond: true), "07")
    }

    @Test func `L2CAP/LE/CFC/BV-25-C insufficient encryption`() throws {
        try machine("L2CAP/LE/CFC/BV-25-C", LinkSecurity(isEncrypted: false, hasBond: true), "08")
    }

    /// The tester's request on a link with `security`, which the bench's links do not have: the machine of a link alone.
    private func machine(_ id: String, _ security: LinkSecurity, _ result: String) throws {
        try conformance(id) { (bench: Bench) in
            var machine = L2CAPMachine(role: .central)
            let listeners = [Bench.spsm: ChannelRequirement(encryption: true, keySize: 16)]
            let request = hex("14 01 0A 00 80 00 51 00 40 00 40 00 08 00")
            let effects = machine.receivedSignalling(
                request[...], listeners: listeners, security: security, at: bench.now)
            guard case .channel(.send(let pdu)) = effects.first, effects.count == 1 else {
                throw ScriptFailure("the machine did \(effects)")
            }
            let expected = OctetPattern("15 01 0A 00 00 00 00 00 00 00 00 00 \(result) 00")
            try require(expected.matches(pdu.encoded), "expected \(expected); seen \(text(pdu.encoded))")
        }
    }

    @Test func `L2CAP/LE/CFC/BV-17-C no resources`() throws {
        try conformance("L2CAP/LE/CFC/BV-17-C") { bench in
            try bench.connect()
            try bench.publish()
            for number in UInt16(0)..<UInt16(ChannelTable.capacity) {
                _ = try bench.openedByTester(tester: 0x0040 + number, identifier: UInt8(number + 1))
            }
            try bench.request(tester: 0x0060, identifier: 0x20)
            try bench.refused(0x04, identifier: 0x20)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-20-C source CID already allocated`() throws {
        try conformance("L2CAP/LE/CFC/BV-20-C") { bench in
            try bench.connect()
            try bench.publish()
            let channel = try bench.openedByTester()
            try bench.request(identifier: 2)
            try bench.refused(0x0A, identifier: 2)
            // The former channel still exists.
            try bench.peer.send(hex("01 00 0A"), on: channel.ours)
            try bench.told(data: [0x0A], on: channel)
        }
    }

    @Test func `L2CAP/LE/CFC/BV-21-C unacceptable parameters`() throws {
        try conformance("L2CAP/LE/CFC/BV-21-C") { bench in
            try bench.connect()
            try bench.publish()
            try bench.request(identifier: 1, mtu: 22)
            try bench.refused(0x0B, identifier: 1)
            try bench.request(identifier: 2, mps: 22)
            try bench.refused(0x0B, identifier: 2)
            try bench.request(identifier: 3, mps: 65534)
            try bench.refused(0x0B, identifier: 3)
            // The other way round, our client is told.
            let (identifier, _) = try bench.opens()
            try bench.answers(identifier, result: 0x0B)
            try bench.told(failure: .refused(.unacceptableParameters))
        }
    }

    @Test func `L2CAP/LE/CFC/BV-29-C range of dynamic channels`() throws {
        try conformance("L2CAP/LE/CFC/BV-29-C") { bench in
            try bench.connect()
            try bench.publish()
            // Ends outside 0x0040…0x007F are none.
            for (index, tester) in [UInt16(0x003F), 0x0080, 0x0000, 0xFFFF].enumerated() {
                try bench.request(tester: tester, identifier: UInt8(index + 1))
                try bench.refused(0x09, identifier: UInt8(index + 1))
            }
            _ = try bench.openedByTester(tester: 0x0040, identifier: 0x11)
            _ = try bench.openedByTester(tester: 0x007F, identifier: 0x12)
        }
    }

    @Test func `L2CAP/LE/CID/BV-04-C receives on dynamic channels`() throws {
        try conformance("L2CAP/LE/CID/BV-04-C") { bench in
            try bench.connect()
            try bench.publish()
            let first = try bench.openedByTester(tester: 0x0041, identifier: 1)
            let second = try bench.openedByTester(tester: 0x0042, identifier: 2)
            try require(first.ours != second.ours, "two channels have one end")
            try bench.peer.send(hex("01 00 0A"), on: second.ours)
            try bench.peer.send(hex("01 00 0B"), on: first.ours)
            try bench.told(data: [0x0B], on: first)
            try bench.told(data: [0x0A], on: second)
        }
    }
}
