// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A departure of a simulated sensor from the Core Specification, as seen in real sensors.
package enum SensorOddity: Hashable, Sendable {
    /// A request: its opcode, and for Read By Type the attribute type (Core 5.4, Vol 3, Part F, 3.4).
    package struct Request: Hashable, Sendable {
        package let opcode: UInt8
        package let type: UInt16?
        /// The service that the request looks for, or that holds the request's first handle; or the attribute at the
        /// handle. Nil: any.
        package let about: UInt16?

        package init(_ opcode: UInt8, type: UInt16? = nil, about: UInt16? = nil) {
            (self.opcode, self.type, self.about) = (opcode, type, about)
        }

        package static let exchangeMTU = Self(0x02)
        package static let deviceName = Self(0x08, type: 0x2A00)
        package static let databaseHash = Self(0x08, type: 0x2B2A)

        /// All primary services (Core 5.4, Vol 3, Part G, 4.4.1), services with one UUID, included services,
        /// characteristics, descriptors.
        package static let allServices = Self(0x10)
        package static let servicesByUUID = Self(0x06)
        package static let includedServices = Self(0x08, type: 0x2802)
        package static let characteristics = Self(0x08, type: 0x2803)
        package static let descriptors = Self(0x04)
        package static let read = Self(0x0A)
        package static let write = Self(0x12)

        package func about(_ uuid: UInt16) -> Self { Self(opcode, type: type, about: uuid) }

        func matches(_ pdu: ArraySlice<UInt8>, _ table: AttributeTable) -> Bool {
            guard pdu.first == opcode else { return false }
            if let type, !pdu.dropFirst(5).starts(with: type.octets) { return false }
            guard let about else { return true }
            if opcode == 0x06 { return pdu.dropFirst(7).elementsEqual(about.octets) }
            let octets = pdu.dropFirst().prefix(2)
            guard octets.count == 2, let low = octets.first, let high = octets.last else { return false }
            return table.subjects(of: UInt16(low) | UInt16(high) << 8).contains(about)
        }
    }

    /// A procedure of the Central's link layer.
    package enum LinkRequest: Hashable, CaseIterable, Sendable {
        case features, dataLength, phy, parameters

        fileprivate init?(_ procedure: LinkProcedure) {
            switch procedure {
            case .exchangeFeatures(by: .central): self = .features
            case .changeDataLength(by: .central, octets: _): self = .dataLength
            case .changePHY(by: .central, phy: _): self = .phy
            case .update: self = .parameters
            default: return nil
            }
        }
    }

    /// Ends the link when the request comes.
    case hangsUp(Request)
    /// Never answers the request.
    case ignores(Request)
    /// Refuses the request with this error.
    case refuses(Request, error: UInt8)
    /// Gives each answer to the request again and again, whatever handle the client continues from.
    case goesRound(Request)
    /// The items of its answers are out of order.
    case reverses(Request)
    /// Each item of its answers comes twice.
    case repeats(Request)
    /// Behind the items of its answers comes the first octet of another item.
    case breaksOff(Request)
    /// The answers have no items.
    case empties(Request)
    /// The items of its answers have handles beyond the requested range.
    case strays(Request)
    /// Gives this answer to the request.
    case answers(Request, with: [UInt8])
    /// Each answer to the request comes twice.
    case doubles(Request)
    /// Ends the link when the Central's link layer begins this procedure.
    case hangsUpOver(LinkRequest)
    /// Its link layer never answers this procedure.
    case leavesOpen(LinkRequest)
    /// Its error responses name no request.
    case namesNoRequest
    /// The declarations of these characteristics give a value handle behind all services.
    case misplacesValue(UInt16)
    /// Declares the first characteristic with the UUID of the second, like a sensor with two probes.
    case declares(UInt16, as: UInt16)
    /// The characteristic has a User Description with these octets; a characteristic with another's UUID goes by its own.
    case describes(UInt16, as: [UInt8])
    /// The sensor's main service includes the battery's service and Device Information. No oddity by itself.
    case includesServices
    /// Has no Client Characteristic Configuration descriptors, and notifies as soon as it is connected.
    case lacksConfigurations
}

extension VirtualSensor {
    func treatment(of procedure: LinkProcedure) -> LinkTreatment {
        guard let request = SensorOddity.LinkRequest(procedure) else { return .carryOut }
        if configuration.oddities.contains(.hangsUpOver(request)) { return .hangUp }
        return configuration.oddities.contains(.leavesOpen(request)) ? .ignore : .carryOut
    }
}

/// The effects of a sensor's oddities on one link.
struct OddBearer {
    enum Treatment: Equatable {
        case hangUp
        case ignore
        /// The server takes this PDU.
        case take([UInt8])
        case answer([UInt8])
    }

    private let oddities: Set<SensorOddity>
    /// The first handle of the walk under way, by opcode.
    private var firstStarts: [UInt8: (start: [UInt8], end: [UInt8])] = [:]

    init(_ oddities: Set<SensorOddity>) { self.oddities = oddities }

    mutating func treat(_ pdu: ArraySlice<UInt8>, _ table: AttributeTable) -> Treatment {
        guard !oddities.isEmpty, let opcode = pdu.first else { return .take(Array(pdu)) }
        for oddity in oddities {
            switch oddity {
            case .hangsUp(let request) where request.matches(pdu, table): return .hangUp
            case .ignores(let request) where request.matches(pdu, table): return .ignore
            case .refuses(let request, let error) where request.matches(pdu, table):
                return .answer(refined([0x01, opcode] + pdu.dropFirst().prefix(2) + [error]))
            case .answers(let request, let octets) where request.matches(pdu, table): return .answer(octets)
            case .goesRound(let request) where request.matches(pdu, table): return .take(fromTheStart(pdu, opcode))
            default: continue
            }
        }
        return .take(Array(pdu))
    }

    /// The response that goes out in place of the server's.
    func refined(_ response: [UInt8], to pdu: ArraySlice<UInt8> = [], _ table: AttributeTable? = nil) -> [UInt8] {
        var response = response
        for oddity in oddities {
            switch oddity {
            case .namesNoRequest where response.first == 0x01 && response.count == 5: response[1] = 0
            case .reverses(let request) where isAbout(request, pdu, table):
                response = Self.changed(response) { $0.reversed() }
            case .repeats(let request) where isAbout(request, pdu, table):
                response = Self.changed(response) { $0.flatMap { [$0, $0] } }
            case .breaksOff(let request) where isAbout(request, pdu, table):
                response = Self.changed(response) { items in items + [Array(items.last?.prefix(1) ?? [])] }
            case .empties(let request) where isAbout(request, pdu, table):
                response = Self.changed(response) { _ in [] }
            case .strays(let request) where isAbout(request, pdu, table):
                // The high octet of the first handle; items of services have a second handle, their end.
                response = Self.changed(response) { items in
                    items.map { item in
                        var item = item
                        if item.count > 1 { item[1] |= 0xE0 }
                        return item
                    }
                }
            default: continue
            }
        }
        return response
    }

    /// How many times a response goes out.
    func copies(of pdu: ArraySlice<UInt8>, _ table: AttributeTable) -> Int {
        let isDoubled = oddities.contains {
            if case .doubles(let request) = $0 { request.matches(pdu, table) } else { false }
        }
        return isDoubled ? 2 : 1
    }

    private func isAbout(_ request: SensorOddity.Request, _ pdu: ArraySlice<UInt8>, _ table: AttributeTable?) -> Bool {
        table.map { request.matches(pdu, $0) } ?? false
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
    private static func changed(_ response: [UInt8], _ change: ([[UInt8]]) -> [[UInt8]]) -> [UInt8] {
        let (head, size): (Int, Int) =
            switch response.first {
            case 0x05: (2, response.dropFirst().first == 1 ? 4 : 18)
            case 0x07: (1, 4)
            case 0x09, 0x11: (2, Int(response.dropFirst().first ?? 0))
            default: (0, 0)
            }
        guard size > 0 else { return response }
        let items = stride(from: head, to: response.count, by: size).map { Array(response[$0...].prefix(size)) }
        return Array(response.prefix(head)) + change(items).flatMap { $0 }
    }
}
