// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Testing

@testable import GATT

struct ServerDatabaseTests {
    private static func service(_ count: Int = 1, uuid: UInt16 = 0x180D) -> LocalService {
        LocalService(
            uuid: BluetoothUUID(uuid),
            characteristics: (0..<count).map { _ in .init(uuid: BluetoothUUID(UInt16(0x2A6E)), properties: .read) })
    }

    /// Core 5.4, Vol 3, Part G, Appendix B.
    @Test func `the octets below the hash are those of the specification's example`() throws {
        func short(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }
        var database = GATTDatabase()
        _ = database.insert(
            LocalService(
                uuid: short(0x1800),
                characteristics: [
                    .init(uuid: short(0x2A00), properties: [.read, .write]),
                    .init(uuid: short(0x2A01), properties: .read),
                ]), owner: .host, at: 1)
        _ = database.insert(
            LocalService(
                uuid: short(0x1801),
                characteristics: [
                    .init(uuid: short(0x2A05), properties: .indicate),
                    .init(uuid: short(0x2B29), properties: [.read, .write]),
                    .init(uuid: short(0x2B2A), properties: .read),
                ]), owner: .host, at: 6)
        _ = database.insert(
            LocalService(
                uuid: short(0x180F), isPrimary: false,
                characteristics: [.init(uuid: short(0x2A19), properties: .read)]), owner: ServerOwner(1), at: 0x14)
        _ = database.insert(
            LocalService(
                uuid: short(0x1808), includedServices: [0x14],
                characteristics: [
                    .init(
                        uuid: short(0x2A18), properties: [.read, .indicate, .extendedProperties],
                        extendedProperties: 0)
                ]), owner: ServerOwner(1), at: 0x0E)
        #expect(
            database.hashInput.hexadecimal == """
                010000280018020003280a0300002a04000328020500012a060000280118070003282008\
                00052a090002290a0003280a0b00292b0c000328020d002a2b0e00002808180f00022814\
                0016000f1810000328a21100182a12000229130000290000140001280f18150003280216\
                00192a
                """)
    }

    @Test func `users' descriptors and values are left out of the hash`() throws {
        var database = GATTDatabase(HostServices(deviceName: []))
        _ = try database.add(Self.service(), owner: ServerOwner(1))
        let before = database.hashInput
        database.setDeviceName([1, 2, 3])
        database.setAppearance(9)
        database.setDatabaseHash([UInt8](repeating: 1, count: 16))
        #expect(database.hashInput == before)
        var service = Self.service()
        service.characteristics[0].descriptors = [
            .init(uuid: BluetoothUUID(UInt16(0x2901)), value: [1]), .init(uuid: ServerBench.longUUID, value: [1]),
        ]
        _ = try database.add(service, owner: ServerOwner(1))
        #expect(
            Array(database.hashInput.dropFirst(before.count)).hexadecimal
                == "23000028" + "0d18" + "24000328" + "022500" + "6e2a" + "26000129")
    }

    @Test func `the table begins with the services of the host`() {
        let database = GATTDatabase(
            HostServices(
                deviceName: [UInt8](repeating: 65, count: 300), nameWrite: .open, appearance: 0x0341,
                hasResolvablePrivateAddressOnly: true))
        #expect(database[handle: GATTDatabase.nameHandle]?.fixedValue?.count == 248)
        #expect(database[handle: GATTDatabase.appearanceHandle]?.fixedValue == [0x41, 0x03])
        #expect(database[handle: GATTDatabase.serviceChangedHandle]?.type == BluetoothUUID(UInt16(0x2A05)))
        #expect(database[handle: GATTDatabase.clientSupportedFeaturesHandle]?.type == BluetoothUUID(UInt16(0x2B29)))
        #expect(database[handle: GATTDatabase.databaseHashHandle]?.type == BluetoothUUID(UInt16(0x2B2A)))
        #expect(database.attributes.contains { $0.type == BluetoothUUID(UInt16(0x2AC9)) })
        #expect(database[handle: GATTDatabase.nameHandle]?.properties == [.read, .write])
        #expect(database.version == 0)
    }

    @Test func `blocks of handles are not given out again while others are free`() throws {
        var database = GATTDatabase(HostServices(deviceName: []))
        let owner = ServerOwner(1)
        #expect(try database.add(Self.service(), owner: owner).handles == .init(start: 0x20, end: 0x22))
        #expect(try database.add(Self.service(), owner: owner).handles == .init(start: 0x23, end: 0x25))
        let change = try database.remove(serviceAt: 0x20, owner: owner)
        #expect(change == DatabaseChange(.removed, .init(start: 0x20, end: 0x22), owner: owner))
        #expect(try database.add(Self.service(), owner: owner).handles.start == 0x26)
        #expect(database.version == 4)
        // An earlier run's handles are taken where they are free.
        #expect(try database.add(Self.service(), owner: owner, at: 0x20).handles.start == 0x20)
        #expect(try database.add(Self.service(), owner: owner, at: 0x100).handles.start == 0x100)
        #expect(try database.add(Self.service(), owner: owner).handles.start == 0x103)
        for taken: UInt16 in [0x20, 0x22, 0x1F, 1, 0xFFFE] {
            #expect(throws: GATTDatabaseError.handlesTaken) {
                try database.add(Self.service(), owner: owner, at: taken)
            }
        }
        #expect(try database.add(Self.service(), owner: owner, at: 0xFFFD).handles.end == 0xFFFF)
        // Nothing is left behind: the first hole is taken.
        #expect(try database.add(Self.service(), owner: owner).handles.start == 0x29)
        #expect(throws: GATTDatabaseError.tableFull) { try database.add(Self.service(40_000), owner: owner) }
        #expect(database.attributes.map(\.handle) == database.attributes.map(\.handle).sorted())
    }

    @Test func `a service that is included stays, and only its owner includes it`() throws {
        var database = GATTDatabase(HostServices(deviceName: []))
        let inner = try database.add(Self.service(), owner: ServerOwner(1)).handles.start
        var outer = Self.service(uuid: 0x1810)
        outer.includedServices = [inner]
        #expect(throws: GATTDatabaseError.includeNotPublished(inner)) {
            try database.add(outer, owner: ServerOwner(2))
        }
        let start = try database.add(outer, owner: ServerOwner(1)).handles.start
        #expect(throws: GATTDatabaseError.stillIncluded(by: start)) {
            try database.remove(serviceAt: inner, owner: ServerOwner(1))
        }
        #expect(throws: GATTDatabaseError.notPublished(inner)) {
            try database.remove(serviceAt: inner, owner: ServerOwner(2))
        }
        #expect(throws: GATTDatabaseError.notPublished(1)) { try database.remove(serviceAt: 1, owner: .host) }
        #expect(database.removeAll(owner: .host) == [])
        #expect(database.removeAll(owner: ServerOwner(1)).map(\.handles.start) == [inner, start])
        #expect(database.services.count == 2)
        #expect(database.removeAll(owner: ServerOwner(1)) == [])
    }

    @Test func `what cannot be published is refused by name`() throws {
        var database = GATTDatabase(HostServices(deviceName: []))
        let owner = ServerOwner(1)
        var service = Self.service()
        service.characteristics[0].value = [UInt8](repeating: 0, count: 513)
        #expect(throws: GATTDatabaseError.valueTooLong(service.characteristics[0].uuid)) {
            try database.add(service, owner: owner)
        }
        service.characteristics[0].value = nil
        for type: UInt16 in [0x2800, 0x2803, 0x2900, 0x2902, 0x2903] {
            let uuid = BluetoothUUID(type)
            service.characteristics[0].descriptors = [.init(uuid: uuid, value: [])]
            #expect(throws: GATTDatabaseError.typeNotAllowed(uuid)) { try database.add(service, owner: owner) }
        }
        service.characteristics[0] = .init(uuid: BluetoothUUID(UInt16(0x2800)), properties: .read)
        #expect(throws: GATTDatabaseError.typeNotAllowed(BluetoothUUID(UInt16(0x2800)))) {
            try database.add(service, owner: owner)
        }
        for _ in 2..<GATTDatabase.serviceCapacity { _ = try database.add(Self.service(), owner: owner) }
        #expect(throws: GATTDatabaseError.tooManyServices) { try database.add(Self.service(), owner: owner) }
    }

    @Test func `values of the database are replaced, declarations are not`() throws {
        var database = GATTDatabase(HostServices(deviceName: []))
        var service = Self.service()
        service.characteristics[0].properties = [.read, .extendedProperties, .notify]
        service.characteristics[0].descriptors = [.init(uuid: BluetoothUUID(UInt16(0x2905)), value: [])]
        let published = try database.add(service, owner: ServerOwner(1)).characteristics[0]
        let format = try #require(published.descriptorHandles.first)
        #expect(database.setValue([1, 2], at: format) == true)
        #expect(database[handle: format]?.fixedValue == [1, 2])
        for handle in [published.valueHandle, format - 1, format - 2, published.valueHandle - 1, 0x20, 0x999] {
            #expect(database.setValue([1], at: handle) == false)
        }
        #expect(database.setValue([UInt8](repeating: 0, count: 513), at: format) == false)
    }
}
