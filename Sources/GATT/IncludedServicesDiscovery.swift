// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Find Included Services. Core 5.4, Vol 3, Part G, 4.5.1.
struct IncludedServicesDiscovery: GATTProcedure {
    private let end: UInt16
    private var walk: DiscoveryWalk
    private var isWalkOver = false
    private var found: [RemoteService] = []
    /// Included services whose 128-bit UUID has to be read from their declaration.
    private var unnamed: [ATTPDU.HandleRange] = []

    init(_ handles: ATTPDU.HandleRange) {
        end = handles.end
        walk = DiscoveryWalk(.includedService, from: handles.start, to: handles.end)
    }

    var oddities: GATTOddities { walk.oddities }

    mutating func next(mtu: Int) -> ATTPDU {
        if let service = unnamed.first { return .readRequest(handle: service.start) }
        return .readByTypeRequest(start: walk.start, end: end, type: BluetoothUUID(GATTAttributeType.include))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        switch response {
        case .readResponse(let value):
            guard let service = unnamed.first else { return receivedMalformed() }
            unnamed.removeFirst()
            guard let uuid = BluetoothUUID(attributeOctets: value) else {
                walk.record(.badDeclaration, at: service.start)
                break
            }
            found.append(RemoteService(uuid: uuid, handles: service))
        case .readByTypeResponse(let items):
            let taken = walk.admit(items, \.handle)
            for item in taken {
                guard let include = Include(item) else {
                    walk.record(.badDeclaration, at: item.handle)
                    continue
                }
                if let uuid = include.uuid {
                    found.append(RemoteService(uuid: uuid, handles: include.handles))
                } else {
                    unnamed.append(include.handles)
                }
            }
            isWalkOver = !walk.advance(past: taken.last?.handle)
        default:
            return receivedMalformed()
        }
        return step
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        if let service = unnamed.first, !error.isOfSecurity {
            unnamed.removeFirst()
            walk.record(.badDeclaration, at: service.start)
            return step
        }
        // A server that refuses the whole search counts as a server without included services.
        if let failure = walk.refused(error, hasFound: hasFound), error.isOfSecurity { return .failed(failure) }
        isWalkOver = true
        return step
    }

    mutating func receivedMalformed() -> GATTStep {
        _ = walk.unreadable(hasFound: hasFound)
        if !unnamed.isEmpty { unnamed.removeFirst() } else { isWalkOver = true }
        return step
    }

    private var hasFound: Bool { !found.isEmpty || !unnamed.isEmpty }

    private var step: GATTStep {
        isWalkOver && unnamed.isEmpty ? .finished(.services(found)) : .proceed
    }

    /// An include declaration. Core 5.4, Vol 3, Part G, 3.2.
    private struct Include {
        let handles: ATTPDU.HandleRange
        let uuid: BluetoothUUID?

        init?(_ item: ATTPDU.AttributeValue) {
            var reader = ByteReader(item.value)
            guard let first = try? reader.u16("Included Service Attribute Handle"),
                let last = try? reader.u16("End Group Handle"), first > 0, first <= last,
                // A UUID of 128 bits does not fit and is left out.
                reader.remaining == 0 || reader.remaining == 2
            else { return nil }
            handles = ATTPDU.HandleRange(start: first, end: last)
            uuid = BluetoothUUID(littleEndian: reader.rest())
        }
    }
}
