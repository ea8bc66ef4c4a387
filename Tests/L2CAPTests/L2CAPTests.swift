// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP
import SMP
import Testing

struct RecombinationTests {
    private let frame: [UInt8] = [5, 0, 4, 0, 1, 2, 3, 4, 5]

    @Test func `a whole frame is not copied`() {
        var machine = RecombinationMachine(limit: 10)
        #expect(machine.received(frame.span.bytes, isFirst: true) == .whole)
        #expect(machine.frame.isEmpty)
    }

    @Test func `a frame cut anywhere after its header is put together`() {
        for cut in 4..<frame.count {
            var machine = RecombinationMachine(limit: 10)
            let (first, second) = (Array(frame[..<cut]), Array(frame[cut...]))
            #expect(machine.received(first.span.bytes, isFirst: true) == .incomplete)
            #expect(machine.received(second.span.bytes, isFirst: false) == .recombined)
            #expect(machine.frame == frame)
        }
    }

    @Test func `fragments that fit nowhere are dropped, and the next frame is taken`() {
        var machine = RecombinationMachine(limit: 10)
        let (tail, header) = ([UInt8](repeating: 0, count: 3), Array(frame[..<5]))
        #expect(machine.received(tail.span.bytes, isFirst: false) == .dropped(.unexpectedContinuation))
        #expect(machine.received(tail.span.bytes, isFirst: true) == .dropped(.headerCut))
        let long: [UInt8] = [11, 0, 4, 0, 1]
        #expect(machine.received(long.span.bytes, isFirst: true) == .dropped(.tooLong(octets: 11)))
        let over = frame + [6]
        #expect(machine.received(over.span.bytes, isFirst: true) == .dropped(.overrun))
        #expect(machine.received(header.span.bytes, isFirst: true) == .incomplete)
        #expect(machine.received(frame.span.bytes, isFirst: false) == .dropped(.overrun))
        #expect(machine.received(header.span.bytes, isFirst: true) == .incomplete)
        #expect(machine.received(frame.span.bytes, isFirst: true) == .whole)
        #expect(machine.abandoned == 1)
    }
}

struct SignallingTests {
    static let pdus: [SignallingPDU] = [
        .commandReject(identifier: 1, reason: .invalidChannel, data: [1, 2, 3, 4]),
        .disconnectionRequest(identifier: 2, destination: 0x40, source: 0x41),
        .parameterUpdateRequest(
            identifier: 3, .init(minimumInterval: 6, maximumInterval: 12, latency: 0, timeout: 100)),
        .parameterUpdateResponse(identifier: 4, accepted: true),
        .creditBasedConnectionRequest(identifier: 5),
        .creditBasedConnectionResponse(identifier: 6, result: 2),
        .unknown(code: 0x77, identifier: 7, data: [1]),
    ]

    @Test(arguments: pdus) func `a command is read as it was written, and no part of it`(pdu: SignallingPDU) throws {
        let octets = pdu.encoded
        #expect(try SignallingPDU(decoding: octets[...]) == pdu)
        for count in 0..<octets.count {
            #expect(throws: DecodeError.self) { try SignallingPDU(decoding: octets[..<count]) }
        }
        #expect(throws: DecodeError.self) { try SignallingPDU(decoding: (octets + [0])[...]) }
    }

    @Test func `reasonable parameters are granted, unreasonable ones refused`() {
        let machine = SignallingMachine()
        let good = machine.received(Self.pdus[2].encoded[...])
        #expect(good.first == .send(.parameterUpdateResponse(identifier: 3, accepted: true)))
        guard case .updateParameters(let parameters) = good.last else { Issue.record("no update"); return }
        #expect(parameters.maximumInterval.units == 12)
        let bad = SignallingPDU.parameterUpdateRequest(
            identifier: 9, .init(minimumInterval: 12, maximumInterval: 6, latency: 0, timeout: 100))
        #expect(
            machine.received(bad.encoded[...]) == [.send(.parameterUpdateResponse(identifier: 9, accepted: false))])
    }

    @Test func `what we do not serve is refused in the specification's words`() {
        let machine = SignallingMachine()
        #expect(
            machine.received(Self.pdus[6].encoded[...])
                == [.send(.commandReject(identifier: 7, reason: .notUnderstood, data: []))])
        #expect(
            machine.received(Self.pdus[4].encoded[...])
                == [.send(.creditBasedConnectionResponse(identifier: 5, result: 2))])
        #expect(
            machine.received(Self.pdus[1].encoded[...])
                == [.send(.commandReject(identifier: 2, reason: .invalidChannel, data: [0x40, 0, 0x41, 0]))])
        #expect(
            machine.received([0x12, 8, 9, 0]) == [
                .send(.commandReject(identifier: 8, reason: .notUnderstood, data: []))
            ])
        #expect(machine.received([0x12]) == [])
        #expect(machine.received(Self.pdus[0].encoded[...]) == [])
    }
}

struct PairingRefusalTests {
    @Test func `pairing is refused, and a refusal is not answered`() {
        #expect(PairingRefusal.answer(to: [0x01, 3, 0, 1, 16, 0, 0]) == [0x05, 0x05])
        #expect(PairingRefusal.answer(to: [0x0B, 1]) == [0x05, 0x05])
        #expect(PairingRefusal.answer(to: [0x05, 0x05]) == nil)
        #expect(PairingRefusal.answer(to: []) == nil)
    }
}
