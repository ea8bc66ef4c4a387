// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import HCITransport
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Procedures of the host's own. The host leaves them out with peers whose links end during them.
struct PeerHabitTests {
    private static let day = Duration.seconds(24 * 3600)

    @Test func `three ends in a row prove something, for a day`() {
        var habits = PeerHabits()
        let (peer, other) = (Simulation.sensor(1), Simulation.sensor(2))
        for _ in 0..<2 { habits.ended(during: [[.mtuExchange]], with: peer, at: .zero) }
        #expect(habits.omitted(with: peer, at: .zero).isEmpty)
        habits.ended(during: [[.mtuExchange]], with: peer, at: .zero)
        #expect(habits.omitted(with: peer, at: .zero) == [.mtuExchange])
        #expect(habits.omitted(with: other, at: .zero).isEmpty)
        #expect(habits.omitted(with: peer, at: .zero + (Self.day - .nanoseconds(1))) == [.mtuExchange])
        #expect(habits.omitted(with: peer, at: .zero + Self.day).isEmpty, "it is tried again")
        habits.ended(during: [[.mtuExchange]], with: peer, at: .zero + Self.day)
        #expect(habits.omitted(with: peer, at: .zero + Self.day) == [.mtuExchange], "once")
        habits.outlived([.mtuExchange], with: peer)
        #expect(habits.omitted(with: peer, at: .zero + Self.day).isEmpty)
    }

    @Test func `an answer in between begins the count anew`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for _ in 0..<10 {
            for _ in 0..<2 { habits.ended(during: [[.phy, .deviceName]], with: peer, at: .zero) }
            habits.outlived([.phy, .deviceName], with: peer)
        }
        #expect(habits.omitted(with: peer, at: .zero).isEmpty)
    }

    @Test func `an identity takes over the habits`() {
        var habits = PeerHabits()
        for _ in 0..<2 { habits.ended(during: [[.phy]], with: Simulation.sensor(1), at: .zero) }
        habits.ended(during: [[.phy]], with: Simulation.sensor(2), at: .zero)
        habits.rename(Simulation.sensor(1), to: Simulation.sensor(2))
        #expect(habits.omitted(with: Simulation.sensor(1), at: .zero).isEmpty)
        #expect(habits.omitted(with: Simulation.sensor(2), at: .zero) == [.phy])
    }

    @Test
    func `of two procedures at each end the more suspect one is left out first, and the other is cleared by a link`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for _ in 0..<3 { habits.ended(during: [[.mtuExchange], [.featureExchange]], with: peer, at: .zero) }
        #expect(habits.omitted(with: peer, at: .zero) == [.mtuExchange])
        habits.outlived([.featureExchange], with: peer)
        for _ in 0..<2 { habits.ended(during: [[.featureExchange]], with: peer, at: .zero) }
        #expect(habits.omitted(with: peer, at: .zero) == [.mtuExchange], "it is at its beginning again")
    }

    @Test func `one that ends a link by itself clears those that were only in its company`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for _ in 0..<3 { habits.ended(during: [[.mtuExchange], [.featureExchange]], with: peer, at: .zero) }
        habits.ended(during: [[.featureExchange]], with: peer, at: .zero)
        #expect(habits.omitted(with: peer, at: .zero) == [.featureExchange])
        // A procedure that ends links alone is not cleared by another such procedure.
        var both = PeerHabits()
        for _ in 0..<3 { both.ended(during: [[.mtuExchange]], with: peer, at: .zero) }
        for _ in 0..<3 { both.ended(during: [[.featureExchange]], with: peer, at: .zero) }
        #expect(both.omitted(with: peer, at: .zero) == [.mtuExchange, .featureExchange])
    }

    // MARK: One at a time

    /// Procedures under way at the same time, and the guilty procedures among them.
    static let companies: [(company: [OwnProcedure], guilty: Set<OwnProcedure>, links: Int)] =
        singles + [
            ([.mtuExchange, .phy], [.mtuExchange, .phy], 9),
            ([.featureExchange, .dataLength, .phy], [], 1),
        ]

    /// Each procedure of a company is guilty alone. The host needs three links, and one more link for each earlier suspect.
    private static let singles: [(company: [OwnProcedure], guilty: Set<OwnProcedure>, links: Int)] = [
        [.mtuExchange], [.mtuExchange, .phy], [.featureExchange, .dataLength, .phy],
        [.databaseHash, .featureExchange, .dataLength, .parameters],
    ].flatMap { company in company.enumerated().map { (company, [$0.element], 4 + $0.offset) } }

    @Test(arguments: companies)
    func `of procedures under way together the guilty one alone is left out in the end, and values come`(
        row: (company: [OwnProcedure], guilty: Set<OwnProcedure>, links: Int)
    ) {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        var links = 0
        while links < 20 {
            links += 1
            let omitted = habits.omitted(with: peer, at: .zero)
            let begun = Set(row.company).subtracting(omitted)
            guard begun.isDisjoint(with: row.guilty) else {
                habits.ended(during: [begun], with: peer, at: .zero)
                continue
            }
            habits.outlived(begun, with: peer)
            break
        }
        #expect(links == row.links)
        #expect(Set(habits.omitted(with: peer, at: .zero)) == row.guilty, "no innocent one waits for its day")
    }

    @Test func `procedures of which each ends links by itself are left out one after the other, and none returns`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for (index, procedure) in OwnProcedure.allCases.enumerated() {
            for _ in 0..<3 { habits.ended(during: [[procedure]], with: peer, at: .zero) }
            #expect(habits.omitted(with: peer, at: .zero) == Array(OwnProcedure.allCases.prefix(index + 1)))
        }
    }

    @Test func `links that end for ever, whatever is left out, leave a bounded record`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for number in 0..<1000 {
            let begun = OwnProcedure.allCases.enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element)
            habits.ended(during: begun.map { [$0] }, with: peer, at: .zero + .seconds(number))
        }
        #expect(habits.remembered(of: peer) == PeerHabits.endsLimit)
    }

    @Test func `a peer's record takes the same memory from its first end on`() {
        func places(_ value: Any) -> Int {
            let mirror = Mirror(reflecting: value)
            let isCollection = [.collection, .dictionary, .set].contains(mirror.displayStyle)
            return mirror.children.reduce(isCollection ? mirror.children.count : 0) { $0 + places($1.value) }
        }
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        habits.ended(during: [[.phy]], with: peer, at: .zero)
        let first = places(habits)
        #expect(first > 0)
        for procedure in OwnProcedure.allCases {
            habits.ended(during: [[procedure, .phy], [.mtuExchange]], with: peer, at: .zero)
            #expect(places(habits) == first)
        }
        habits.outlived(Set(OwnProcedure.allCases), with: peer)
        #expect(places(habits) == 0)
    }

    @Test func `a procedure keeps the rank of the first set that has it`() {
        let company = RankedProcedures([[.phy], [], [.parameters, .phy], [.mtuExchange]])
        #expect(company[.phy] == 0 && company[.parameters] == 2 && company[.mtuExchange] == 3)
        #expect(company[.deviceName] == nil && company.count == 3 && !company.isEmpty)
        #expect(company.subtracting([.phy, .deviceName]) == RankedProcedures([[], [], [.parameters], [.mtuExchange]]))
        #expect(company.subtracting(Set(OwnProcedure.allCases)).isEmpty)
        #expect(RankedProcedures(Array(repeating: [], count: 40) + [[.parameters]])[.parameters] == 14)
    }

    // MARK: Link layers

    typealias LinkRequest = SensorOddity.LinkRequest

    static func own(_ request: LinkRequest) -> OwnProcedure {
        switch request {
        case .features: .featureExchange
        case .dataLength: .dataLength
        case .phy: .phy
        case .parameters: .parameters
        }
    }

    @Test(arguments: LinkRequest.allCases, [true, false])
    func `a procedure of the link layers that ends links is left out after three of them, or four, for a day`(
        request: LinkRequest, isHungUp: Bool
    ) throws {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        var sensor = VirtualSensor.Configuration(address: peer, name: "S", kind: .counter)
        sensor.oddities = [isHungUp ? .hangsUpOver(request) : .leavesOpen(request)]
        _ = simulation.air.addSensor(sensor)
        var (links, lives) = (0, false)
        while !lives, links < 8 {
            let link = try connect(simulation, peer)
            links += 1
            ask(simulation, .discoverServices([CounterService.service]), 2, on: link)
            if request == .parameters { try change(simulation, link) }
            simulation.run(for: .seconds(60)) { !simulation.disconnections.isEmpty }
            lives = simulation.disconnections.isEmpty
            guard lives else {
                simulation.forget()
                continue
            }
            let omitted = simulation.host.peculiarities(of: link, at: simulation.now)?.omitted ?? []
            #expect(omitted.contains(Self.own(request)), "\(omitted)")
            // The end of this link is no peer's fault.
            simulation.host.disconnect(peer, for: Simulation.client, at: simulation.now)
            simulation.run(for: .seconds(10)) { !simulation.disconnections.isEmpty }
            simulation.forget()
        }
        #expect(lives && (4...5).contains(links), "\(links) links")
        #expect(simulation.host.peers.omitted(with: peer, at: simulation.now + Self.day) == [], "it is tried again")
    }

    @Test func `other peers have long packets, though the controller asks none by itself because of one peer`() throws {
        let simulation = Simulation()
        let (odd, other) = (Simulation.sensor(1), Simulation.sensor(2))
        var sensor = VirtualSensor.Configuration(address: odd, name: "S", kind: .counter)
        sensor.oddities = [.hangsUpOver(.dataLength)]
        _ = simulation.air.addSensor(sensor)
        _ = simulation.addSensor(2)
        var link = try connect(simulation, odd)
        for _ in 0..<6 where simulation.run(for: .seconds(5), until: { !simulation.disconnections.isEmpty }) {
            simulation.forget()
            link = try connect(simulation, odd)
        }
        #expect(simulation.disconnections.isEmpty)
        #expect(simulation.host.information(of: link)?.transmitOctets == 27)
        #expect(simulation.host.peculiarities(of: link, at: simulation.now)?.omitted == [.dataLength])
        simulation.forget()
        let second = try connect(simulation, other)
        simulation.run(for: .seconds(5)) { simulation.host.information(of: second)?.transmitOctets == 251 }
        #expect(simulation.host.information(of: second)?.transmitOctets == 251)
        // After a day the controller asks by itself again.
        #expect(!simulation.host.peers.omits(.dataLength, at: simulation.now + Self.day))
    }

    @Test func `the controller does not ask by itself after a reset, and asks again after a day`() throws {
        let simulation = Simulation()
        let (odd, other) = (Simulation.sensor(1), Simulation.sensor(2))
        var sensor = VirtualSensor.Configuration(address: odd, name: "S", kind: .counter)
        sensor.oddities = [.hangsUpOver(.dataLength)]
        let places = [simulation.air.addSensor(sensor), simulation.addSensor(2)]
        var suggested: [UInt16] = []
        simulation.tap = { packet, direction in
            guard direction == .sent, packet.byteCount > 5, packet.u8(at: 0) == 1,
                packet.u16(at: 1) == HCIOpcode.leWriteSuggestedDefaultDataLength.rawValue
            else { return }
            suggested.append(packet.u16(at: 4))
        }
        _ = try connect(simulation, odd)
        suggested = []
        for _ in 0..<6 where simulation.run(for: .seconds(5), until: { !simulation.disconnections.isEmpty }) {
            simulation.forget()
            _ = try connect(simulation, odd)
        }
        #expect(suggested == [27])
        // Every set-up suggests long packets.
        simulation.air.simulateHardwareError(simulation.controller)
        simulation.run(for: .seconds(5)) { simulation.host.state == .resetting && !simulation.host.isStarting }
        simulation.host.start(at: simulation.now)
        simulation.run(for: .seconds(5)) { simulation.host.state == .ready }
        simulation.run(for: .seconds(1))
        #expect(suggested == [27, 251, 27])
        for place in places { simulation.air.simulateOutOfRange(place) }
        simulation.run(for: Self.day)
        simulation.air.simulateInRange(places[1])
        simulation.forget()
        _ = try connect(simulation, other)
        simulation.run(for: .seconds(1))
        #expect(suggested.last == 251)
    }

    private func change(_ simulation: Simulation, _ link: LinkID) throws {
        let minimum = try #require(ConnectionInterval(units: 6))
        let maximum = try #require(ConnectionInterval(units: 12))
        let timeout = try #require(SupervisionTimeout(units: 200))
        let parameters = try #require(
            ConnectionParameters(minimumInterval: minimum, maximumInterval: maximum, latency: .none, timeout: timeout))
        simulation.host.setParameters(parameters, on: link, for: Simulation.client, at: simulation.now)
    }

    /// Requests that the host makes by itself at the beginning, each refused in two ways.
    static let oddities: [(SensorOddity, OwnProcedure)] = [
        (.hangsUp(.exchangeMTU), .mtuExchange), (.ignores(.exchangeMTU), .mtuExchange),
        (.hangsUp(.databaseHash), .databaseHash), (.ignores(.databaseHash), .databaseHash),
        (.hangsUp(.deviceName), .deviceName), (.ignores(.deviceName), .deviceName),
    ]

    @Test(arguments: oddities)
    func `the fourth link goes without the request that ended three, and has values`(
        oddity: SensorOddity, procedure: OwnProcedure
    ) throws {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        var sensor = VirtualSensor.Configuration(address: peer, name: "S", kind: .counter)
        sensor.oddities = [oddity]
        _ = simulation.air.addSensor(sensor)
        for number in 1...4 {
            let link = try connect(simulation, peer)
            let omitted = simulation.host.peculiarities(of: link, at: simulation.now)?.omitted
            #expect(omitted == (number < 4 ? [] : [procedure]))
            ask(simulation, .readByType(BluetoothUUID(0x2A00 as UInt16)), 1, on: link)
            ask(simulation, .discoverServices([CounterService.service]), 2, on: link)
            let found = simulation.run(for: .seconds(40)) {
                simulation.count {
                    if case .completed(let id, .success(.services)) = $0 { id.rawValue & 0xFF == 2 } else { false }
                }
                    > 0
            }
            #expect(found == (number == 4), "link \(number)")
            if number < 4 {
                #expect(simulation.run(for: .seconds(40)) { !simulation.disconnections.isEmpty }, "link \(number)")
            }
            simulation.forget()
        }
    }

    @Test(arguments: [true, false])
    func `after three links the further search for a descriptor is left out, and the client has its answer`(
        isHungUp: Bool
    ) throws {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        var sensor = VirtualSensor.Configuration(address: peer, name: "S", kind: .environment)
        let search = SensorOddity.Request(0x08, type: 0x2902)
        sensor.oddities = [.refuses(.descriptors, error: 0x06), isHungUp ? .hangsUp(search) : .ignores(search)]
        _ = simulation.air.addSensor(sensor)
        let value = OddPeerTests.environmentStart + 2
        for number in 1...4 {
            let link = try connect(simulation, peer)
            let omitted = simulation.host.peculiarities(of: link, at: simulation.now)?.omitted
            #expect(omitted == (number < 4 ? [] : [.configurationSearch]))
            ask(simulation, .configure(valueHandle: value, endHandle: value + 1, .notification), 1, on: link)
            let isAnswered = simulation.run(for: .seconds(40)) {
                simulation.count {
                    if case .completed(_, .success(.unconfigured)) = $0 { true } else { false }
                } > 0 || !simulation.disconnections.isEmpty
            }
            #expect(isAnswered && simulation.disconnections.isEmpty == (number == 4), "link \(number)")
            if number < 4 { simulation.run(for: .seconds(10)) { !simulation.disconnections.isEmpty } }
            simulation.forget()
        }
    }

    @Test func `a link that is lost for another reason teaches nothing`() throws {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        _ = simulation.addSensor(1)
        for _ in 0..<5 {
            let link = try connect(simulation, peer)
            simulation.host.disconnect(peer, for: Simulation.client, at: simulation.now)
            #expect(simulation.run(for: .seconds(10)) { !simulation.disconnections.isEmpty })
            #expect(simulation.host.peculiarities(of: link, at: simulation.now) == nil)
            simulation.forget()
        }
        let link = try connect(simulation, peer)
        #expect(simulation.host.peculiarities(of: link, at: simulation.now)?.omitted == [])
    }

    private func connect(_ simulation: Simulation, _ peer: DeviceAddress) throws -> LinkID {
        simulation.run(for: .seconds(1)) { simulation.host.state == .ready }
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { simulation.lastLink != nil })
        return try #require(simulation.lastLink)
    }

    private func ask(_ simulation: Simulation, _ request: GATTRequest, _ number: UInt64, on link: LinkID) {
        simulation.host.request(
            request, id: GATTRequestID(client: Simulation.client, number: number), on: link, at: simulation.now)
    }
}
