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
    /// Grows with each change that clients have to learn of.
    package internal(set) var version: UInt64 = 0
    /// The next handle that was never given out.
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

    /// The service that begins at `handle`.
    package func service(at handle: UInt16) -> PublishedService? {
        let index = services.partitioningIndex { $0.handles.start >= handle }
        guard index < services.endIndex, services[index].handles.start == handle else { return nil }
        return services[index]
    }

    /// Replaces what clients read at `handle`; gives false where there is no attribute with a value of the
    /// database's own, or for more than 512 octets. The Database Hash does not depend on such values.
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

/// Where a service is in the table.
package struct PublishedService: Equatable, Sendable {
    package struct Characteristic: Equatable, Sendable {
        package let valueHandle: UInt16
        /// Of the descriptors that were given, in their order.
        package let descriptorHandles: [UInt16]
        /// Of the Client Characteristic Configuration descriptor, where there is one.
        package let configurationHandle: UInt16?
    }

    package let uuid: BluetoothUUID
    package let owner: ServerOwner
    package let handles: ATTPDU.HandleRange
    /// In the order in which they were given.
    package let characteristics: [Characteristic]
    /// Start handles of what this one includes.
    let includes: [UInt16]

    /// What every ``GATTServerMachine`` is told after the service was added.
    package var addition: DatabaseChange { DatabaseChange(.added, handles, owner: owner) }
}

/// What clients have to learn of: goes to every ``GATTServerMachine``.
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
    /// A type that the database makes itself, or that cannot be used there.
    case typeNotAllowed(BluetoothUUID)
    /// The owner has published no service there that could be included.
    case includeNotPublished(UInt16)
    /// The service at this handle includes the one that was to go.
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
