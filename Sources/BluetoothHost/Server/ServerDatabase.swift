// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import SMP

/// The services of all clients and of the host. The Database Hash always matches the content, and a service that is
/// published again gets its old handles. Core 5.4, Vol 3, Part G, 7.3.
struct ServerDatabase: Sendable {
    /// Services whose handles are remembered.
    private static let memoryLimit = 256

    private(set) var database: GATTDatabase
    private let hostServices: HostServices
    /// The first handles of services that clients have published.
    private var starts: [LocalService: UInt16] = [:]

    init(_ hostServices: HostServices) {
        self.hostServices = hostServices
        database = GATTDatabase(hostServices)
        updateHash()
    }

    /// Adds a service: at `start`, at its old handle, or at free handles.
    mutating func publish(
        _ service: LocalService, from start: UInt16?, for owner: ServerOwner
    ) throws(GATTDatabaseError) -> PublishedService {
        let published = try add(service, at: start ?? starts[service], for: owner)
        if starts.count >= Self.memoryLimit { starts = [:] }
        starts[service] = published.handles.start
        updateHash()
        return published
    }

    private mutating func add(
        _ service: LocalService, at start: UInt16?, for owner: ServerOwner
    ) throws(GATTDatabaseError) -> PublishedService {
        if let start, let published = try? database.add(service, owner: owner, at: start) { return published }
        return try database.add(service, owner: owner)
    }

    /// Removes the service at this handle; nil: the owner has none there.
    mutating func unpublish(_ start: UInt16, for owner: ServerOwner) -> DatabaseChange? {
        guard let change = try? database.remove(serviceAt: start, owner: owner) else { return nil }
        updateHash()
        return change
    }

    mutating func unpublishAll(for owner: ServerOwner) -> [DatabaseChange] {
        let changes = database.removeAll(owner: owner)
        if !changes.isEmpty { updateHash() }
        return changes
    }

    /// Services end with the host's ready state. Clients add them again.
    mutating func forgetServices() {
        database = GATTDatabase(hostServices)
        updateHash()
    }

    /// A peer has written octets of the name, from `offset` on.
    mutating func writeName(_ value: [UInt8], at offset: Int) {
        let old = offset == 0 ? [] : database[handle: GATTDatabase.nameHandle]?.fixedValue ?? []
        database.setDeviceName(Array(old.prefix(offset)) + value)
    }

    /// The handle of the key material; nil without one.
    mutating func setKeyMaterial(_ octets: [UInt8]) -> UInt16? { database.setKeyMaterial(octets) }

    /// A peer has written octets of the appearance, from `offset` on.
    mutating func writeAppearance(_ value: [UInt8], at offset: Int) {
        let old = database[handle: GATTDatabase.appearanceHandle]?.fixedValue ?? []
        let octets = Array(old.prefix(offset)) + value + old.dropFirst(offset + value.count)
        guard octets.count == 2 else { return }
        database.setAppearance(UInt16(octets[0]) | UInt16(octets[1]) << 8)
    }

    private mutating func updateHash() {
        // Values are least significant octet first. Vol 3, Part F, 3.3.1.
        database.setDatabaseHash(Cryptography.databaseHash(database.hashInput).reversed())
    }
}
