// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import FuzzSeeds
import GATT

/// Our GATT client against a server with any octets: every request ends once, one request is on its way at a time, and every PDU of ours
/// fits the MTU.
struct ATTClientTarget: FuzzTarget {
    static let name = "att-client"

    static var seeds: [[UInt8]] {
        let answers: [[UInt8]] = [
            [0x03, 64, 0], [0x11, 6, 1, 0, 9, 0, 0, 0x18, 16, 0, 0xFF, 0xFF, 1, 0x18], [0x01, 0x10, 1, 0, 0x0A],
            [0x09, 7, 2, 0, 2, 3, 0, 0, 0x2A, 4, 0, 2, 5, 0, 1, 0x2A], [0x01, 0x08, 6, 0, 0x0A],
            [0x05, 1, 3, 0, 2, 0x29, 4, 0, 1, 0x29], [0x0B, 1, 2, 3], [0x0D, 4], [0x13], [0x19], [0x0F, 1, 2],
            [0x07, 1, 0, 9, 0], [0x01, 0x06, 1, 0, 0x0A], [0x17, 3, 0, 0, 0, 7, 7], [0x21, 1, 0, 9, 2, 0, 8, 8],
            [0x01, 0x0A, 3, 0, 0x12], [0x09, 18, 0x17, 0] + [UInt8](repeating: 0xA5, count: 16),
        ]
        func seed(_ kind: UInt8, _ requests: [UInt8]) -> [UInt8] {
            var script = FuzzScript(kind)
            for request in requests {
                script.add(0, request, 3, 9, 0x20)
                for answer in answers {
                    script.add(1)
                    script.add(counted: answer)
                }
            }
            return script.octets
        }
        return [
            seed(0, [0, 2, 4, 5]), seed(1, [1, 6, 7, 8]), seed(2, [9, 10, 11]), seed(3, [12, 13, 14, 3]),
            answered(0), answered(1), answered(5),
        ]
    }

    /// All requests, each with a server's matching answers.
    private static func answered(_ kind: UInt8) -> [UInt8] {
        var script = FuzzScript(kind, 2, 23)
        for request in 0..<15 as Range<UInt8> {
            script.add(0, request, 1, 9, 0x20)
            for turn in 0..<6 as Range<UInt8> { script.add(2, turn &* 29 &+ request, 3, 0) }
        }
        return script.octets
    }

    private var machine = GATTClientMachine(ownMTU: 23)
    private var now = MonotonicTime.zero
    private var open: Set<UInt64> = []
    /// Our request that the server has not answered.
    private var asked: ATTPDU?
    private var isClosed = false

    init() {}

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        let kind = input.u8()
        machine = GATTClientMachine(ownMTU: kind & 1 == 0 ? 23 : 517)
        (now, open, asked, isClosed) = (.zero, [], nil, false)
        if kind & 2 == 0 {
            take(machine.start(at: now))
        } else {
            take(machine.start(with: kind & 8 == 0 ? nil : GATTClientCache(), isBonded: kind & 4 != 0, at: now))
        }
        var number: UInt64 = 0
        while !input.isAtEnd {
            switch input.pick(8) {
            case 0, 6:
                number += 1
                open.insert(number)
                take(machine.request(request(&input), id: GATTRequestID(rawValue: number), at: now))
            case 1: receive(input.counted())
            case 2, 7: answer(&input)
            case 3:
                now = now + .seconds(Int(input.u8() & 31))
                if let deadline = machine.deadline, deadline <= now {
                    asked = nil
                    take(machine.expire(at: now))
                }
                promise(machine.deadline.map { $0 > now } ?? true, "time stands still")
            case 4:
                let (start, end) = (input.u16(), input.u16())
                if start > 0, start <= end { take(machine.servicesChanged(.init(start: start, end: end))) }
            default:
                if input.flag() { take(machine.invalidateCache()) } else { machine.setMTU(Int(input.u8()) * 2) }
                _ = machine.takeCacheChange()
            }
        }
        take(machine.fail(.disconnected))
        promise(open.isEmpty, "requests without an end: \(open)")
        if case .keep(let cache) = machine.takeCacheChange() {
            promise(cache.services.count <= GATTClientCache.capacity, "\(cache.services.count) services are kept")
        }
    }

    /// A request for a short UUID in 128 bits counts as a request for the short UUID.
    private static func isRead(_ read: ATTPDU?, as pdu: ATTPDU) -> Bool {
        guard case .readByTypeRequest(let start, let end, let type)? = read else { return read == pdu }
        return read == pdu || .readByTypeRequest(start: start, end: end, longType: type) == pdu
    }

    private mutating func take(_ effects: [GATTClientMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let pdu):
                promise(asked == nil, "\(pdu) goes out before \(String(describing: asked)) is answered")
                promise(!isClosed, "\(pdu) goes out on a closed bearer")
                asked = pdu
                let octets = pdu.encoded
                promise(octets.count <= max(machine.mtu, 23), "\(octets.count) octets for an MTU of \(machine.mtu)")
                promise(Self.isRead(try? ATTPDU(decoding: octets[...]), as: pdu), "\(pdu) is read as another")
            case .completed(let id, _):
                promise(open.remove(id.rawValue) != nil, "request \(id.rawValue) ends twice")
            case .mtuExchanged(let mtu): promise((23...517).contains(mtu), "the MTU is \(mtu)")
            case .servicesChanged(let range): promise(range.start <= range.end, "\(range) is no range")
            case .closeBearer: isClosed = true
            }
        }
    }

    private mutating func receive(_ octets: [UInt8]) {
        let before = machine.unexpectedResponses
        let outstanding = asked
        asked = nil
        let effects = machine.received(octets[...], at: now)
        if machine.unexpectedResponses > before {
            promise(effects.isEmpty, "an answer that nobody wants does something")
            asked = outstanding
        }
        if let pdu = try? ATTPDU(decoding: octets[...]) {
            promise((try? ATTPDU(decoding: pdu.encoded[...])) == pdu, "\(pdu) is read as another")
        }
        take(effects)
    }

    // MARK: Choices

    private func request(_ input: inout FuzzInput) -> GATTRequest {
        let kind = input.pick(15)
        let (start, length) = (UInt16(input.u8()), UInt16(input.u8()))
        let uuid = BluetoothUUID(0x2A00 | UInt16(input.u8()))
        let range = ATTPDU.HandleRange(start: start, end: start + length)
        let value = [UInt8](repeating: 7, count: Int(length) * 2)
        switch kind {
        case 0: return .discoverServices(nil)
        case 1: return .discoverServices([BluetoothUUID(UInt16(0x1800)), uuid])
        case 2: return .discoverIncludedServices(range)
        case 3: return .discoverCharacteristics(range, [uuid])
        case 4: return .discoverCharacteristics(range, nil)
        case 5: return .discoverDescriptors(range)
        case 6: return .read(handle: start)
        case 7: return .readByType(uuid)
        case 8: return .readMultiple(handles: Array(repeating: start, count: Int(length & 15)))
        case 9: return .readMultipleVariable(handles: Array(repeating: start, count: Int(length & 15)))
        case 10: return .readAll(uuid, in: range)
        case 11: return .write(handle: start, value: value)
        case 12: return .reliableWrite([.init(handle: start, value: value), .init(handle: start, value: [1])])
        case 13: return .watchServices
        default: return .configure(valueHandle: start, endHandle: start + length, .indication)
        }
    }

    /// A matching answer, or an error.
    private mutating func answer(_ input: inout FuzzInput) {
        guard let request = asked else { return }
        let choice = input.u8()
        let (handle, length) = (UInt16(input.u8()), Int(choice & 0x3F))
        let value = [UInt8](repeating: choice, count: length)
        let refusal: ATTErrorCode = choice & 1 == 0 ? .attributeNotFound : ATTErrorCode(rawValue: choice >> 1)
        let short: [UInt8] = [0, 0x28 | choice & 3]
        let reply: ATTPDU
        switch request {
        case _ where choice & 0xC0 == 0xC0:
            reply = .errorResponse(request: request.opcode, handle: handle, error: refusal)
        case .exchangeMTURequest: reply = .exchangeMTUResponse(mtu: UInt16(choice) * 3)
        case .findInformationRequest(let start, let end):
            let type = BluetoothUUID(0x2900 | UInt16(choice & 7))
            reply = .findInformationResponse([.init(handle: min(end, start &+ handle & 3), type: type)])
        case .findByTypeValueRequest(let start, _, _, _):
            reply = .findByTypeValueResponse([.init(start: start, end: start &+ handle)])
        case .readByTypeRequest(let start, _, let type):
            switch type.short {
            case GATTAttributeType.characteristic:
                let next = start &+ 1
                let declared = [choice, UInt8(truncatingIfNeeded: next), UInt8(next >> 8), 0x29 &- choice & 1, 0x2A]
                reply = .readByTypeResponse([.init(handle: start, value: declared)])
            case GATTAttributeType.include:
                let included = [1, 0, 9, 0] + (choice & 1 == 0 ? short : [])
                reply = .readByTypeResponse([.init(handle: start, value: included)])
            case GATTAttributeType.databaseHash:
                reply = .readByTypeResponse([.init(handle: 9, value: [UInt8](repeating: choice & 1, count: 16))])
            default: reply = .readByTypeResponse([.init(handle: start &+ handle, value: value)])
            }
        case .readByGroupTypeRequest(let start, _, _):
            reply = .readByGroupTypeResponse([.init(start: start, end: start &+ handle, value: short)])
        case .readRequest: reply = .readResponse(value)
        case .readBlobRequest: reply = .readBlobResponse(value)
        case .readMultipleRequest: reply = .readMultipleResponse(value)
        case .readMultipleVariableRequest(let handles):
            reply = .readMultipleVariableResponse(handles.prefix(1 + Int(handle & 7)).map { _ in value })
        case .writeRequest: reply = .writeResponse
        case .prepareWriteRequest(let handle, let offset, let value):
            reply = .prepareWriteResponse(handle: handle, offset: offset, value: choice & 0x20 == 0 ? value : [])
        case .executeWriteRequest: reply = .executeWriteResponse
        default: return
        }
        receive(reply.encoded)
    }
}
