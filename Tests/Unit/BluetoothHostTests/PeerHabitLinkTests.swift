// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import HCITransport
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Links that end during procedures of the host's own.
struct PeerHabitLinkTests {
    private static let day = Duration.seconds(24 * 3600)

    /// A central that comes to our advertisement, and hangs up on the exchange of features.
    @Test(arguments: [true, false])
    func `a stranger that hangs up on us is not remembered, and a peer that a client wants is`(isWanted: Bool) {
        let duet = Duet(ControllerSettings())
        let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
        let completion: [UInt8] =
            [4, 0x3E, 19, 1, 0, 0x55, 0, 1, 1, 0x77, 0, 0, 0, 0, 0xC0, 0x18, 0, 0, 0, 0xF4, 1, 0]
        let disconnected: [UInt8] = [4, 5, 4, 0, 0x55, 0, 0x13]
        // The controller of the air does not know this link. It takes the command as if it knew the link.
        duet.deliver = { _, packet in
            packet.starts(with: [4, 0x0F, 4]) && packet.suffix(2) == [0x16, 0x20]
                ? [[4, 0x0F, 4, 0] + packet.suffix(3)] : [packet]
        }
        duet.advertise()
        for round in 1...3 {
            if isWanted { duet.players[0].host.connect(peer, for: Duet.client, at: duet.now) }
            duet.run(for: .seconds(1))
            duet.players[0].host.received(completion.span.bytes, at: duet.now)
            #expect(duet.run(for: .seconds(5)) { duet.commands(.leReadRemoteFeatures, of: 0).count == round })
            duet.run(for: .milliseconds(100))
            duet.players[0].host.received(disconnected.span.bytes, at: duet.now)
            duet.run(for: .seconds(1))
        }
        #expect(duet.a.host.counters.centralConnections == 3 && !duet.a.host.hasLinks)
        #expect(duet.a.host.peers.omitted(with: peer, at: duet.now).isEmpty != isWanted)
    }

    typealias LinkRequest = SensorOddity.LinkRequest

    static func own(_ request: LinkRequest) -> OwnProcedure {
        switch request {
        case .features: .featureExchange
        case .dataLength: .dataLength
        case .phy: .phy
        case .parameters: .parameters
        }
    }

    /// After a hang-up, up to two procedures in front of the guilty one are suspects, too: one link more for each of them.
    @Test(arguments: LinkRequest.allCases, [true, false])
    func `a procedure of the link layers that ends links is left out after three of them, or a few more, for a day`(
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
        #expect(lives && (4...(isHungUp ? 6 : 5)).contains(links), "\(links) links")
        #expect(simulation.host.peers.omitted(with: peer, at: simulation.now + Self.day) == [], "it is tried again")
    }

    @Test func `a peer that asks for parameters and hangs up when they come is refused after three links, for a day`()
        throws
    {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        var sensor = VirtualSensor.Configuration(address: peer, name: "S", kind: .counter)
        sensor.oddities = [.hangsUpOver(.parameters)]
        _ = simulation.air.addSensor(sensor)
        var (answers, replies): ([Bool], [HCIOpcode]) = ([], [])
        simulation.tap = { packet, direction in
            guard direction == .sent, packet.byteCount > 3 else { return }
            let opcode = HCIOpcode(rawValue: packet.u16(at: 1))
            if packet.u8(at: 0) == 1, Self.replies.contains(opcode) { replies.append(opcode) }
            // Connection Parameter Update Response.
            guard packet.u8(at: 0) == 2, packet.byteCount == 15, packet.u8(at: 9) == 0x13 else { return }
            answers.append(packet.u8(at: 13) == 0)
        }
        let wish: [UInt8] = [6, 0, 12, 0, 0, 0, 0xF4, 1]
        var (links, handle) = (0, UInt16(0))
        repeat {
            simulation.forget()
            let link = try connect(simulation, peer)
            links += 1
            ask(simulation, .discoverServices([CounterService.service]), 2, on: link)
            handle = try #require(simulation.host.links.handle(of: link))
            let request: [UInt8] =
                [2, UInt8(handle & 0xFF), UInt8(handle >> 8) | 0x20, 16, 0, 12, 0, 5, 0, 0x12, 1, 8, 0] + wish
            simulation.host.received(request.span.bytes, at: simulation.now)
            simulation.run(for: .seconds(60)) { !simulation.disconnections.isEmpty }
        } while !simulation.disconnections.isEmpty && links < 8
        #expect(simulation.disconnections.isEmpty && (4...6).contains(links), "\(links) links")
        #expect(answers == Array(repeating: true, count: links - 1) + [false], "\(answers)")
        // By its link layer.
        let event: [UInt8] = [4, 0x3E, 11, 6, UInt8(handle & 0xFF), UInt8(handle >> 8)] + wish
        simulation.host.received(event.span.bytes, at: simulation.now)
        simulation.run(for: .seconds(1))
        #expect(replies == [.leRemoteConnectionParameterRequestNegativeReply])
        #expect(simulation.host.acceptsParameters(of: peer, at: simulation.now + Self.day), "it is tried again")
    }

    private static let replies: [HCIOpcode] = [
        .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
    ]

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
        let place = simulation.air.addSensor(sensor)
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
        // A day without advertisements is soon over.
        simulation.air.detach(place)
        simulation.run(for: Self.day)
        _ = simulation.addSensor(2)
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
        (.hangsUp(.servicesByUUID), .serviceSearch), (.ignores(.servicesByUUID), .serviceSearch),
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

    /// A search of the client configuration's descriptor, and the client's answer without the search.
    struct DescriptorSearch {
        let request: SensorOddity.Request
        let procedure: OwnProcedure
        /// Oddities of the peer that lead to the search.
        var before: Set<SensorOddity> = []
        let isWritten: Bool
    }

    static let searches = [
        // The descriptor is not there by Find Information; the further search goes by its type.
        DescriptorSearch(
            request: SensorOddity.Request(0x08, type: 0x2902), procedure: .configurationSearch,
            before: [.refuses(.descriptors, error: 0x06)], isWritten: false),
        // Without Find Information the descriptor is found by its type.
        DescriptorSearch(request: .descriptors, procedure: .descriptorSearch, isWritten: true),
    ]

    @Test(arguments: searches, [true, false])
    func `after three links a search for the descriptor is left out, and the client has its answer`(
        search: DescriptorSearch, isHungUp: Bool
    ) throws {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        var sensor = VirtualSensor.Configuration(address: peer, name: "S", kind: .environment)
        sensor.oddities = search.before.union([isHungUp ? .hangsUp(search.request) : .ignores(search.request)])
        _ = simulation.air.addSensor(sensor)
        let value = OddPeerTests.environmentStart + 2
        for number in 1...4 {
            let link = try connect(simulation, peer)
            let omitted = simulation.host.peculiarities(of: link, at: simulation.now)?.omitted
            #expect(omitted == (number < 4 ? [] : [search.procedure]))
            ask(simulation, .configure(valueHandle: value, endHandle: value + 1, .notification), 1, on: link)
            let isAnswered = simulation.run(for: .seconds(40)) {
                simulation.count {
                    switch $0 {
                    case .completed(_, .success(.written)): search.isWritten
                    case .completed(_, .success(.unconfigured)): !search.isWritten
                    default: false
                    }
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
