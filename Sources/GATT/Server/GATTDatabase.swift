// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The attributes of this host: one table for all its users, the GAP and the GATT service first.
///
/// Handles never move while a service is published, and a block of handles is given out again only when no other is
/// left. A published service is frozen: it is removed and added again to change it.
package struct GATTDatabase: Sendable {
    /// Services at most, the host's own included.
    package static let serviceCapacity = 512

    /// In the order of their handles.
    package internal(set) var attributes: [Attribute] = []
    /// In the order of their handles.
    package internal(set) var services: [PublishedService] = []
    /// Grows with each change that concerns clients.
    package internal(set) var version: UInt64 = 0
    /// The next unused handle.
    var nextHandle = Int(Self.firstUserHandle)

    /// The attribute at `handle`.
    package subscript(handle handle: UInt16) -> Attribute? {
        let index = lowerBound(handle)
        guard index < attributes.endIndex, attributes[index].handle == handle else { return nil }
        return attributes[index]
    }

    /// The attributes from `start` to `end`, both included.
    package func attributes(from start: UInt16, to end: UInt16) -> ArraySlice<Attribute> {
        guard start <= end else { return [] }
        let first = lowerBound(start)
        guard end < .max else { return attributes[first...] }
        return attributes[first..<max(first, lowerBound(end + 1))]
    }

    /// The service with the first handle `handle`.
    package func service(at handle: UInt16) -> PublishedService? {
        let index = services.partitioningIndex { $0.handles.start >= handle }
        guard index < services.endIndex, services[index].handles.start == handle else { return nil }
        return services[index]
    }

    /// Replaces the value that clients read at `handle`; returns false if the attribute has no value in the database,
    /// or for more than 512 octets. The Database Hash does not depend on such values.
    package mutating func setValue(_ value: [UInt8], at handle: UInt16) -> Bool {
        let index = lowerBound(handle)
        guard index < attributes.endIndex, attributes[index].handle == handle, value.count <= Attribute.maximumLength,
            attributes[index].fixedValue != nil
        else { return false }
        switch attributes[index].kind {
        case .value, .descriptor:
            // Extended properties count for the hash.
            guard attributes[index].type != TableType.extendedProperties else { return false }
            attributes[index].content = .fixed(value)
            return true
        case .service, .include, .characteristic:
            return false
        }
    }

    /// Something that a client of the host has published is for encrypted links alone.
    package var asksForEncryption: Bool {
        attributes.contains { attribute in
            attribute.owner != .host
                && [attribute.read, attribute.write, attribute.notify].contains { $0.isAllowed && $0.level != .none }
        }
    }

    /// Index of the first attribute whose handle is not smaller.
    func lowerBound(_ handle: UInt16) -> Int { attributes.partitioningIndex { $0.handle >= handle } }
}

/// A service's place in the table.
package struct PublishedService: Equatable, Sendable {
    package struct Characteristic: Equatable, Sendable {
        package let valueHandle: UInt16
        /// The handles of the given descriptors, in their order.
        package let descriptorHandles: [UInt16]
        /// The handle of the Client Characteristic Configuration descriptor; nil without the descriptor.
        package let configurationHandle: UInt16?
    }

    package let uuid: BluetoothUUID
    package let owner: ServerOwner
    package let handles: ATTPDU.HandleRange
    /// In the order in which they were given.
    package let characteristics: [Characteristic]
    /// First handles of the included services.
    let includes: [UInt16]

    /// The change for each ``GATTServerMachine`` after the service was added.
    package var addition: DatabaseChange { DatabaseChange(.added, handles, owner: owner) }
}

/// A change that concerns clients: goes to each ``GATTServerMachine``.
package struct DatabaseChange: Hashable, Sendable {
    package enum Kind: Sendable { case added, removed }

    package let kind: Kind
    package let handles: ATTPDU.HandleRange
    package let owner: ServerOwner

    package init(_ kind: Kind, _ handles: ATTPDU.HandleRange, owner: ServerOwner) {
        self.kind = kind
        self.handles = handles
        self.owner = owner
    }
}

package enum GATTDatabaseError: Error, Equatable, Sendable {
    /// The handles that were asked for are taken, reserved for the host, or beyond 0xFFFF.
    case handlesTaken
    /// No block of free handles is long enough.
    case tableFull
    case tooManyServices
    /// A value, or `maximumLength`, is out of 0…512 octets.
    case valueTooLong(BluetoothUUID)
    /// A type that the database makes itself, or that is not allowed there.
    case typeNotAllowed(BluetoothUUID)
    /// The owner has no service to include at this handle.
    case includeNotPublished(UInt16)
    /// The service at this handle includes the service to remove.
    case stillIncluded(by: UInt16)
    /// No service of this owner begins there.
    case notPublished(UInt16)
}

extension Array {
    /// The first index whose element fulfils `predicate`, which is false for all before and true from there on.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
