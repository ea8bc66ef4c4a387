// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

extension GATTDatabase {
    /// Publishes `service`; `start`: its first handle in an earlier run. Afterwards the host sets the new Database Hash
    /// and tells every ``GATTServerMachine``.
    package mutating func add(
        _ service: LocalService, owner: ServerOwner, at start: UInt16? = nil
    ) throws(GATTDatabaseError) -> PublishedService {
        try check(service, owner: owner)
        guard services.count < Self.serviceCapacity else { throw .tooManyServices }
        let count = Self.attributeCount(of: service)
        let first: UInt16
        if let start {
            guard start >= Self.firstUserHandle, isFree(Int(start), count) else { throw .handlesTaken }
            first = start
        } else {
            first = try freeBlock(of: count)
        }
        return insert(service, owner: owner, at: first)
    }

    /// Removes the service with the first handle `start`.
    package mutating func remove(
        serviceAt start: UInt16, owner: ServerOwner
    ) throws(GATTDatabaseError) -> DatabaseChange {
        guard let service = service(at: start), service.owner == owner, owner != .host else {
            throw .notPublished(start)
        }
        if let other = services.first(where: { $0.includes.contains(start) }) {
            throw .stillIncluded(by: other.handles.start)
        }
        removeAttributes { $0.handle >= service.handles.start && $0.handle <= service.handles.end }
        services.removeAll { $0.handles == service.handles }
        return DatabaseChange(.removed, service.handles, owner: owner)
    }

    /// Takes back all services of an owner; gives one change for each, in the order of their handles.
    package mutating func removeAll(owner: ServerOwner) -> [DatabaseChange] {
        guard owner != .host else { return [] }
        let gone = services.filter { $0.owner == owner }
        guard !gone.isEmpty else { return [] }
        removeAttributes { $0.owner == owner }
        services.removeAll { $0.owner == owner }
        return gone.map { DatabaseChange(.removed, $0.handles, owner: owner) }
    }

    private mutating func removeAttributes(where predicate: (Attribute) -> Bool) {
        attributes.removeAll(where: predicate)
        version += 1
    }

    // MARK: Checks

    private func check(_ service: LocalService, owner: ServerOwner) throws(GATTDatabaseError) {
        for include in service.includedServices {
            // Another owner could leave at any time and would take the included service with it.
            guard let found = self.service(at: include), found.owner == owner else {
                throw .includeNotPublished(include)
            }
        }
        for characteristic in service.characteristics {
            guard !TableType.declarations.contains(characteristic.uuid) else {
                throw .typeNotAllowed(characteristic.uuid)
            }
            guard (1...Attribute.maximumLength).contains(characteristic.maximumLength),
                (characteristic.value?.count ?? 0) <= Attribute.maximumLength
            else { throw .valueTooLong(characteristic.uuid) }
            for descriptor in characteristic.descriptors {
                guard !TableType.declarations.contains(descriptor.uuid),
                    !TableType.ownDescriptors.contains(descriptor.uuid)
                else { throw .typeNotAllowed(descriptor.uuid) }
                guard (descriptor.value?.count ?? 0) <= Attribute.maximumLength else {
                    throw .valueTooLong(descriptor.uuid)
                }
            }
        }
    }

    private static func attributeCount(of service: LocalService) -> Int {
        service.characteristics.reduce(1 + service.includedServices.count) { count, characteristic in
            count + 2 + characteristic.descriptors.count
                + (characteristic.properties.isDisjoint(with: [.notify, .indicate]) ? 0 : 1)
                + (characteristic.properties.contains(.extendedProperties) ? 1 : 0)
        }
    }

    // MARK: Handles

    private func isFree(_ start: Int, _ count: Int) -> Bool {
        guard let first = UInt16(exactly: start), let last = UInt16(exactly: start + count - 1) else { return false }
        // A service without room behind its declaration would still overlap by its range.
        return attributes(from: first, to: last).isEmpty
            && !services.contains { $0.handles.start <= last && $0.handles.end >= first }
    }

    private func freeBlock(of count: Int) throws(GATTDatabaseError) -> UInt16 {
        if isFree(nextHandle, count) { return UInt16(truncatingIfNeeded: nextHandle) }
        var start = Int(Self.firstUserHandle)
        for service in services where service.handles.start >= Self.firstUserHandle {
            if start + count <= Int(service.handles.start) { break }
            start = Int(service.handles.end) + 1
        }
        guard isFree(start, count) else { throw .tableFull }
        return UInt16(truncatingIfNeeded: start)
    }

    // MARK: Building

    /// The caller guarantees that the handles are free.
    mutating func insert(_ service: LocalService, owner: ServerOwner, at start: UInt16) -> PublishedService {
        version += 1
        var block = AttributeBlock(start: start, owner: owner, generation: version)
        block.declare(service)
        for include in service.includedServices {
            if let included = self.service(at: include) { block.include(included) }
        }
        let characteristics = service.characteristics.map { block.add($0) }
        let attributes = block.finished()
        let end = attributes.last?.handle ?? start
        self.attributes.insert(contentsOf: attributes, at: lowerBound(start))
        nextHandle = max(nextHandle, Int(end) + 1)
        let published = PublishedService(
            uuid: service.uuid, owner: owner, handles: .init(start: start, end: end),
            characteristics: characteristics, includes: service.includedServices)
        services.insert(published, at: services.partitioningIndex { $0.handles.start >= start })
        return published
    }
}
