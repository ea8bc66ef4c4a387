// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Foundation
import GATT
import Testing

/// A client's stored knowledge of a server, and when the client trusts it.
struct ClientCacheTests {
    typealias Effect = GATTClientMachine.Effect
    typealias Range = ATTPDU.HandleRange

    static let hash = [UInt8](0..<16)
    static let service = RemoteService(uuid: BluetoothUUID(UInt16(0x180D)), handles: Range(start: 10, end: 20))
    static let measurement = RemoteCharacteristic(
        uuid: BluetoothUUID(UInt16(0x2A37)), properties: 0x10, valueHandle: 12, endHandle: 20)
    static let hashRead = ATTPDU.readByTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(UInt16(0x2B2A)))

    /// A server with one service known to a client.
    struct Server {
        var machine = GATTClientMachine(ownMTU: 517)
        var next: UInt64 = 0

        init(_ cache: GATTClientCache? = nil, isBonded: Bool = false) {
            _ = machine.start(with: cache, isBonded: isBonded, at: .zero)
        }

        mutating func receive(_ pdu: ATTPDU) -> [Effect] { machine.received(pdu.encoded[...], at: .zero) }

        mutating func ask(_ request: GATTRequest) -> [Effect] {
            next += 1
            return machine.request(request, id: GATTRequestID(rawValue: next), at: .zero)
        }

        mutating func refuseMTU() -> [Effect] {
            receive(.errorResponse(request: .exchangeMTURequest, handle: 0, error: .requestNotSupported))
        }

        mutating func answerHash(_ hash: [UInt8] = ClientCacheTests.hash) -> [Effect] {
            receive(.readByTypeResponse([.init(handle: 5, value: hash)]))
        }

        mutating func refuse(_ request: ATTOpcode, _ error: ATTErrorCode) -> [Effect] {
            receive(.errorResponse(request: request, handle: 0, error: error))
        }

        /// Discovers the service, its characteristic and the descriptor.
        mutating func discover() {
            _ = refuseMTU()
            #expect(ask(.discoverServices(nil)) == [.send(hashRead)])
            _ = answerHash()
            let value = service.uuid.attributeOctets
            _ = receive(.readByGroupTypeResponse([.init(start: 10, end: 20, value: value)]))
            _ = refuse(.readByGroupTypeRequest, .attributeNotFound)
            _ = ask(.discoverCharacteristics(service.handles, [measurement.uuid]))
            _ = receive(.readByTypeResponse([.init(handle: 11, value: [0x10, 12, 0, 0x37, 0x2A])]))
            _ = refuse(.readByTypeRequest, .attributeNotFound)
            _ = ask(.configure(valueHandle: 12, endHandle: 20, .notification))
            _ = receive(.findInformationResponse([.init(handle: 13, type: GATTClientMachineTests.cccd)]))
            _ = receive(.writeResponse)
        }
    }

    static func known() throws -> GATTClientCache {
        var server = Server()
        server.discover()
        guard case .keep(let cache)? = server.machine.takeCacheChange() else { throw CancellationError() }
        return cache
    }

    static func done(_ id: UInt64, _ response: GATTResponse) -> Effect { GATTClientMachineTests.done(id, response) }

    @Test func `what was discovered is kept under the hash that was read before it`() throws {
        let cache = try Self.known()
        #expect(cache.databaseHash == Self.hash)
        #expect(cache.services == [Self.service])
        #expect(cache.hasAllServices)
        #expect(cache.characteristics == [Self.service.handles: [Self.measurement]])
        #expect(cache.configurations == [12: 13])
    }

    @Test func `with the same hash everything is answered in order, and without a PDU`() throws {
        var server = Server(try Self.known())
        #expect(server.ask(.discoverServices([Self.service.uuid])) == [])
        #expect(server.ask(.read(handle: 12)) == [])
        #expect(server.ask(.discoverCharacteristics(Self.service.handles, nil)) == [])
        #expect(server.refuseMTU() == [.send(Self.hashRead)])
        #expect(
            server.answerHash() == [Self.done(1, .services([Self.service])), .send(.readRequest(handle: 12))])
        #expect(
            server.receive(.readResponse([7])) == [
                Self.done(2, .value([7])), Self.done(3, .characteristics([Self.measurement])),
            ])
        #expect(
            server.ask(.configure(valueHandle: 12, endHandle: 20, .notification)) == [
                .send(.writeRequest(handle: 13, value: [1, 0]))
            ])
        #expect(server.machine.takeCacheChange() == nil)
    }

    @Test(arguments: [[UInt8](repeating: 9, count: 16), [], nil])
    func `with another hash, or none, everything is discovered again`(hash: [UInt8]?) throws {
        var server = Server(try Self.known())
        _ = server.refuseMTU()
        let effects = hash.map { server.answerHash($0) } ?? server.refuse(.readByTypeRequest, .attributeNotFound)
        #expect(effects == [])
        let isKept = hash?.count == 16
        if isKept {
            guard case .keep(let cache)? = server.machine.takeCacheChange() else {
                Issue.record("the new hash is not kept")
                return
            }
            #expect(cache.services.isEmpty)
        } else {
            #expect(server.machine.takeCacheChange() == .forget)
        }
        let search = ATTPDU.readByGroupTypeRequest(start: 1, end: 0xFFFF, type: GATTClientMachineTests.primary)
        #expect(server.ask(.discoverServices(nil)) == [.send(search)])
    }

    @Test func `requests wait for the hash for 30 seconds, and fail with the bearer`() throws {
        var server = Server(try Self.known())
        #expect(server.ask(.discoverServices(nil)) == [])
        _ = server.refuseMTU()
        #expect(server.machine.deadline == .zero + .seconds(30))
        #expect(
            server.machine.expire(at: .zero + .seconds(30)) == [
                GATTClientMachineTests.failed(1, .notSent), .closeBearer,
            ])
    }

    @Test func `a descriptor that was discovered is written without another search`() {
        var server = Server()
        _ = server.refuseMTU()
        _ = server.ask(.discoverDescriptors(Range(start: 13, end: 14)))
        _ = server.answerHash()
        _ = server.receive(
            .findInformationResponse([.init(handle: 14, type: GATTClientMachineTests.cccd)]))
        #expect(
            server.ask(.configure(valueHandle: 12, endHandle: 14, .indication)) == [
                .send(.writeRequest(handle: 14, value: [2, 0]))
            ])
    }

    @Test func `a server without a hash is remembered for one link only`() {
        var server = Server()
        _ = server.refuseMTU()
        #expect(server.ask(.discoverServices(nil)) == [.send(Self.hashRead)])
        _ = server.refuse(.readByTypeRequest, .attributeNotFound)
        _ = server.refuse(.readByGroupTypeRequest, .attributeNotFound)
        #expect(server.ask(.discoverServices(nil)) == [Self.done(2, .services([]))])
        #expect(server.machine.takeCacheChange() == nil)
    }

    @Test func `a changed range is forgotten, and the hash read again before the next discovery`() throws {
        var server = Server()
        server.discover()
        _ = server.machine.takeCacheChange()
        let range = Range(start: 15, end: 30)
        #expect(server.machine.servicesChanged(range) == [.servicesChanged(range)])
        #expect(server.machine.takeCacheChange() == .forget)
        #expect(server.ask(.discoverServices(nil)) == [.send(Self.hashRead)])
    }

    /// The service has the handles 10 to 20.
    @Test(arguments: [(1, 9, true), (1, 10, false), (15, 15, false), (20, 30, false), (21, 30, true)])
    func `of what has changed nothing is kept, down to the last handle, and of the rest everything`(
        _ start: UInt16, _ end: UInt16, _ isKept: Bool
    ) {
        var server = Server()
        server.discover()
        _ = server.machine.servicesChanged(Range(start: start, end: end))
        #expect(
            server.ask(.discoverCharacteristics(Self.service.handles, [Self.measurement.uuid]))
                == [.send(Self.hashRead)])
        let effects = server.answerHash()
        #expect((effects == [Self.done(server.next, .characteristics([Self.measurement]))]) == isKept, "\(effects)")
    }

    @Test func `a change while the hash is read makes it be read again, but not for ever`() throws {
        var server = Server(try Self.known())
        _ = server.refuseMTU()
        _ = server.machine.servicesChanged(Range(start: 1, end: 0xFFFF))
        #expect(server.answerHash() == [])
        #expect(server.ask(.discoverServices(nil)) == [.send(Self.hashRead)])
        _ = server.machine.servicesChanged(Range(start: 1, end: 0xFFFF))
        #expect(server.answerHash() == [.send(Self.hashRead)])
        _ = server.machine.servicesChanged(Range(start: 1, end: 0xFFFF))
        let search = ATTPDU.readByGroupTypeRequest(start: 1, end: 0xFFFF, type: GATTClientMachineTests.primary)
        #expect(server.answerHash() == [.send(search)])
    }

    @Test func `what was found before a change is not kept`() throws {
        var server = Server()
        _ = server.refuseMTU()
        _ = server.ask(.discoverServices(nil))
        _ = server.answerHash()
        _ = server.machine.servicesChanged(Range(start: 1, end: 0xFFFF))
        _ = server.receive(.readByGroupTypeResponse([.init(start: 10, end: 0xFFFF, value: [0x0D, 0x18])]))
        #expect(server.ask(.discoverServices(nil)) == [.send(Self.hashRead)])
    }

    @Test func `after error 0x12 with the same hash the request is made again`() throws {
        var server = Server()
        server.discover()
        #expect(server.ask(.read(handle: 12)) == [.send(.readRequest(handle: 12))])
        #expect(server.refuse(.readRequest, .databaseOutOfSync) == [.send(Self.hashRead)])
        #expect(server.answerHash() == [.send(.readRequest(handle: 12))])
        // But only once.
        #expect(
            server.refuse(.readRequest, .databaseOutOfSync) == [
                GATTClientMachineTests.failed(4, .refused(.databaseOutOfSync)), .send(Self.hashRead),
            ])
    }

    @Test func `after error 0x12 with another hash clients are told, and old handles are not used`() throws {
        var server = Server()
        server.discover()
        _ = server.ask(.read(handle: 12))
        _ = server.ask(.discoverServices(nil))
        #expect(server.refuse(.readRequest, .databaseOutOfSync) == [.send(Self.hashRead)])
        let search = ATTPDU.readByGroupTypeRequest(start: 1, end: 0xFFFF, type: GATTClientMachineTests.primary)
        #expect(
            server.answerHash([UInt8](repeating: 1, count: 16)) == [
                .servicesChanged(Range(start: 1, end: 0xFFFF)),
                GATTClientMachineTests.failed(4, .refused(.databaseOutOfSync)), .send(search),
            ])
    }

    @Test func `a write that was refused with error 0x12 is not made again`() throws {
        var server = Server()
        server.discover()
        _ = server.ask(.write(handle: 12, value: [1]))
        #expect(
            server.refuse(.writeRequest, .databaseOutOfSync) == [
                GATTClientMachineTests.failed(4, .refused(.databaseOutOfSync)), .send(Self.hashRead),
            ])
        #expect(server.answerHash() == [])
    }

    @Test func `a restored handle that the server does not have shows that all is wrong`() throws {
        var server = Server(try Self.known())
        _ = server.refuseMTU()
        _ = server.answerHash()
        _ = server.ask(.read(handle: 12))
        #expect(
            server.refuse(.readRequest, .invalidHandle) == [
                GATTClientMachineTests.failed(1, .refused(.invalidHandle)),
                .servicesChanged(Range(start: 1, end: 0xFFFF)),
            ])
        #expect(server.machine.takeCacheChange() == .forget)
    }

    // MARK: Service Changed

    static let generic = RemoteService(uuid: BluetoothUUID(UInt16(0x1801)), handles: Range(start: 1, end: 9))

    /// Finds Service Changed with its descriptor, and Client Supported Features.
    static func watch(_ server: inout Server) {
        let value: [UInt8] = [1, 0x18]
        _ = server.refuseMTU()
        #expect(server.ask(.watchServices) == [.send(hashRead)])
        #expect(
            server.answerHash() == [
                .send(.findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: value))
            ])
        _ = server.receive(.findByTypeValueResponse([.init(start: 1, end: 0xFFFF)]))
        _ = server.receive(
            .readByTypeResponse([
                .init(handle: 2, value: [0x20, 3, 0, 0x05, 0x2A]), .init(handle: 5, value: [0x0A, 6, 0, 0x29, 0x2B]),
            ]))
        _ = server.refuse(.readByTypeRequest, .attributeNotFound)
        #expect(
            server.receive(.findInformationResponse([.init(handle: 4, type: GATTClientMachineTests.cccd)])) == [
                .send(.writeRequest(handle: 4, value: [2, 0]))
            ])
        #expect(server.receive(.writeResponse) == [.send(.writeRequest(handle: 6, value: [5]))])
        #expect(server.receive(.writeResponse) == [done(server.next, .characteristics([changed]))])
        #expect(server.machine.serviceChangedHandle == 3)
    }

    static let changed = RemoteCharacteristic(
        uuid: BluetoothUUID(UInt16(0x2A05)), properties: 0x20, valueHandle: 3, endHandle: 4)

    @Test(arguments: [false, true])
    func `Service Changed is switched on again, for a bonded client not even that`(isBonded: Bool) throws {
        var first = Server(isBonded: isBonded)
        Self.watch(&first)
        // Once is enough for all clients of the link.
        #expect(first.ask(.watchServices) == [Self.done(2, .characteristics([Self.changed]))])
        guard case .keep(let cache)? = first.machine.takeCacheChange() else { throw CancellationError() }
        var second = Server(cache, isBonded: isBonded)
        if isBonded {
            #expect(second.refuseMTU() == [])
            #expect(second.machine.serviceChangedHandle == 3)
            #expect(second.ask(.watchServices) == [Self.done(1, .characteristics([Self.changed]))])
        } else {
            #expect(second.refuseMTU() == [.send(Self.hashRead)])
            #expect(second.machine.serviceChangedHandle == nil)
            #expect(second.answerHash() == [])
            #expect(second.ask(.watchServices) == [.send(.writeRequest(handle: 4, value: [2, 0]))])
            #expect(second.receive(.writeResponse) == [Self.done(1, .characteristics([Self.changed]))])
            #expect(second.machine.serviceChangedHandle == 3)
        }
    }

    @Test func `a subscription from before the bond is not relied on`() throws {
        var first = Server()
        Self.watch(&first)
        guard case .keep(let cache)? = first.machine.takeCacheChange() else { throw CancellationError() }
        #expect(!cache.isWatched)
        var second = Server(cache, isBonded: true)
        #expect(second.refuseMTU() == [.send(Self.hashRead)])
        #expect(second.answerHash() == [])
        #expect(second.ask(.watchServices) == [.send(.writeRequest(handle: 4, value: [2, 0]))])
        #expect(second.receive(.writeResponse) == [Self.done(1, .characteristics([Self.changed]))])
        guard case .keep(let bonded)? = second.machine.takeCacheChange() else { throw CancellationError() }
        #expect(bonded.isWatched)
        // Nor the cache of a deleted bond.
        var third = Server(bonded)
        guard case .keep(let unbonded)? = third.machine.takeCacheChange() else { throw CancellationError() }
        #expect(!unbonded.isWatched)
    }

    // MARK: On disk

    @Test func `a cache is the same after it was written and read`() throws {
        var server = Server(isBonded: true)
        Self.watch(&server)
        _ = server.ask(.readByType(BluetoothUUID(UInt16(0x2A00))))
        _ = server.receive(.readByTypeResponse([.init(handle: 30, value: Array("Strap".utf8))]))
        _ = server.ask(.discoverDescriptors(Range(start: 13, end: 20)))
        _ = server.receive(.findInformationResponse([.init(handle: 20, type: SampleUUID.long)]))
        _ = server.ask(.discoverIncludedServices(Range(start: 10, end: 20)))
        _ = server.receive(.readByTypeResponse([.init(handle: 20, value: [40, 0, 45, 0, 0x0F, 0x18])]))
        _ = server.ask(.discoverServices([SampleUUID.long]))
        _ = server.refuse(.findByTypeValueRequest, .attributeNotFound)
        guard case .keep(let cache)? = server.machine.takeCacheChange() else { throw CancellationError() }
        #expect(cache.deviceName == Array("Strap".utf8))
        #expect(cache.descriptors.count == 1)
        #expect(cache.includedServices.count == 1)
        #expect(cache.isWatched)
        let read = try JSONDecoder().decode(GATTClientCache.self, from: JSONEncoder().encode(cache))
        #expect(read == cache)
        let known = try Self.known()
        #expect(try JSONDecoder().decode(GATTClientCache.self, from: JSONEncoder().encode(known)) == known)
    }

    @Test(arguments: [
        (#""version":1"#, #""version":2"#), (#""start":10"#, #""start":0"#), (#""end":20"#, #""end":5"#),
        (#""180D""#, #""GG""#), ("000102", "0001"), (#""descriptor":13"#, #""descriptor":12"#),
        (#""descriptor":13"#, #""descriptor":-1"#),
    ])
    func `a record that contradicts itself is refused`(part: String, wrong: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(Self.known()), as: UTF8.self)
        #expect(text.contains(part))
        let damaged = Data(text.replacingOccurrences(of: part, with: wrong).utf8)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(GATTClientCache.self, from: damaged) }
    }
}
