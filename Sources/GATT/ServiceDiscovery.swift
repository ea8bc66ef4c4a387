// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Discover All Primary Services. Core 5.4, Vol 3, Part G, 4.4.1.
struct AllServicesDiscovery: GATTProcedure {
    private var walk = DiscoveryWalk(.service)
    private var found: [RemoteService] = []

    var oddities: GATTOddities { walk.oddities }

    mutating func next(mtu: Int) -> ATTPDU {
        .readByGroupTypeRequest(start: walk.start, end: 0xFFFF, type: BluetoothUUID(GATTAttributeType.primaryService))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readByGroupTypeResponse(let groups) = response else { return receivedMalformed() }
        let taken = walk.take(groups, \.start)
        var reached: UInt16?
        for (index, group) in taken.enumerated() {
            let handles = walk.range(
                of: ATTPDU.HandleRange(start: group.start, end: group.end),
                before: index + 1 < taken.count ? taken[index + 1].start : nil)
            reached = handles?.end ?? group.start
            guard let handles else { continue }
            guard let uuid = BluetoothUUID(attributeOctets: group.value) else {
                walk.note(.badDeclaration, at: group.start)
                continue
            }
            found.append(RemoteService(uuid: uuid, handles: handles))
        }
        return walk.advance(past: reached) ? .proceed : finish()
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        walk.refused(error, hasFound: !found.isEmpty).map { .failed($0) } ?? finish()
    }

    mutating func receivedMalformed() -> GATTStep {
        walk.unreadable(hasFound: !found.isEmpty).map { .failed($0) } ?? finish()
    }

    private func finish() -> GATTStep { .finished(.services(found)) }
}

/// Discover Primary Service by Service UUID, for one UUID after the other. Core 5.4, Vol 3, Part G, 4.4.2.
///
/// A short UUID that is not found is looked for in 128 bits, too: there are devices that declare it so, and servers that
/// compare octets.
struct ServicesByUUIDDiscovery: GATTProcedure {
    private let uuids: [BluetoothUUID]
    private var index = 0
    private var walk = DiscoveryWalk(.service)
    private var found: [RemoteService] = []
    private(set) var oddities = GATTOddities()
    /// The UUID is looked for in 128 bits.
    private var isLong = false
    /// Services with this UUID were found.
    private var hasFound = false

    /// Nil when there is nothing to look for.
    init?(_ uuids: [BluetoothUUID]) {
        guard !uuids.isEmpty else { return nil }
        self.uuids = uuids
    }

    mutating func next(mtu: Int) -> ATTPDU {
        .findByTypeValueRequest(
            start: walk.start, end: 0xFFFF, type: GATTAttributeType.primaryService,
            value: isLong ? uuids[index].longOctets : uuids[index].attributeOctets)
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .findByTypeValueResponse(let ranges) = response else { return receivedMalformed() }
        let taken = walk.take(ranges, \.start)
        var reached: UInt16?
        for (place, range) in taken.enumerated() {
            let handles = walk.range(of: range, before: place + 1 < taken.count ? taken[place + 1].start : nil)
            reached = handles?.end ?? range.start
            guard let handles, found.count < GATTLimit.attributes else { continue }
            found.append(RemoteService(uuid: uuids[index], handles: handles))
            hasFound = true
        }
        return walk.advance(past: reached) ? .proceed : nextUUID()
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        if let failure = walk.refused(error, hasFound: hasFound) { return .failed(failure) }
        // Past 1 the server has answered.
        guard walk.start == 1, !isLong, uuids[index].short != nil else { return nextUUID() }
        isLong = true
        return .proceed
    }

    mutating func receivedMalformed() -> GATTStep {
        walk.unreadable(hasFound: hasFound).map { .failed($0) } ?? nextUUID()
    }

    private mutating func nextUUID() -> GATTStep {
        for oddity in walk.oddities.first { oddities.note(oddity) }
        index += 1
        walk = DiscoveryWalk(.service)
        (isLong, hasFound) = (false, false)
        return index < uuids.count ? .proceed : .finished(.services(found))
    }
}

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
                walk.note(.badDeclaration, at: service.start)
                break
            }
            found.append(RemoteService(uuid: uuid, handles: service))
        case .readByTypeResponse(let items):
            let taken = walk.take(items, \.handle)
            for item in taken {
                guard let include = Include(item) else {
                    walk.note(.badDeclaration, at: item.handle)
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
        if let service = unnamed.first, !isSecurity(error) {
            unnamed.removeFirst()
            walk.note(.badDeclaration, at: service.start)
            return step
        }
        if let failure = walk.refused(error, hasFound: hasFound) { return .failed(failure) }
        isWalkOver = true
        return step
    }

    mutating func receivedMalformed() -> GATTStep {
        if let failure = walk.unreadable(hasFound: hasFound) { return .failed(failure) }
        if !unnamed.isEmpty { unnamed.removeFirst() } else { isWalkOver = true }
        return step
    }

    private var hasFound: Bool { !found.isEmpty || !unnamed.isEmpty }

    private var step: GATTStep {
        isWalkOver && unnamed.isEmpty ? .finished(.services(found)) : .proceed
    }

    /// The client may pair, and ask again.
    private func isSecurity(_ error: ATTErrorCode) -> Bool {
        [.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort].contains(error)
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
