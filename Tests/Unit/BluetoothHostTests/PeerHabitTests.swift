// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
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
        for _ in 0..<3 { habits.ended(during: [[.phy, .mtuExchange]], with: Simulation.sensor(1), at: .zero) }
        habits.rename(Simulation.sensor(1), to: Simulation.sensor(2))
        #expect(habits.omitted(with: Simulation.sensor(1), at: .zero).isEmpty)
        #expect(habits.omitted(with: Simulation.sensor(2), at: .zero) == [.mtuExchange, .phy])
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

    // The length of packets is agreed on by the controllers themselves.
    @Test(arguments: [LinkRequest.features, .phy, .parameters], [true, false])
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
