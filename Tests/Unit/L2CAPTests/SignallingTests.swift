// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP
import Testing

extension ChannelIdentifier: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}

struct SignallingPDUTests {
    static let pdus: [SignallingPDU] = [
        .commandReject(identifier: 1, reason: .invalidChannel, data: [1, 2, 3, 4]),
        .disconnectionRequest(identifier: 2, destination: 0x40, source: 0x41),
        .disconnectionResponse(identifier: 2, destination: 0x40, source: 0x41),
        .parameterUpdateRequest(
            identifier: 3, .init(minimumInterval: 6, maximumInterval: 12, latency: 0, timeout: 100)),
        .parameterUpdateResponse(identifier: 4, accepted: true),
        .creditBasedConnectionRequest(
            identifier: 5, spsm: 0x80, .init(channel: 0x40, mtu: 512, mps: 64, credits: 3)),
        .creditBasedConnectionResponse(
            identifier: 6, .init(channel: 0x41, mtu: 23, mps: 23, credits: 0), result: .noResources),
        .flowControlCredit(identifier: 8, channel: 0x42, credits: 65535),
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

    @Test(arguments: pdus.dropLast()) func `a command with too many or too few parameters is no command`(
        pdu: SignallingPDU
    ) {
        if case .commandReject = pdu { return }
        let octets = pdu.encoded
        let long = octets[..<2] + [octets[2] + 1, 0] + octets[4...] + [0]
        let short = octets[..<2] + [octets[2] - 1, 0] + octets[4..<(octets.count - 1)]
        #expect(throws: DecodeError.self) { try SignallingPDU(decoding: ArraySlice(long)) }
        #expect(throws: DecodeError.self) { try SignallingPDU(decoding: ArraySlice(short)) }
    }

    @Test func `a connection request has the specification's octets`() {
        let request = SignallingPDU.creditBasedConnectionRequest(
            identifier: 1, spsm: 0x0081, .init(channel: 0x40, mtu: 0x0102, mps: 0x0304, credits: 5))
        #expect(request.encoded == [0x14, 1, 10, 0, 0x81, 0, 0x40, 0, 0x02, 0x01, 0x04, 0x03, 5, 0])
    }
}

struct SignallingTests {
    private static let good = SignallingPDU.ParameterUpdate(
        minimumInterval: 6, maximumInterval: 12, latency: 0, timeout: 100)

    private func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    private func rejected(
        _ identifier: UInt8, _ reason: SignallingPDU.CommandRejectReason = .notUnderstood, _ data: [UInt8] = []
    ) -> [SignallingMachine.Effect] {
        [.send(.commandReject(identifier: identifier, reason: reason, data: data))]
    }

    // MARK: Parameters

    @Test func `L2CAP/LE/CPU/BV-02-C: a Central grants reasonable parameters`() {
        var machine = SignallingMachine(role: .central)
        let effects = machine.received([0x12, 3, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0], at: .zero)
        #expect(effects.first == .send(.parameterUpdateResponse(identifier: 3, accepted: true)))
        guard case .updateParameters(let parameters) = effects.last else { Issue.record("no update"); return }
        #expect(parameters.maximumInterval.units == 12)
    }

    /// L2CAP/LE/CPU/BI-01-C.
    @Test(arguments: [
        SignallingPDU.ParameterUpdate(minimumInterval: 12, maximumInterval: 6, latency: 0, timeout: 100),
        .init(minimumInterval: 5, maximumInterval: 6, latency: 0, timeout: 100),
        .init(minimumInterval: 6, maximumInterval: 3201, latency: 0, timeout: 3200),
        .init(minimumInterval: 6, maximumInterval: 12, latency: 500, timeout: 3200),
        .init(minimumInterval: 6, maximumInterval: 12, latency: 0, timeout: 9),
        .init(minimumInterval: 6, maximumInterval: 12, latency: 0, timeout: 3201),
        .init(minimumInterval: 800, maximumInterval: 800, latency: 4, timeout: 1000),
    ]) func `L2CAP/LE/CPU/BI-01-C: a Central refuses bad parameters`(update: SignallingPDU.ParameterUpdate) {
        var machine = SignallingMachine(role: .central)
        let request = SignallingPDU.parameterUpdateRequest(identifier: 9, update)
        #expect(
            machine.received(request.encoded[...], at: .zero)
                == [.send(.parameterUpdateResponse(identifier: 9, accepted: false))])
    }

    @Test func `L2CAP/LE/CPU/BI-02-C: a Peripheral does not understand a request for parameters`() {
        var machine = SignallingMachine(role: .peripheral)
        let request = SignallingPDU.parameterUpdateRequest(identifier: 9, Self.good)
        #expect(machine.received(request.encoded[...], at: .zero) == rejected(9))
    }

    @Test func `L2CAP/LE/CPU/BV-01-C: a Peripheral asks for parameters, and hears what becomes of them`() throws {
        var machine = SignallingMachine(role: .peripheral)
        let standard = ConnectionParameters.standard
        #expect(
            machine.requestParameters(standard, at: at(0))
                == [.send(.parameterUpdateRequest(identifier: 1, .init(standard)))])
        #expect(machine.requestParameters(standard, at: at(0)) == [.parametersAnswered(.tooSoon)])
        let accepted = SignallingPDU.parameterUpdateResponse(identifier: 1, accepted: true).encoded
        #expect(machine.received(accepted[...], at: at(1)) == [.parametersAnswered(.accepted)])
        #expect(machine.received(accepted[...], at: at(1)) == [])
        #expect(machine.deadline == nil)

        #expect(machine.requestParameters(standard, at: at(2)).count == 1)
        let refused = SignallingPDU.parameterUpdateResponse(identifier: 2, accepted: false).encoded
        #expect(machine.received(refused[...], at: at(2)) == [.parametersAnswered(.refused)])
        #expect(machine.requestParameters(standard, at: at(31)) == [.parametersAnswered(.tooSoon)])
        #expect(
            machine.requestParameters(standard, at: at(32))
                == [.send(.parameterUpdateRequest(identifier: 3, .init(standard)))])
        #expect(machine.deadline == at(62))
        #expect(machine.expire(at: at(61)) == [])
        #expect(machine.expire(at: at(62)) == [.parametersAnswered(.unanswered)])
        #expect(machine.deadline == nil)
    }

    @Test func `a Central sets parameters itself`() {
        var machine = SignallingMachine(role: .central)
        #expect(
            machine.requestParameters(.standard, at: .zero)
                == [.updateParameters(.standard), .parametersAnswered(.accepted)])
    }

    @Test func `a command reject is a refusal`() {
        var machine = SignallingMachine(role: .peripheral)
        _ = machine.requestParameters(.standard, at: .zero)
        let reject = SignallingPDU.commandReject(identifier: 1, reason: .notUnderstood, data: []).encoded
        #expect(machine.received(reject[...], at: .zero) == [.parametersAnswered(.refused)])
        #expect(machine.received(reject[...], at: .zero) == [])
    }

    // MARK: Rejections

    /// L2CAP/LE/REJ/BI-01-C, L2CAP/LE/REJ/BI-02-C; the enhanced credit based commands among them.
    @Test(arguments: [UInt8(0x77), 0x02, 0x17, 0x19, 0x00, 0xFF])
    func `L2CAP/LE/REJ/BI-01-C and BI-02-C: an unknown code is not understood`(code: UInt8) {
        var machine = SignallingMachine(role: .central)
        #expect(machine.received([code, 7, 1, 0, 1], at: .zero) == rejected(7))
    }

    @Test func `frames that cannot be read are rejected where there is something to answer to`() {
        var machine = SignallingMachine(role: .central)
        #expect(machine.received([0x12, 8, 9, 0], at: .zero) == rejected(8))
        #expect(machine.received([0x12, 8], at: .zero) == rejected(8))
        #expect(machine.received([0x12], at: .zero) == [])
        #expect(machine.received([], at: .zero) == [])
        #expect(machine.received([0x77, 0, 0, 0], at: .zero) == [], "identifier 0")
        #expect(machine.received([0x13, 8, 9, 0], at: .zero) == [], "an answer is not answered")
        let two = SignallingPDU.unknown(code: 0x77, identifier: 4, data: []).encoded
        #expect(machine.received((two + two)[...], at: .zero) == rejected(4), "two commands in a frame")
    }

    @Test func `a frame above the signalling MTU of 23 is rejected with that MTU`() {
        var machine = SignallingMachine(role: .central)
        let data = [UInt8](repeating: 0, count: 20)
        #expect(machine.received([0x77, 5, 20, 0] + data, at: .zero) == rejected(5, .mtuExceeded, [23, 0]))
        #expect(machine.received([0x77, 5, 19, 0] + data.dropLast(), at: .zero) == rejected(5))
        #expect(machine.received([0x15, 5, 20, 0] + data, at: .zero) == [])
    }

    @Test func `answers that nobody waits for are ignored`() {
        var machine = SignallingMachine(role: .peripheral)
        let request = machine.request(.disconnect(destination: 0x50, source: 0x40), at: .zero)
        #expect(request == .disconnectionRequest(identifier: 1, destination: 0x50, source: 0x40))
        let answers: [SignallingPDU] = [
            .parameterUpdateResponse(identifier: 1, accepted: true),
            .disconnectionResponse(identifier: 2, destination: 0x50, source: 0x40),
            .disconnectionResponse(identifier: 1, destination: 0x51, source: 0x40),
            .disconnectionResponse(identifier: 1, destination: 0x50, source: 0x41),
            .creditBasedConnectionResponse(
                identifier: 1, .init(channel: 0x50, mtu: 64, mps: 64, credits: 1), result: .success),
        ]
        for answer in answers { #expect(machine.received(answer.encoded[...], at: .zero) == []) }
        let right = SignallingPDU.disconnectionResponse(identifier: 1, destination: 0x50, source: 0x40).encoded
        #expect(machine.received(right[...], at: .zero) == [.channel(.disconnectionEnded(source: 0x40))])
    }

    @Test func `identifiers go round from 1 to 255, and pass those that wait`() {
        var machine = SignallingMachine(role: .peripheral)
        _ = machine.request(.disconnect(destination: 0x50, source: 0x40), at: .zero)
        for expected in Array(UInt8(2)...255) + [2, 3] {
            guard case .flowControlCredit(let identifier, _, _) = machine.giveCredits(1, for: 0x40) else {
                Issue.record("not an indication")
                return
            }
            #expect(identifier == expected)
        }
    }

    @Test func `requests that wait are bounded`() {
        var machine = SignallingMachine(role: .peripheral)
        var sent = 0
        while machine.request(.disconnect(destination: 0x50, source: 0x40), at: .zero) != nil, sent < 1000 { sent += 1 }
        #expect(sent == 64)
        #expect(machine.expire(at: at(30)).count == 64)
        #expect(machine.request(.disconnect(destination: 0x50, source: 0x40), at: at(30)) != nil)
    }
}
