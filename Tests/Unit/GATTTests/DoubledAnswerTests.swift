// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// Servers with several equal answers to a request, and servers with equal answers to different requests.
struct DoubledAnswerTests {
    typealias Range = ATTPDU.HandleRange
    typealias Value = ATTPDU.AttributeValue

    static let service = Range(start: 0x10, end: 0x1F)
    static let temperature = BluetoothUUID(0x2A6E as UInt16)

    /// A client's requests, in order.
    static let requests: [GATTRequest] = [
        .discoverServices(nil), .discoverServices([BluetoothUUID(0x181A as UInt16), BluetoothUUID(0x180F as UInt16)]),
        .discoverIncludedServices(service), .discoverCharacteristics(service, nil),
        .discoverDescriptors(Range(start: 0x13, end: 0x14)), .discoverDescriptors(Range(start: 0x17, end: 0x1F)),
        .configure(valueHandle: 0x12, endHandle: 0x14, .notification),
        .configure(valueHandle: 0x16, endHandle: 0x1F, .notification), .readByType(temperature),
        // Equal values, and equal answers to writes.
        .read(handle: 0x12), .read(handle: 0x12), .read(handle: 0x16), .read(handle: 0x12), .read(handle: 0x18),
        .write(handle: 0x12, value: [1]), .write(handle: 0x16, value: [2]), .write(handle: 0x18, value: [3]),
        .read(handle: 0x18), .read(handle: 0x99), .read(handle: 0x98), .discoverServices(nil),
    ]

    /// A server with three services, two characteristics and an included service.
    static func answer(_ request: ATTPDU) -> ATTPDU {
        func error(_ handle: UInt16, _ error: ATTErrorCode = .attributeNotFound) -> ATTPDU {
            .errorResponse(request: request.opcode, handle: handle, error: error)
        }
        func first<Item>(_ items: [Item], _ handle: (Item) -> UInt16, _ start: UInt16, _ end: UInt16) -> [Item] {
            Array(items.filter { handle($0) >= start && handle($0) <= end }.prefix(1))
        }
        switch request {
        case .exchangeMTURequest: return .exchangeMTUResponse(mtu: 185)
        case .readByGroupTypeRequest(let start, let end, _):
            let all = [(1 as UInt16, 9 as UInt16, 0x00 as UInt8), (0x10, 0x1F, 0x1A), (0x20, 0x2F, 0x0F)]
            let found = first(all, \.0, start, end)
            return found.isEmpty
                ? error(start)
                : .readByGroupTypeResponse(found.map { .init(start: $0.0, end: $0.1, value: [$0.2, 0x18]) })
        case .findByTypeValueRequest(let start, _, _, let value):
            let range = value == [0x1A, 0x18] ? service : Range(start: 0x20, end: 0x2F)
            return start <= range.start ? .findByTypeValueResponse([range]) : error(start)
        case .readByTypeRequest(let start, let end, let type):
            let all: [UInt16: [Value]] = [
                0x2802: [Value(handle: 0x1F, value: [0x20, 0, 0x2F, 0, 0x0F, 0x18])],
                0x2803: [
                    Value(handle: 0x11, value: [0x12, 0x12, 0, 0x6E, 0x2A]),
                    Value(handle: 0x15, value: [0x12, 0x16, 0, 0x6F, 0x2A]),
                ],
                0x2A6E: [Value(handle: 0x12, value: [7, 7])],
            ]
            let found = first(all[type.short ?? 0] ?? [], \.handle, start, end)
            return found.isEmpty ? error(start) : .readByTypeResponse(found)
        case .findInformationRequest(let start, let end):
            let all: [(UInt16, UInt16)] = [(0x13, 0x2902), (0x14, 0x2901), (0x17, 0x2902), (0x18, 0x2901)]
            let found = first(all, \.0, start, end)
            return found.isEmpty
                ? error(start)
                : .findInformationResponse(found.map { .init(handle: $0.0, type: BluetoothUUID($0.1)) })
        case .readRequest(let handle) where handle < 0x90:
            return .readResponse(handle == 0x18 ? [3] : [7, 7])
        case .writeRequest: return .writeResponse
        default: return error(request.firstOfHandles, .invalidHandle)
        }
    }

    /// Runs the requests against a server with `copies` answers to each request.
    ///
    /// - Parameter delay: The repetitions of an answer come after so many further requests of the client; 0: at once.
    private static func run(
        copies: Int, delay: Int
    ) -> (results: [Result<GATTResponse, GATTError>], GATTClientMachine) {
        var machine = GATTClientMachine(ownMTU: 517)
        var results: [Result<GATTResponse, GATTError>] = []
        /// Answers, each with the number of requests after which the answer comes.
        var pending: [(due: Int, pdu: ATTPDU)] = []
        var sent = 0
        func take(_ effects: [GATTClientMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .send(let pdu):
                    sent += 1
                    pending.append((sent, answer(pdu)))
                    for _ in 1..<copies { pending.append((sent + delay, answer(pdu))) }
                case .completed(_, let result): results.append(result)
                default: break
                }
            }
        }
        func deliver() -> Bool {
            // Repetitions come before the answer to the request over which they come.
            guard let next = pending.enumerated().filter({ $0.element.due <= sent }).min(by: { $0.offset < $1.offset })
            else { return false }
            take(machine.received(pending.remove(at: next.offset).pdu.encoded[...], at: .zero))
            return true
        }
        take(machine.start(at: .zero))
        for (number, request) in requests.enumerated() {
            take(machine.request(request, id: GATTRequestID(rawValue: UInt64(number)), at: .zero))
            while results.count <= number, deliver() {}
            if delay == 0 { while deliver() {} }
        }
        return (results, machine)
    }

    // A second repetition of a late server cannot always be told from an answer.
    @Test(arguments: [(2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (5, 0)])
    func `each request has its own answer, however often and late the server gives it`(copies: Int, delay: Int) {
        let usual = Self.run(copies: 1, delay: 0)
        #expect(usual.results.count == Self.requests.count && usual.1.oddities.isEmpty)
        let (results, machine) = Self.run(copies: copies, delay: delay)
        #expect(results == usual.results)
        #expect(machine.oddities.first.map(\.kind) == [.answersTwice])
    }

    @Test func `a server that begins again and again is waited for once on a link`() throws {
        var machine = GATTClientMachine(ownMTU: 517)
        var now = MonotonicTime.zero
        var waits = 0
        for number in 1...3 as ClosedRange<UInt64> {
            let id = GATTRequestID(rawValue: number)
            var effects = machine.request(.discoverCharacteristics(Self.service, nil), id: id, at: now)
            for _ in 0..<8 where effects != [] {
                guard case .send = effects.first else { break }
                let same = ATTPDU.readByTypeResponse([Value(handle: 0x11, value: [0x12, 0x12, 0, 0x6E, 0x2A])])
                effects = machine.received(same.encoded[...], at: now)
                guard effects.isEmpty else { continue }
                waits += 1
                let deadline = try #require(machine.deadline)
                #expect(deadline - now == .seconds(5))
                now = deadline
                effects = machine.expire(at: now)
            }
            guard case .completed(id, .success(.characteristics(let found)))? = effects.first else {
                Issue.record("\(effects)")
                return
            }
            #expect(found.count == 1)
        }
        #expect(waits == 1)
        #expect(machine.oddities.first.map(\.kind).contains(.endless))
        #expect(!machine.oddities.first.map(\.kind).contains(.answersTwice))
    }

    @Test func `a server whose refusals are all the same is believed`() throws {
        var machine = GATTClientMachine(ownMTU: 517)
        let refusal = ATTPDU.errorResponse(request: .readRequest, handle: 1, error: .readNotPermitted)
        var waits = 0
        for handle in 1...4 as ClosedRange<UInt16> {
            let id = GATTRequestID(rawValue: UInt64(handle))
            _ = machine.request(.read(handle: handle), id: id, at: .zero)
            var effects = machine.received(refusal.encoded[...], at: .zero)
            if effects.isEmpty {
                waits += 1
                effects = machine.expire(at: try #require(machine.deadline))
            }
            #expect(effects == [.completed(id, .failure(.refused(.readNotPermitted)))])
        }
        #expect(waits == 1)
    }

    @Test func `a malformed answer that comes twice costs the next request nothing`() {
        var machine = GATTClientMachine(ownMTU: 517)
        _ = machine.start(at: .zero)
        let id = GATTRequestID(rawValue: 1)
        _ = machine.request(.read(handle: 3), id: id, at: .zero)
        #expect(machine.received([0x03], at: .zero) == [.send(.readRequest(handle: 3))])
        #expect(machine.received([0x03], at: .zero).isEmpty)
        #expect(machine.received([0x0B, 9], at: .zero) == [.completed(id, .success(.value([9])))])
    }

    /// The server begins with a refusal, and gives the refusal a hundred times during the next request.
    @Test(arguments: [true, false])
    func `no number of repetitions makes an answer of another request count sooner`(isAnswered: Bool) throws {
        var machine = GATTClientMachine(ownMTU: 517)
        let refusal: [UInt8] = [0x01, 0x0A, 3, 0, 0x02]
        let (first, second) = (GATTRequestID(rawValue: 1), GATTRequestID(rawValue: 2))
        _ = machine.request(.read(handle: 3), id: first, at: .zero)
        #expect(machine.received(refusal[...], at: .zero).count == 1)
        _ = machine.request(.read(handle: 9), id: second, at: .zero)
        for number in 0..<100 {
            #expect(machine.received(refusal[...], at: .zero + .milliseconds(40 * number)).isEmpty)
        }
        let deadline = try #require(machine.deadline)
        #expect(deadline == .zero + .seconds(5), "repetitions do not put the end off")
        let effects = isAnswered ? machine.received([0x0B, 7], at: deadline) : machine.expire(at: deadline)
        let result: Result<GATTResponse, GATTError> =
            isAnswered ? .success(.value([7])) : .failure(.refused(.readNotPermitted))
        #expect(effects == [.completed(second, result)])
    }

    @Test func `a server that has answered twice is never believed at once with another request's answer`() throws {
        var machine = GATTClientMachine(ownMTU: 517)
        var now = MonotonicTime.zero
        let refusal: [UInt8] = [0x01, 0x0A, 3, 0, 0x02]
        _ = machine.request(.read(handle: 3), id: GATTRequestID(rawValue: 1), at: now)
        for count in [1, 0] { #expect(machine.received(refusal[...], at: now).count == count) }
        #expect(machine.oddities.first.map(\.kind) == [.answersTwice])
        // The server does not answer the other requests, more often than the client may be mistaken.
        for number in 1...6 as ClosedRange<UInt64> {
            let (own, other) = (GATTRequestID(rawValue: 10 + number), GATTRequestID(rawValue: 20 + number))
            _ = machine.request(.read(handle: 9), id: other, at: now)
            #expect(machine.received(refusal[...], at: now).isEmpty, "request \(number)")
            now = try #require(machine.deadline)
            #expect(machine.expire(at: now) == [.completed(other, .failure(.refused(.readNotPermitted)))])
            _ = machine.request(.read(handle: 3), id: own, at: now)
            #expect(machine.received(refusal[...], at: now) == [.completed(own, .failure(.refused(.readNotPermitted)))])
        }
    }

    @Test func `an odd answer ends its request at once, unless it equals the former answer octet by octet`() throws {
        var machine = GATTClientMachine(ownMTU: 517)
        func ends(_ number: UInt64, by answer: [UInt8]) -> [GATTClientMachine.Effect] {
            _ = machine.request(.read(handle: 3), id: GATTRequestID(rawValue: number), at: .zero)
            return machine.received(answer[...], at: .zero)
        }
        func failed(_ number: UInt64, _ error: GATTError) -> [GATTClientMachine.Effect] {
            [.completed(GATTRequestID(rawValue: number), .failure(error))]
        }
        // Error responses that are cut, or too long.
        #expect(ends(1, by: [0x01]) == failed(1, .malformed))
        #expect(ends(2, by: [0x01, 0x0A]) == failed(2, .malformed))
        #expect(ends(3, by: [0x01, 0x0A, 3, 0, 0x0A, 1]) == failed(3, .malformed))
        // Error responses that name another request.
        #expect(ends(4, by: [0x01, 0x12, 3, 0, 0x02]) == failed(4, .refused(.readNotPermitted)))
        #expect(ends(5, by: [0x01, 0x12, 9, 0, 0x02]) == failed(5, .refused(.readNotPermitted)))
        // The answer equals the former one, and cannot belong to the request: one wait, and the end.
        #expect(ends(6, by: [0x01, 0x0A]) == failed(6, .malformed))
        #expect(ends(7, by: [0x01, 0x0A]).isEmpty)
        let deadline = try #require(machine.deadline)
        #expect(deadline == .zero + .seconds(5))
        #expect(machine.expire(at: deadline) == failed(7, .malformed))
        #expect(ends(8, by: [0x01, 0x0A]) == failed(8, .malformed), "a second wait would help nobody")
    }
}

extension ATTPDU {
    /// The handle in a refusal of the tests' server.
    fileprivate var firstOfHandles: UInt16 {
        switch self {
        case .readRequest(let handle), .writeRequest(let handle, _): handle
        case .unknown(_, let octets) where octets.count > 1: UInt16(octets[0]) | UInt16(octets[1]) << 8
        default: 1
        }
    }
}
