// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// A database with two owners, and one client.
struct ServerBench {
    static let first = ServerOwner(1)
    static let second = ServerOwner(2)
    static let longUUID = BluetoothUUID(high: 0x5E4D_0001_1C7B_4B5E, low: 0x9B0A_3F6B_2C9D_7A10)
    static let longValue = (0..<60).map { UInt8($0) }

    var database: GATTDatabase
    var machine: GATTServerMachine
    var security = LinkSecurity.none
    var now = MonotonicTime.zero

    init(mtu: Int = 23, limits: ServerLimits = ServerLimits(), services: Bool = true) throws {
        database = GATTDatabase(HostServices(deviceName: Array("Martlet".utf8), appearance: 0x0180))
        machine = GATTServerMachine(ownMTU: 517, limits: limits)
        if services { try publish() }
        database.setDatabaseHash([UInt8](repeating: 0xA5, count: 16))
        if mtu != 23 { machine.setMTU(mtu) }
    }

    var context: ServerContext { ServerContext(database: database, security: security, now: now) }

    mutating func receive(_ text: String) throws -> [GATTServerMachine.Effect] {
        let octets = try #require([UInt8](hexadecimal: text))
        return machine.received(octets[...], in: context)
    }

    /// The PDUs in answer to `text`, without spaces, with a bar between two PDUs.
    mutating func answer(to text: String) throws -> String { try receive(text).sent }

    /// Handles: 0020 first service … 0035; 0036 second owner's; 0039 secondary; 003C with an include.
    private mutating func publish() throws {
        func short(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }
        let main = LocalService(
            uuid: short(0x180D),
            characteristics: [
                .init(uuid: short(0x2A6E), properties: .read, value: [7, 8]),  // 21, 22
                .init(uuid: short(0x2A6F), properties: [.read, .write, .writeWithoutResponse]),  // 23, 24
                .init(uuid: short(0x2A70), properties: [.read, .notify, .indicate]),  // 25, 26, 27
                .init(  // 28, 29, 2A, 2B
                    uuid: short(0x2A71), properties: .notify,
                    descriptors: [.init(uuid: short(0x2901), value: Array("Ab".utf8))]),
                .init(uuid: Self.longUUID, properties: [.read, .write], value: Self.longValue),  // 2C, 2D
                .init(  // 2E, 2F
                    uuid: short(0x2A72), properties: [.read, .write], value: [1], read: .encrypted,
                    write: .encrypted),
                .init(  // 30, 31
                    uuid: short(0x2A73), properties: [.read, .write], value: [2], read: .authenticated,
                    write: .authenticated),
                .init(  // 32, 33
                    uuid: short(0x2A74), properties: [.read, .write], value: [3],
                    read: .init(needsAuthorization: true), write: .init(needsAuthorization: true)),
                .init(  // 34, 35
                    uuid: short(0x2A75), properties: [.write, .writeWithoutResponse], maximumLength: 4),
            ])
        let published = try database.add(main, owner: Self.first)
        #expect(published.handles == .init(start: 0x20, end: 0x35))
        _ = try database.add(
            LocalService(
                uuid: Self.longUUID, characteristics: [.init(uuid: short(0x2A76), properties: [.read, .write])]),
            owner: Self.second)
        let secondary = try database.add(
            LocalService(
                uuid: short(0x180F), isPrimary: false,
                characteristics: [.init(uuid: short(0x2A19), properties: .read, value: [100])]),
            owner: Self.first)
        _ = try database.add(
            LocalService(uuid: short(0x1810), includedServices: [secondary.handles.start]), owner: Self.first)
    }

    /// Publishes one more service and tells the client.
    mutating func change() throws -> (PublishedService, [GATTServerMachine.Effect]) {
        let service = try database.add(
            LocalService(
                uuid: BluetoothUUID(UInt16(0x181A)),
                characteristics: [.init(uuid: BluetoothUUID(UInt16(0x2A77)), properties: [.read, .notify])]),
            owner: Self.second)
        var hash = database.databaseHash
        hash[0] &+= 1
        database.setDatabaseHash(hash)
        return (service, machine.databaseChanged(service.addition, in: context))
    }
}

extension [GATTServerMachine.Effect] {
    var sent: String {
        compactMap { effect in
            if case .send(let octets) = effect { octets.hexadecimal } else { nil }
        }.joined(separator: "|")
    }

    var reads: [ServerRead] {
        compactMap { effect in
            if case .read(let read) = effect { read } else { nil }
        }
    }

    var writes: [ServerWrite] {
        compactMap { effect in
            if case .write(let write) = effect { write } else { nil }
        }
    }

    /// Whose indications were dropped.
    var dropped: [ServerOwner] {
        compactMap { effect in
            if case .indicationDropped(_, let owner) = effect { owner } else { nil }
        }
    }

    var states: [ClientState] {
        compactMap { effect in
            if case .stateChanged(let state) = effect { state } else { nil }
        }
    }
}
