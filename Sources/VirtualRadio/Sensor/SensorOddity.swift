// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A point in which a simulated sensor does otherwise than the Core Specification says, as real sensors do.
package enum SensorOddity: Hashable, Sendable {
    /// A request: its opcode, and for Read By Type the attribute type (Core 5.4, Vol 3, Part F, 3.4).
    package struct Request: Hashable, Sendable {
        package let opcode: UInt8
        package let type: UInt16?

        package init(_ opcode: UInt8, type: UInt16? = nil) { (self.opcode, self.type) = (opcode, type) }

        package static let exchangeMTU = Self(0x02)
        package static let deviceName = Self(0x08, type: 0x2A00)
        package static let databaseHash = Self(0x08, type: 0x2B2A)

        func matches(_ pdu: ArraySlice<UInt8>) -> Bool {
            guard pdu.first == opcode else { return false }
            guard let type else { return true }
            return pdu.dropFirst(5).elementsEqual(type.octets)
        }
    }

    /// It ends the link when the request comes.
    case hangsUp(Request)
    /// It never answers the request.
    case ignores(Request)
    /// It refuses the request with this error.
    case refuses(Request, error: UInt8)
    /// It gives each answer to the request again and again, whatever handle the client goes on from.
    case goesRound(Request)
    /// The items of its answers are in another order.
    case reverses(Request)
    /// Its error responses name no request.
    case namesNoRequest
    /// The declarations of these characteristics give a value handle behind all services.
    case misplacesValue(UInt16)
    /// It declares the first characteristic with the UUID of the second one, as a sensor with two probes does.
    case declares(UInt16, as: UInt16)
    /// Its characteristics have no Client Characteristic Configuration descriptors. It notifies as soon as it is connected.
    case lacksConfigurations
}

/// What the oddities of a sensor make of one link.
struct OddBearer {
    enum Treatment: Equatable {
        case hangUp
        case ignore
        /// The server takes this PDU.
        case take([UInt8])
        case answer([UInt8])
    }

    private let oddities: Set<SensorOddity>
    /// The first handle of the walk that goes on, by opcode.
    private var firstStarts: [UInt8: (start: [UInt8], end: [UInt8])] = [:]

    init(_ oddities: Set<SensorOddity>) { self.oddities = oddities }

    mutating func treat(_ pdu: ArraySlice<UInt8>) -> Treatment {
        guard !oddities.isEmpty, let opcode = pdu.first else { return .take(Array(pdu)) }
        for oddity in oddities {
            switch oddity {
            case .hangsUp(let request) where request.matches(pdu): return .hangUp
            case .ignores(let request) where request.matches(pdu): return .ignore
            case .refuses(let request, let error) where request.matches(pdu):
                return .answer(refined([0x01, opcode] + pdu.dropFirst().prefix(2) + [error]))
            case .goesRound(let request) where request.matches(pdu): return .take(fromTheStart(pdu, opcode))
            default: continue
            }
        }
        return .take(Array(pdu))
    }

    /// The response that goes out, instead of the server's.
    func refined(_ response: [UInt8], to pdu: ArraySlice<UInt8> = []) -> [UInt8] {
        var response = response
        for oddity in oddities {
            switch oddity {
            case .namesNoRequest where response.first == 0x01 && response.count == 5: response[1] = 0
            case .reverses(let request) where request.matches(pdu): response = Self.reversed(response)
            default: continue
            }
        }
        return response
    }

    private mutating func fromTheStart(_ pdu: ArraySlice<UInt8>, _ opcode: UInt8) -> [UInt8] {
        let (start, end) = (Array(pdu.dropFirst().prefix(2)), Array(pdu.dropFirst(3).prefix(2)))
        if let first = firstStarts[opcode], first.end == end {
            return [opcode] + first.start + pdu.dropFirst(3)
        }
        firstStarts[opcode] = (start, end)
        return Array(pdu)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.3.2, 3.4.3.4, 3.4.4.2 and 3.4.4.10.
    private static func reversed(_ response: [UInt8]) -> [UInt8] {
        let (head, size): (Int, Int) =
            switch response.first {
            case 0x05: (2, response.dropFirst().first == 1 ? 4 : 18)
            case 0x07: (1, 4)
            case 0x09, 0x11: (2, Int(response.dropFirst().first ?? 0))
            default: (0, 0)
            }
        guard size > 0 else { return response }
        let items = stride(from: head, to: response.count, by: size).map { response[$0...].prefix(size) }
        return Array(response.prefix(head)) + items.reversed().flatMap { $0 }
    }
}
