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
        let taken = walk.admit(groups, \.start)
        var reached: UInt16?
        for (index, group) in taken.enumerated() {
            let handles = walk.range(
                of: ATTPDU.HandleRange(start: group.start, end: group.end),
                before: index + 1 < taken.count ? taken[index + 1].start : nil)
            reached = handles?.end ?? group.start
            guard let handles else { continue }
            guard let uuid = BluetoothUUID(attributeOctets: group.value) else {
                walk.record(.badDeclaration, at: group.start)
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
/// If a short UUID is not found, the client searches its 128 bits, too: some devices declare the long form, and some
/// servers compare octets.
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
        let taken = walk.admit(ranges, \.start)
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
        for oddity in walk.oddities.first { oddities.record(oddity) }
        index += 1
        walk = DiscoveryWalk(.service)
        (isLong, hasFound) = (false, false)
        return index < uuids.count ? .proceed : .finished(.services(found))
    }
}

/// Reads the declarations of primary services one after the other. Core 5.4, Vol 3, Part G, 3.1; Part F, 3.4.4.1.
///
/// Read By Type gives the first handle of a service, and not the last: a service ends just before the next one.
struct DeclaredServicesDiscovery: GATTProcedure {
    private var walk = DiscoveryWalk(.service)
    /// UUID nil: the declaration is malformed, but still ends the service before it.
    private var declarations: [(handle: UInt16, uuid: BluetoothUUID?)] = []

    var oddities: GATTOddities { walk.oddities }

    mutating func next(mtu: Int) -> ATTPDU {
        .readByTypeRequest(start: walk.start, end: 0xFFFF, type: BluetoothUUID(GATTAttributeType.primaryService))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readByTypeResponse(let items) = response else { return receivedMalformed() }
        let taken = walk.admit(items, \.handle)
        for item in taken {
            let uuid = BluetoothUUID(attributeOctets: item.value)
            if uuid == nil { walk.record(.badDeclaration, at: item.handle) }
            declarations.append((item.handle, uuid))
        }
        return walk.advance(past: taken.last?.handle) ? .proceed : finish()
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        walk.refused(error, hasFound: !declarations.isEmpty).map { .failed($0) } ?? finish()
    }

    mutating func receivedMalformed() -> GATTStep {
        walk.unreadable(hasFound: !declarations.isEmpty).map { .failed($0) } ?? finish()
    }

    private func finish() -> GATTStep {
        let ends = declarations.dropFirst().map { $0.handle - 1 } + [0xFFFF]
        let found = zip(declarations, ends).compactMap { declaration, end in
            declaration.uuid.map {
                RemoteService(uuid: $0, handles: ATTPDU.HandleRange(start: declaration.handle, end: end))
            }
        }
        return .finished(.services(found))
    }
}
