// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Discover All Primary Services. Core 5.4, Vol 3, Part G, 4.4.1.
struct AllServicesDiscovery: GATTProcedure {
    private var found: [RemoteService] = []
    private var start: UInt16 = 1

    mutating func next(mtu: Int) -> ATTPDU {
        .readByGroupTypeRequest(start: start, end: 0xFFFF, type: BluetoothUUID(GATTAttributeType.primaryService))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readByGroupTypeResponse(let groups) = response else { return .failed(.malformed) }
        for group in groups {
            guard group.start >= start, group.end >= group.start, found.count < GATTLimit.attributes,
                let uuid = BluetoothUUID(attributeOctets: group.value)
            else { return .failed(.malformed) }
            found.append(
                RemoteService(uuid: uuid, handles: ATTPDU.HandleRange(start: group.start, end: group.end)))
            guard group.end < 0xFFFF else { return .finished(.services(found)) }
            start = group.end + 1
        }
        return .proceed
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        error == .attributeNotFound ? .finished(.services(found)) : .failed(.refused(error))
    }
}

/// Discover Primary Service by Service UUID, for one UUID after the other. Core 5.4, Vol 3, Part G, 4.4.2.
///
/// A short UUID that is not found is looked for in 128 bits, too: there are devices that declare it so, and servers that
/// compare octets.
struct ServicesByUUIDDiscovery: GATTProcedure {
    private let uuids: [BluetoothUUID]
    private var index = 0
    private var found: [RemoteService] = []
    private var start: UInt16 = 1
    /// The UUID is looked for in 128 bits.
    private var isLong = false

    /// Nil when there is nothing to look for.
    init?(_ uuids: [BluetoothUUID]) {
        guard !uuids.isEmpty else { return nil }
        self.uuids = uuids
    }

    mutating func next(mtu: Int) -> ATTPDU {
        .findByTypeValueRequest(
            start: start, end: 0xFFFF, type: GATTAttributeType.primaryService,
            value: isLong ? uuids[index].longOctets : uuids[index].attributeOctets)
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .findByTypeValueResponse(let ranges) = response else { return .failed(.malformed) }
        for range in ranges {
            guard range.start >= start, range.end >= range.start, found.count < GATTLimit.attributes else {
                return .failed(.malformed)
            }
            found.append(RemoteService(uuid: uuids[index], handles: range))
            guard range.end < 0xFFFF else { return nextUUID() }
            start = range.end + 1
        }
        return .proceed
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        guard error == .attributeNotFound else { return .failed(.refused(error)) }
        // Past 1 something was found.
        guard start == 1, !isLong, uuids[index].short != nil else { return nextUUID() }
        isLong = true
        return .proceed
    }

    private mutating func nextUUID() -> GATTStep {
        index += 1
        start = 1
        isLong = false
        return index < uuids.count ? .proceed : .finished(.services(found))
    }
}

/// Find Included Services. Core 5.4, Vol 3, Part G, 4.5.1.
struct IncludedServicesDiscovery: GATTProcedure {
    private let end: UInt16
    /// Where to search on; nil when the search is over.
    private var start: UInt16?
    private var found: [RemoteService] = []
    /// Included services whose 128-bit UUID has to be read from their declaration.
    private var unnamed: [ATTPDU.HandleRange] = []

    init(_ handles: ATTPDU.HandleRange) {
        start = handles.start
        end = handles.end
    }

    mutating func next(mtu: Int) -> ATTPDU {
        if let service = unnamed.first { return .readRequest(handle: service.start) }
        return .readByTypeRequest(start: start ?? end, end: end, type: BluetoothUUID(GATTAttributeType.include))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        switch response {
        case .readResponse(let value):
            guard let service = unnamed.first, let uuid = BluetoothUUID(attributeOctets: value) else {
                return .failed(.malformed)
            }
            unnamed.removeFirst()
            found.append(RemoteService(uuid: uuid, handles: service))
        case .readByTypeResponse(let items):
            for item in items {
                guard let include = Include(item), let from = start, item.handle >= from, item.handle <= end,
                    found.count + unnamed.count < GATTLimit.attributes
                else { return .failed(.malformed) }
                if let uuid = include.uuid {
                    found.append(RemoteService(uuid: uuid, handles: include.handles))
                } else {
                    unnamed.append(include.handles)
                }
                start = item.handle < end ? item.handle + 1 : nil
            }
        default:
            return .failed(.malformed)
        }
        return step
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        guard error == .attributeNotFound, unnamed.isEmpty else { return .failed(.refused(error)) }
        start = nil
        return step
    }

    private var step: GATTStep {
        start == nil && unnamed.isEmpty ? .finished(.services(found)) : .proceed
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
