// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A whole host on the air, and a sensor that departs from the specification.
struct OddPeerTests {
    typealias Request = SensorOddity.Request

    static let services = Request.allServices
    static let characteristics = Request.characteristics

    static let rows: [(Set<SensorOddity>, services: Int, characteristics: Int, [GATTOddity.Kind])] = [
        ([], 5, 3, []),
        ([.reverses(services)], 5, 3, [.outOfOrder]),
        ([.reverses(characteristics)], 5, 3, [.outOfOrder]),
        // The first answer contains everything.
        ([.goesRound(characteristics)], 5, 3, [.handleOutOfRange, .handleOutOfRange, .handleOutOfRange, .endless]),
        ([.misplacesValue(0x2A6F)], 5, 2, [.valueOutside(0xFFF0)]),
        ([.namesNoRequest], 5, 3, []),
        ([.declares(0x2A6F, as: 0x2A6E)], 5, 3, []),
    ]

    @Test(arguments: rows) func `usable items are found, and the oddity is told`(
        oddities: Set<SensorOddity>, services: Int, characteristics: Int, kinds: [GATTOddity.Kind]
    ) throws {
        let (simulation, link) = try connect(oddities)
        guard case .success(.services(let found)) = ask(simulation, .discoverServices(nil), 1, on: link) else {
            Issue.record("no services")
            return
        }
        #expect(found.count == services)
        let main = try #require(found.first { $0.uuid.short == 0x181A })
        let answer = ask(simulation, .discoverCharacteristics(main.handles, nil), 2, on: link)
        guard case .success(.characteristics(let list)) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(list.count == characteristics)
        let told = simulation.host.peculiarities(of: link, at: simulation.now)
        #expect(told?.0.map(\.kind) == kinds)
    }

    // MARK: Five discoveries

    enum Discovery: String, CaseIterable, Sendable {
        case allServices, servicesByUUID, includedServices, characteristics, descriptors

        var request: Request {
            switch self {
            case .allServices: .allServices
            case .servicesByUUID: .servicesByUUID
            case .includedServices: .includedServices
            case .characteristics: .characteristics
            case .descriptors: .descriptors
            }
        }

        /// A request to the sensor: about its service for the environment, or about the temperature in this service.
        func asked(_ range: ATTPDU.HandleRange) -> GATTRequest {
            switch self {
            case .allServices: .discoverServices(nil)
            case .servicesByUUID: .discoverServices([BluetoothUUID(0x181A as UInt16)])
            case .includedServices: .discoverIncludedServices(range)
            case .characteristics: .discoverCharacteristics(range, nil)
            case .descriptors: .discoverDescriptors(range)
            }
        }

        /// The number of items in a sensor that keeps to the specification.
        var usual: Int {
            switch self {
            case .allServices: 5
            case .servicesByUUID: 1
            case .includedServices: 0
            case .characteristics: 3
            case .descriptors: OddPeerTests.attributes
            }
        }
    }

    /// Attributes in the service for the environment.
    static let attributes = 10

    enum Way: String, CaseIterable, Sendable {
        case order, range, empty, endless, repeated, refused, brokenOff

        func oddity(_ request: Request) -> SensorOddity {
            switch self {
            case .order: .reverses(request)
            case .range: .strays(request)
            case .empty: .empties(request)
            case .endless: .goesRound(request)
            case .repeated: .repeats(request)
            case .refused: .refuses(request, error: 0x0E)
            case .brokenOff: .breaksOff(request)
            }
        }

        /// All items of the sensor are found all the same.
        var findsAll: Bool { [.order, .endless, .repeated, .brokenOff].contains(self) }
    }

    @Test(arguments: Discovery.allCases, Way.allCases)
    func `each discovery ends, keeps what is usable, and tells what was odd`(discovery: Discovery, way: Way) throws {
        let (simulation, link) = try connect([way.oddity(discovery.request)])
        let start = simulation.now
        let range = ATTPDU.HandleRange(start: Self.environmentStart, end: Self.environmentEnd)
        let answer = ask(simulation, discovery.asked(range), 1, on: link)
        #expect(simulation.now - start < .seconds(20), "it goes on for ever")
        if discovery == .includedServices {
            // Nothing can be odd here: the server answers that there is no such attribute. A refusal has this meaning,
            // too.
            #expect(answer == .success(.services([])))
            return
        }
        let count: Int? =
            switch answer {
            case .success(.services(let found)): found.count
            case .success(.characteristics(let found)): found.count
            case .success(.descriptors(let found)): found.count
            default: nil
            }
        // Services are looked for in another way.
        let hasOtherWay = discovery == .allServices || discovery == .servicesByUUID
        switch way {
        case .refused where !hasOtherWay: #expect(answer == .failure(.refused(.unlikelyError)))
        case .empty where !hasOtherWay: #expect(answer == .failure(.malformed))
        case .order, .range, .endless, .repeated, .refused, .empty, .brokenOff:
            #expect(
                count == (way.findsAll || hasOtherWay ? discovery.usual : 0), "\(String(describing: answer))")
            // A single item has no order, and a search at its last handle does not go on.
            let isQuiet = discovery == .servicesByUUID && way == .order || discovery == .descriptors && way == .endless
            let told = simulation.host.peculiarities(of: link, at: simulation.now)?.0 ?? []
            #expect(told.isEmpty == isQuiet, "\(told)")
        }
    }

    /// The server answers one kind of request twice, or all kinds.
    @Test(arguments: Discovery.allCases, [true, false])
    func `each discovery finds the same on a server that answers twice`(discovery: Discovery, all: Bool) throws {
        let doubled = all ? Self.all : [discovery.request]
        let (simulation, link) = try connect(Set(doubled.map { .doubles($0) }))
        let start = simulation.now
        let range = ATTPDU.HandleRange(start: Self.environmentStart, end: Self.environmentEnd)
        // Two procedures in a row: an answer must not count for the next procedure either.
        for number in 1...2 as ClosedRange<UInt64> {
            let answer = ask(simulation, discovery.asked(range), number, on: link)
            let count: Int? =
                switch answer {
                case .success(.services(let found)): found.count
                case .success(.characteristics(let found)): found.count
                case .success(.descriptors(let found)): found.count
                default: nil
                }
            #expect(count == discovery.usual, "\(String(describing: answer))")
        }
        // The declarations of the service and of its first characteristic.
        let declaration = ask(simulation, .read(handle: Self.environmentStart), 3, on: link)
        #expect(declaration == .success(.value([0x1A, 0x18])))
        guard case .success(.value(let value)) = ask(simulation, .read(handle: Self.environmentStart + 1), 4, on: link)
        else {
            Issue.record("no value")
            return
        }
        #expect(value.count == 5)
        #expect(simulation.now - start < .seconds(4), "it waits for something")
        let told = simulation.host.peculiarities(of: link, at: simulation.now)?.0.map(\.kind)
        #expect(told == [.answersTwice])
    }

    static let all: [Request] = [
        .exchangeMTU, .allServices, .servicesByUUID, Request(0x08), .descriptors, .read, Request(0x0C), .write,
    ]

    /// The handles of the service for the environment in this kind of sensor.
    static let environmentStart: UInt16 = 10
    static let environmentEnd: UInt16 = 19

    @Test func `the handles of these tests are the sensor's`() throws {
        let (simulation, link) = try connect([])
        guard case .success(.services(let found)) = ask(simulation, .discoverServices(nil), 1, on: link) else {
            Issue.record("no services")
            return
        }
        let main = try #require(found.first { $0.uuid.short == 0x181A })
        #expect(main.handles == ATTPDU.HandleRange(start: Self.environmentStart, end: Self.environmentEnd))
    }

    // MARK: The set-up of a link

    /// Requests of the host's own, and a client's requests.
    static let own: [Request] = [.exchangeMTU, .databaseHash, .deviceName, Request.write.about(0x2902)]

    @Test(arguments: own)
    func `a refused request of the host's own keeps nothing from coming`(request: Request) throws {
        let (simulation, link) = try connect([.refuses(request, error: 0x06)])
        _ = ask(simulation, .readByType(BluetoothUUID(0x2A00 as UInt16)), 7, on: link)
        _ = ask(simulation, .watchServices, 8, on: link)
        let answer = ask(simulation, .discoverServices(nil), 1, on: link)
        guard case .success(.services(let found)) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(found.count == 5)
        #expect(simulation.host.peculiarities(of: link, at: simulation.now)?.omitted == [])
    }

    @Test(arguments: [Request.allServices, .characteristics, .descriptors, .read, .write])
    func `a request that is never answered is told as such, and one that ends the link as the link's end`(
        request: Request
    ) throws {
        for oddity in [SensorOddity.ignores(request), .hangsUp(request)] {
            let (simulation, link) = try connect([oddity])
            let range = ATTPDU.HandleRange(start: Self.environmentStart, end: Self.environmentEnd)
            let asked: GATTRequest =
                switch request.opcode {
                case 0x10: .discoverServices(nil)
                case 0x08: .discoverCharacteristics(range, nil)
                case 0x04: .discoverDescriptors(range)
                case 0x0A: .read(handle: Self.environmentStart + 2)
                default: .write(handle: Self.environmentStart + 3, value: [1, 0])
                }
            let isSilence = oddity == .ignores(request)
            #expect(ask(simulation, asked, 1, on: link) == .failure(isSilence ? .timedOut : .disconnected))
            #expect(simulation.run(for: .seconds(10)) { !simulation.disconnections.isEmpty })
        }
    }

    @Test func `a refused search is a failure, whatever request the refusal names`() throws {
        let declarations = Request(0x08, type: 0x2800)
        let (simulation, link) = try connect([
            .refuses(Self.services, error: 0x11), .refuses(declarations, error: 0x0E), .namesNoRequest,
        ])
        let answer = ask(simulation, .discoverServices(nil), 1, on: link)
        #expect(answer == .failure(.refused(.insufficientResources)))
    }

    /// All errors but Attribute Not Found.
    static let errors = (0x01...0x13).filter { $0 != 0x0A }.map { UInt8($0) } + [0x80, 0xFC, 0xFF]

    @Test(arguments: errors) func `a service is found whatever error the search for its UUID is refused with`(
        error: UInt8
    )
        throws
    {
        let wanted = GATTRequest.discoverServices([BluetoothUUID(0x181A as UInt16)])
        let declarations = Request(0x08, type: 0x2800)
        for refused in [[Request.servicesByUUID], [.servicesByUUID, .allServices], [.allServices, declarations]] {
            let (simulation, link) = try connect(Set(refused.map { .refuses($0, error: error) }))
            guard case .success(.services(let found)) = ask(simulation, wanted, 1, on: link) else {
                Issue.record("\(refused)")
                continue
            }
            #expect(found.map(\.uuid.short) == [0x181A])
        }
    }

    /// Requests that find and write the descriptor for notifications.
    static let searches: [(refused: [Request], isWritten: Bool)] = [
        ([.descriptors], true), ([.descriptors, Request(0x08, type: 0x2902)], true),
        ([.descriptors, Request(0x08, type: 0x2902), .read], true),
        ([.descriptors, Request(0x08, type: 0x2902), .read, Request.write.about(0x2902)], false),
    ]

    @Test(arguments: searches, [0x01, 0x06, 0x0E, 0x80] as [UInt8])
    func `a characteristic is subscribed to as far as the search for its descriptor is granted`(
        row: (refused: [Request], isWritten: Bool), error: UInt8
    ) throws {
        let (simulation, link) = try connect(Set(row.refused.map { .refuses($0, error: error) }))
        let range = ATTPDU.HandleRange(start: Self.environmentStart, end: Self.environmentEnd)
        guard
            case .success(.characteristics(let list)) = ask(
                simulation, .discoverCharacteristics(range, nil), 1, on: link),
            let first = list.first
        else {
            Issue.record("nothing is found")
            return
        }
        let request = GATTRequest.configure(
            valueHandle: first.valueHandle, endHandle: first.endHandle, .notification)
        #expect(ask(simulation, request, 2, on: link) == .success(row.isWritten ? .written : .unconfigured))
        if row.isWritten { #expect(simulation.run(for: .seconds(5)) { !simulation.values.isEmpty }) }
        #expect(simulation.host.peculiarities(of: link, at: simulation.now)?.0.isEmpty == false)
    }

    @Test(arguments: [
        SensorOddity.doubles(.exchangeMTU), .answers(.exchangeMTU, with: [0x03, 5, 0]),
        .answers(.exchangeMTU, with: [0x03, 0, 0]), .answers(.exchangeMTU, with: [0x03]),
        .answers(.exchangeMTU, with: [0x03, 0xFF, 0xFF]), .doubles(.allServices), .doubles(.characteristics),
        .answers(.databaseHash, with: [0x09, 2, 1, 0]), .answers(.deviceName, with: [0x09, 2, 1, 0]),
    ]) func `an odd answer to a request of the host's own keeps nothing from coming`(oddity: SensorOddity) throws {
        let (simulation, link) = try connect([oddity])
        _ = ask(simulation, .readByType(BluetoothUUID(0x2A00 as UInt16)), 7, on: link)
        guard case .success(.services(let found)) = ask(simulation, .discoverServices(nil), 1, on: link) else {
            Issue.record("no services")
            return
        }
        #expect(found.count == 5)
        let range = ATTPDU.HandleRange(start: Self.environmentStart, end: Self.environmentEnd)
        guard
            case .success(.characteristics(let list)) = ask(
                simulation, .discoverCharacteristics(range, nil), 2, on: link)
        else {
            Issue.record("no characteristics")
            return
        }
        #expect(list.count == 3)
    }

    @Test(arguments: [0x01, 0x04, 0x06, 0x07, 0x0A, 0x0B, 0x0E] as [UInt8])
    func `a value that fills its answer is read, though the read behind its end is refused`(error: UInt8) throws {
        let isAnError = error == 0x01
        let (simulation, link) = try connect([
            .answers(.exchangeMTU, with: [0x03, 23, 0]), .answers(.read, with: [0x0B] + Array(1...22)),
            .refuses(Request(0x0C), error: error),
        ])
        let answer = ask(simulation, .read(handle: Self.environmentStart + 2), 1, on: link)
        #expect(answer == (isAnError ? .failure(.refused(.invalidHandle)) : .success(.value(Array(1...22)))))
    }

    @Test func `values come from a characteristic that nobody can subscribe to`() throws {
        let (simulation, link) = try connect([.lacksConfigurations])
        guard case .success(.services(let found)) = ask(simulation, .discoverServices(nil), 1, on: link),
            let main = found.first(where: { $0.uuid.short == 0x181A }),
            case .success(.characteristics(let list)) = ask(
                simulation, .discoverCharacteristics(main.handles, nil), 2, on: link),
            let first = list.first
        else {
            Issue.record("nothing is found")
            return
        }
        let configured = ask(
            simulation, .configure(valueHandle: first.valueHandle, endHandle: first.endHandle, .notification), 3,
            on: link)
        #expect(configured == .success(.unconfigured))
        #expect(simulation.run(for: .seconds(5)) { simulation.values.contains { $0.handle == first.valueHandle } })
        let told = simulation.host.peculiarities(of: link, at: simulation.now)?.0
        #expect(told?.map(\.kind) == [.noConfiguration])
    }

    func connect(_ oddities: Set<SensorOddity>) throws -> (Simulation, LinkID) {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        var sensor = VirtualSensor.Configuration(address: peer, name: "S", kind: .environment)
        sensor.oddities = oddities
        _ = simulation.air.addSensor(sensor)
        simulation.run(for: .seconds(1)) { simulation.host.state == .ready }
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { simulation.lastLink != nil })
        return (simulation, try #require(simulation.lastLink))
    }

    func ask(
        _ simulation: Simulation, _ request: GATTRequest, _ number: UInt64, on link: LinkID
    ) -> Result<GATTResponse, GATTError>? {
        let id = GATTRequestID(client: Simulation.client, number: number)
        simulation.host.request(request, id: id, on: link, at: simulation.now)
        func answer() -> Result<GATTResponse, GATTError>? {
            simulation.events.lazy.compactMap {
                if case .completed(id, let result) = $0 { result } else { nil }
            }.first
        }
        simulation.run(for: .seconds(60)) { answer() != nil }
        return answer()
    }
}
