// SPDX-License-Identifier: Apache-2.0

import SMP
import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import HCI
import Logging
import Testing
import VirtualRadio

@testable import HostBench

/// A known sensor is not discovered again, as long as it has not changed.
struct CacheTests {
    static let peer = Simulation.sensor(1)
    static let wanted = [CounterService.service, BluetoothUUID(UInt16(0x180F))]

    /// One run of a program on one sensor. The program acts like a central manager.
    final class Program {
        let simulation = Simulation()
        let sensor: AirNodeID
        private var number: UInt64 = 0
        private(set) var link = LinkID(rawValue: 0)

        init(
            _ cache: GATTClientCache? = nil, isBonded: Bool = false, hasDatabaseHash: Bool = true,
            hasChanged: Bool = false
        ) {
            sensor = simulation.air.addSensor(
                VirtualSensor.Configuration(
                    address: CacheTests.peer, name: "Counter", kind: .counter, hasDatabaseHash: hasDatabaseHash))
            if hasChanged { simulation.air.simulateDatabaseChange(of: sensor) }
            if let cache { simulation.host.provide(cache: cache, for: CacheTests.peer) }
            if isBonded, let bond = Bond(identity: CacheTests.peer, keys: .secureConnections(.zero)) {
                // The simulated sensor has no encryption. This test only needs a known bond.
                simulation.host.policy.encryptsAtConnection = false
                simulation.host.provide(bonds: [bond])
            }
            connect()
        }

        func connect() {
            simulation.forget()
            simulation.host.connect(CacheTests.peer, for: Simulation.client, at: simulation.now)
            simulation.run(for: .seconds(10)) { simulation.connections == 1 }
            link = simulation.lastLink ?? link
        }

        func disconnect() {
            simulation.host.disconnect(CacheTests.peer, for: Simulation.client, at: simulation.now)
            simulation.run(for: .seconds(10)) { !simulation.host.hasLinks }
        }

        func ask(_ request: GATTRequest) -> Result<GATTResponse, GATTError>? {
            number += 1
            let id = GATTRequestID(client: Simulation.client, number: number)
            simulation.host.request(request, id: id, on: link, at: simulation.now)
            simulation.run(for: .seconds(40)) { result(of: id) != nil }
            return result(of: id)
        }

        private func result(of id: GATTRequestID) -> Result<GATTResponse, GATTError>? {
            for case .completed(id, let result) in simulation.events { return result }
            return nil
        }

        /// From the first discovery to the last subscription. Returns the subscribed characteristics.
        @discardableResult
        func subscribe() throws -> [RemoteCharacteristic] {
            var subscribed: [RemoteCharacteristic] = []
            _ = ask(.readByType(BluetoothUUID(UInt16(0x2A00))))
            guard case .services(let services)? = try ask(.discoverServices(CacheTests.wanted))?.get() else {
                return []
            }
            _ = ask(.watchServices)
            for service in services {
                let request = GATTRequest.discoverCharacteristics(service.handles, nil)
                guard case .characteristics(let found)? = try ask(request)?.get() else { return [] }
                for characteristic in found where characteristic.properties & 0x10 != 0 {
                    let (value, end) = (characteristic.valueHandle, characteristic.endHandle)
                    let answer = ask(.configure(valueHandle: value, endHandle: end, .notification))
                    #expect(answer == .success(.written))
                    subscribed.append(characteristic)
                }
            }
            return subscribed
        }

        /// The cache on disk for a program that starts later.
        var kept: GATTClientCache? {
            if case .keep(let cache)? = simulation.host.takeCacheChanges()[CacheTests.peer] { return cache }
            return nil
        }

        var opcodes: [UInt8] { simulation.sentPDUs.compactMap(\.first) }

        var changes: [ClosedRange<UInt16>] {
            simulation.events.compactMap {
                if case .servicesChanged(link, let start, let end) = $0 { start...end } else { nil }
            }
        }

        var violations: [String] {
            simulation.air.violations(of: sensor) + simulation.air.violations(of: simulation.controller)
        }
    }

    private static let mtuExchange: UInt8 = 0x02
    private static let readByType: UInt8 = 0x08
    private static let write: UInt8 = 0x12
    private static let hashRead = ATTPDU.readByTypeRequest(
        start: 1, end: 0xFFFF, type: BluetoothUUID(UInt16(0x2B2A))
    ).encoded

    @Test func `a known sensor is subscribed to with one hash read and the configuration writes`() throws {
        let first = Program()
        #expect(try first.subscribe().count == 2)
        #expect(first.opcodes.count > 12)
        let cache = try #require(first.kept)
        #expect(cache.deviceName == Array("Counter".utf8))

        let second = Program(cache)
        #expect(try second.subscribe().count == 2)
        // Service Changed, the counter and the battery level.
        #expect(second.opcodes == [Self.mtuExchange, Self.readByType, Self.write, Self.write, Self.write])
        #expect(second.simulation.sentPDUs.contains(Self.hashRead))
        #expect(second.simulation.run(for: .seconds(5)) { second.simulation.values.count > 10 })
        #expect(second.violations.isEmpty && first.violations.isEmpty)
    }

    @Test func `a known sensor with a bond is subscribed to with the configuration writes alone`() throws {
        let first = Program(isBonded: true)
        #expect(try first.subscribe().count == 2)
        let cache = try #require(first.kept)
        let second = Program(cache, isBonded: true)
        #expect(try second.subscribe().count == 2)
        // The sensor keeps the subscription to Service Changed with the bond.
        #expect(second.opcodes == [Self.mtuExchange, Self.write, Self.write])
    }

    @Test func `within one run the second connection is as short`() throws {
        let program = Program()
        try program.subscribe()
        program.disconnect()
        program.connect()
        #expect(try program.subscribe().count == 2)
        #expect(program.opcodes == [Self.mtuExchange, Self.readByType, Self.write, Self.write, Self.write])
        #expect(program.violations.isEmpty)
    }

    @Test func `a sensor whose hash is another is discovered again, and kept as it is now`() throws {
        let first = Program()
        let before = try first.subscribe()
        let cache = try #require(first.kept)
        let second = Program(cache, hasChanged: true)
        let after = try second.subscribe()
        #expect(after.map(\.uuid) == before.map(\.uuid))
        #expect(zip(before, after).allSatisfy { $0.valueHandle < $1.valueHandle })
        // One hash read serves for the comparison and for the new cache.
        #expect(second.simulation.sentPDUs.count { $0 == Self.hashRead } == 1)
        let new = try #require(second.kept)
        #expect(new.databaseHash != cache.databaseHash)
        #expect(second.changes.isEmpty)
        let third = Program(new, hasChanged: true)
        #expect(try third.subscribe() == after)
        #expect(third.opcodes.count == 5)
    }

    @Test func `a sensor without a hash is discovered on each link, and nothing of it is kept`() throws {
        let program = Program(hasDatabaseHash: false)
        try program.subscribe()
        #expect(program.kept == nil)
        let count = program.opcodes.count
        // Within the link, the host remembers the services.
        program.simulation.forget()
        #expect(program.ask(.discoverServices(Self.wanted)) != nil)
        #expect(program.opcodes == [])
        program.disconnect()
        program.connect()
        try program.subscribe()
        #expect(program.opcodes.count == count)
    }

    @Test func `Service Changed takes handles back, is confirmed, and a new discovery finds the new ones`() throws {
        let program = Program()
        let before = try program.subscribe()
        program.simulation.forget()
        program.simulation.air.simulateDatabaseChange(of: program.sensor)
        program.simulation.air.simulateServiceChange(of: program.sensor)
        #expect(program.simulation.run(for: .seconds(5)) { !program.changes.isEmpty })
        #expect(program.changes == [1...0xFFFF])
        #expect(program.opcodes == [0x1E])
        let after = try program.subscribe()
        #expect(zip(before, after).allSatisfy { $0.valueHandle < $1.valueHandle })
        let cache = try #require(program.kept)
        #expect(Program(cache, hasChanged: true).ask(.discoverServices(Self.wanted)) != nil)
        #expect(program.violations.isEmpty)
    }

    @Test func `error 0x12 takes handles back too, and a discovery that met it is made again`() throws {
        let program = Program()
        let before = try program.subscribe()
        let handle = try #require(before.first?.valueHandle)
        program.simulation.forget()
        program.simulation.air.simulateDatabaseChange(of: program.sensor)
        #expect(program.ask(.read(handle: handle)) == .failure(.refused(.databaseOutOfSync)))
        #expect(program.changes == [1...0xFFFF])
        #expect(try program.subscribe().map(\.uuid) == before.map(\.uuid))
        #expect(program.violations.isEmpty)
    }

    @Test func `a discovery that meets error 0x12 succeeds all the same`() throws {
        let program = Program()
        try program.subscribe()
        program.simulation.air.simulateDatabaseChange(of: program.sensor)
        // The host does not know the service yet, so it asks.
        guard case .services(let found)? = try program.ask(.discoverServices(nil))?.get() else {
            Issue.record("no services")
            return
        }
        #expect(found.contains { $0.uuid.short == 0x1806 })
        #expect(program.changes == [1...0xFFFF])
    }

    @Test func `an invalidated cache is forgotten everywhere`() throws {
        let program = Program()
        try program.subscribe()
        #expect(program.kept != nil)
        program.simulation.host.invalidateCache(of: Self.peer, at: program.simulation.now)
        #expect(program.simulation.host.takeCacheChanges() == [Self.peer: .forget])
        program.simulation.run(for: .milliseconds(1))
        #expect(program.changes == [1...0xFFFF])
        program.simulation.forget()
        try program.subscribe()
        #expect(program.opcodes.count > 8)
    }
}

/// GATT caches on disk.
struct CacheStoreTests {
    private static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    private func directory() -> String {
        NSTemporaryDirectory() + "martlet-caches-\(UUID().uuidString)/cache"
    }

    private func load(_ directory: String) -> [DeviceAddress: GATTClientCache] {
        let store = GATTCacheStore(directory: directory, logger: Self.logger)
        let found = Found()
        store.load { found.add($0, $1) }
        store.finishSaving()
        return found.all
    }

    private func names(_ directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    @Test func `what was kept is there after a restart, for its owner alone`() throws {
        let program = CacheTests.Program()
        try program.subscribe()
        let cache = try #require(program.kept)
        let directory = directory()
        let store = GATTCacheStore(directory: directory, logger: Self.logger)
        let same = DeviceAddress(kind: .public, value: CacheTests.peer.value)
        store.record([CacheTests.peer: .keep(cache), same: .keep(GATTClientCache())])
        store.finishSaving()
        #expect(load(directory) == [CacheTests.peer: cache, same: GATTClientCache()])
        let mode = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(directory) == 0o700)
        #expect(try names(directory).map { try mode(directory + "/" + $0) } == [0o600, 0o600])
        store.record([same: .forget])
        store.finishSaving()
        #expect(load(directory) == [CacheTests.peer: cache])
    }

    @Test(arguments: ["", "{", "{\"version\":7}", "\u{0}\u{1}"])
    func `a damaged file is removed, and the others are read`(text: String) throws {
        let directory = directory()
        let store = GATTCacheStore(directory: directory, logger: Self.logger)
        store.record([CacheTests.peer: .keep(GATTClientCache())])
        store.finishSaving()
        let damaged = DeviceAddress(kind: .random, value: 0xC000_0000_0099)
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/\(damaged.compact)-random.json"))
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/notes.txt"))
        #expect(load(directory) == [CacheTests.peer: GATTClientCache()])
        #expect(names(directory) == ["\(CacheTests.peer.compact)-random.json", "notes.txt"])
    }

    @Test func `the oldest peers go when there are too many`() throws {
        let directory = directory()
        let store = GATTCacheStore(directory: directory, logger: Self.logger)
        for number in 0..<(GATTCacheStore.capacity as Int) {
            store.record([DeviceAddress(kind: .public, value: UInt64(number)): .keep(GATTClientCache())])
        }
        store.finishSaving()
        let last = DeviceAddress(kind: .public, value: 0xFFFF)
        store.record([last: .keep(GATTClientCache())])
        store.finishSaving()
        let found = load(directory)
        #expect(found.count == GATTCacheStore.capacity)
        #expect(found[last] != nil)
        try FileManager.default.removeItem(atPath: directory)
    }

    /// The caches that a store hands out on its queue.
    private final class Found: @unchecked Sendable {
        // Sound: read only after the store's queue has run dry.
        private(set) var all: [DeviceAddress: GATTClientCache] = [:]
        func add(_ address: DeviceAddress, _ cache: GATTClientCache) { all[address] = cache }
    }
}
