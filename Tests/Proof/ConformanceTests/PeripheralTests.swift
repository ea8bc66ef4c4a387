// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import L2CAP
import Testing
import VirtualRadio

@testable import HostBench

/// Connection parameters, with our host as Peripheral, and as Central that wants other values.
struct PeripheralTests {
    private static let wanted = SignallingMachine.accepted(
        SignallingPDU.ParameterUpdate(minimumInterval: 0x28, maximumInterval: 0x38, latency: 2, timeout: 0x190))
    private static let request = OctetPattern("12 ?? 08 00 28 00 38 00 02 00 90 01")

    @Test func `L2CAP/LE/CPU/BV-01-C peripheral asks for parameters`() throws {
        try byL2CAP("L2CAP/LE/CPU/BV-01-C") { bench in
            let identifier = try asks(bench)
            try require(identifier != 0, "an identifier of 0")
            try bench.send(signalling: "13 \(text([identifier])) 02 00 00 00")
            try bench.told(.accepted)
        }
    }

    @Test func `L2CAP/LE/CPU/BI-02-C peripheral rejects a request for parameters`() throws {
        try conformance("L2CAP/LE/CPU/BI-02-C") { bench in
            try bench.advertise("02 01 06")
            try bench.accept()
            try bench.send(signalling: "12 01 08 00 28 00 28 00 00 00 C8 00")
            try bench.expects(signalling: "01 01 02 00 00 00")
        }
    }

    @Test func `GAP/CONN/CPUP/BV-01-C parameters that the central accepts`() throws {
        try byL2CAP("GAP/CONN/CPUP/BV-01-C") { bench in
            let identifier = try asks(bench)
            try bench.send(signalling: "13 \(text([identifier])) 02 00 00 00")
            try bench.told(.accepted)
            // The Central changes them, and the link goes on with them.
            try bench.peer.order(
                .leConnectionUpdate, little(try bench.peer.link) + hex("30 00 30 00 02 00 90 01 00 00 00 00"))
            try bench.expects(event: LESubeventCode.connectionUpdateComplete)
            try bench.answersRequests()
        }
    }

    @Test func `GAP/CONN/CPUP/BV-02-C parameters that are not answered`() throws {
        try byL2CAP("GAP/CONN/CPUP/BV-02-C") { bench in
            _ = try asks(bench)
            try bench.expectsNothing(for: .seconds(29))
            try bench.told(.unanswered, within: .seconds(2))
            // The link stays, and may be asked for again.
            try bench.setParameters(Self.wanted)
            try bench.expects(signalling: Self.request)
            try bench.answersRequests()
        }
    }

    @Test func `GAP/CONN/CPUP/BV-03-C parameters that the central rejects`() throws {
        try byL2CAP("GAP/CONN/CPUP/BV-03-C") { bench in
            let identifier = try asks(bench)
            try bench.send(signalling: "13 \(text([identifier])) 02 00 01 00")
            try bench.told(.refused)
            // The host does not ask again for 30 s, whatever the number of calls.
            for _ in 0..<5 {
                try bench.setParameters(Self.wanted)
                try bench.expectsNothing(for: .seconds(5))
            }
            try bench.expectsNothing(for: .milliseconds(4900))
            try bench.expects(signalling: Self.request)
        }
    }

    @Test func `GAP/CONN/CPUP/BV-06-C central changes the parameters`() throws {
        try conformance("GAP/CONN/CPUP/BV-06-C") { (bench: Bench) in
            try bench.connect()
            try bench.setParameters(Self.wanted)
            let event = try bench.expects(event: LESubeventCode.connectionUpdateComplete)
            let interval = UInt16(event[3]) | UInt16(event[4]) << 8
            try require(event[0] == 0 && (0x28...0x38).contains(interval), "the tester was told \(text(event))")
            try require(Array(event[5...]) == hex("02 00 90 01"), "the tester was told \(text(event))")
            // The host sends no request on the signalling channel, because only a Peripheral may.
            try bench.expectsNothing()
        }
    }

    @Test func `GAP/CONN/CPUP/BV-08-C peripheral answers a request of the link layer's`() throws {
        try conformance("GAP/CONN/CPUP/BV-08-C") { (bench: Bench) in
            try bench.advertise("02 01 06")
            try bench.accept()
            // The virtual Central sets parameters without asking, so our controller's question is scripted.
            let handle = try bench.ourHandle()
            bench.tellHost([0x3E, 0x0B, 0x06] + handle + hex("30 00 30 00 02 00 90 01"))
            let replies = bench.parameters(of: .leRemoteConnectionParameterRequestReply)
            try require(
                replies.count == 1 && Array(replies[0].prefix(10)) == handle + hex("30 00 30 00 02 00 90 01"),
                "the host replied \(replies.map(text))")
            try bench.peer.order(
                .leConnectionUpdate, little(try bench.peer.link) + hex("30 00 30 00 02 00 90 01 00 00 00 00"))
            try bench.expects(event: LESubeventCode.connectionUpdateComplete)
            try bench.answersRequests()
            // The host refuses invalid parameters.
            bench.tellHost([0x3E, 0x0B, 0x06] + handle + hex("30 00 30 00 02 00 05 00"))
            let refusals = bench.parameters(of: .leRemoteConnectionParameterRequestNegativeReply)
            try require(refusals.count == 1, "the host refused \(refusals.map(text))")
            try bench.answersRequests()
        }
    }

    @Test func `GAP/CONN/CPUP/BV-10-C peripheral asks by the link layer`() throws {
        try conformance("GAP/CONN/CPUP/BV-10-C") { (bench: Bench) in
            try bench.advertise("02 01 06")
            try bench.accept()
            // By then the host knows the features of the Central's controller.
            bench.advance(seconds: 10)
            try bench.setParameters(Self.wanted)
            let request = try bench.expects(event: .remoteConnectionParameterRequest)
            try require(Array(request[2...]) == hex("28 00 38 00 02 00 90 01"), "the tester was told \(text(request))")
            try bench.peer.order(
                .leRemoteConnectionParameterRequestReply,
                little(try bench.peer.link) + hex("28 00 38 00 02 00 90 01 00 00 00 00"))
            let event = try bench.expects(event: .connectionUpdateComplete)
            let interval = UInt16(event[3]) | UInt16(event[4]) << 8
            try require(event[0] == 0 && (0x28...0x38).contains(interval), "the tester was told \(text(event))")
            try require(Array(event[5...]) == hex("02 00 90 01"), "the tester was told \(text(event))")
            try bench.answersRequests()
        }
    }

    /// A script for a controller of ours whose link layer cannot ask: L2CAP has to.
    private func byL2CAP(_ id: String, _ script: (Bench) throws -> Void) throws {
        try ConformanceRecord.run(id, file: #fileID) {
            let missing = LEFeatures.connectionParametersRequest.rawValue
            let bench = try Bench(controller: ControllerSettings(missingFeatures: missing))
            try script(bench)
            try bench.finish()
        }
    }

    /// Our host is a Peripheral and asks for parameters; gives the identifier of its request.
    private func asks(_ bench: Bench) throws -> UInt8 {
        try bench.advertise("02 01 06")
        try bench.accept()
        // Not in the first five seconds of a link.
        bench.advance(seconds: 5)
        try bench.setParameters(Self.wanted)
        return try bench.expects(signalling: Self.request)[1]
    }
}

extension Bench {
    /// The client wants other parameters, by a procedure that both controllers have.
    fileprivate func setParameters(_ parameters: ConnectionParameters?) throws {
        guard let parameters else { throw ScriptFailure("no such parameters") }
        host.setParameters(parameters, on: try link, for: Self.client, at: now)
    }

    fileprivate func told(_ expected: SignallingMachine.ParameterAnswer, within limit: Duration = patience) throws {
        let seen = try wait(for: "an answer about the parameters", within: limit) {
            if case .parametersAnswered(_, let answer) = $0 { answer } else { nil }
        }
        try require(seen == expected, "expected \(expected); the client was told \(seen)")
    }

    /// The link's handle in our host's controller, from the host's request for the peer's features.
    fileprivate func ourHandle() throws -> [UInt8] {
        advance(seconds: 10)
        guard let command = parameters(of: .leReadRemoteFeatures).last else { throw ScriptFailure("no handle known") }
        return Array(command.prefix(2))
    }

    /// The link answers requests of a client.
    fileprivate func answersRequests() throws {
        try send(att: "0A FF FF")
        try expects(att: "01 0A FF FF 01")
    }
}
