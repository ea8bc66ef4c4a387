// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Peers behind private addresses, found by the controller's resolving list, by the host, or by both.
struct SecurityResolvingTests {
    static let controllers = [
        ControllerSettings(resolvingListSize: 4),
        ControllerSettings(extendedAdvertising: true, resolvingListSize: 4),
        ControllerSettings(scansWhileInitiating: false, resolvingListSize: 4),
    ]
    private static let keys: [UInt64: SecretKey] = [1: Sample.key(0x11), 2: Sample.key(0x12), 3: Sample.key(0x13)]

    private func address(_ random: UInt32, of number: UInt64 = 1) -> DeviceAddress {
        .resolvable(Self.keys[number] ?? .zero, random: random)
    }

    private func bond(_ number: UInt64) throws -> Bond {
        try #require(Sample.bond(number, identityKey: Self.keys[number]))
    }

    /// Our host with bonds of all its peers, which are out of range.
    private func make(
        _ settings: ControllerSettings, peers: [UInt64] = [1]
    ) throws -> (simulation: Simulation, peers: [SecurityPeer]) {
        let simulation = Simulation(controller: settings)
        simulation.host.provide(bonds: try peers.map(bond))
        let peers = peers.map { number in
            let peer = SecurityPeer(simulation.air, number: number, at: simulation.now)
            peer.key = { _, _ in Sample.key(0xAB) }
            peer.advertise(as: address(1, of: number), at: simulation.now)
            simulation.air.simulateOutOfRange(peer.id)
            return peer
        }
        return (simulation, peers)
    }

    @discardableResult
    private func run(
        _ simulation: Simulation, _ peers: [SecurityPeer], for limit: Duration, until condition: () -> Bool = { false }
    ) -> Bool {
        simulation.run(for: limit) {
            for peer in peers { peer.turn(at: simulation.now) }
            return condition()
        }
    }

    private func connect(_ number: UInt64, _ simulation: Simulation) {
        simulation.host.connect(Sample.identity(number), for: Simulation.client, at: simulation.now)
    }

    private func connected(_ simulation: Simulation) -> [DeviceAddress] {
        simulation.events.compactMap { if case .connected(_, let peer, _) = $0 { peer } else { nil } }
    }

    private func expectNoViolations(_ simulation: Simulation) {
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    // MARK: By the controller

    @Test(arguments: controllers.indices)
    func `a peer that the controller resolves is connected to without listening for it`(index: Int) throws {
        let (simulation, peers) = try make(Self.controllers[index])
        connect(1, simulation)
        var hasScanned = false
        func watch() -> Bool {
            if simulation.host.radio.scanner.running != nil { hasScanned = true }
            return false
        }
        run(simulation, peers, for: .seconds(30), until: watch)
        #expect(simulation.host.resolving.resolved == [Sample.identity(1)])
        peers[0].advertise(as: address(2), at: simulation.now)
        simulation.air.simulateInRange(peers[0].id)
        #expect(run(simulation, peers, for: .seconds(10)) { watch() || simulation.connections == 1 })
        #expect(!hasScanned && connected(simulation) == [Sample.identity(1)])
        let link = try #require(simulation.lastLink)
        let handle = try #require(simulation.host.links.handle(of: link))
        #expect(simulation.host.links[handle]?.addresses.peer == address(2))
        #expect(run(simulation, peers, for: .seconds(5)) { simulation.host.security(of: link)?.isEncrypted == true })
        expectNoViolations(simulation)
    }

    @Test(arguments: controllers.indices)
    func `a peer that the controller resolves is told of once, under its identity`(index: Int) throws {
        let (simulation, peers) = try make(Self.controllers[index])
        simulation.air.simulateInRange(peers[0].id)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        for random: UInt32 in 2...4 {
            run(simulation, peers, for: .seconds(3))
            peers[0].advertise(as: address(random), at: simulation.now)
        }
        #expect(Set(simulation.advertisements.map(\.address)) == [Sample.identity(1)])
        #expect(simulation.advertisements.count <= 2, "once without and once with its scan response")
        connect(1, simulation)
        #expect(run(simulation, peers, for: .seconds(10)) { simulation.connections == 1 })
    }

    @Test func `a peer in the list that uses its identity address is connected to as well`() throws {
        let (simulation, peers) = try make(Self.controllers[0])
        peers[0].advertise(as: Sample.identity(1), at: simulation.now)
        simulation.air.simulateInRange(peers[0].id)
        connect(1, simulation)
        #expect(run(simulation, peers, for: .seconds(10)) { simulation.connections == 1 })
        let link = try #require(simulation.host.links.values.first { _ in true })
        #expect(link.addresses.peer == Sample.identity(1))
    }

    // MARK: By both

    @Test(arguments: controllers.indices)
    func `with a list that is too small the host resolves the rest`(index: Int) throws {
        var settings = Self.controllers[index]
        settings.resolvingListSize = 1
        let (simulation, peers) = try make(settings, peers: [1, 2, 3])
        for number: UInt64 in 1...3 { connect(number, simulation) }
        run(simulation, peers, for: .seconds(5))
        #expect(simulation.host.resolving.resolved.count == 1 && simulation.host.listensForPeers)
        for peer in peers { simulation.air.simulateInRange(peer.id) }
        #expect(run(simulation, peers, for: .seconds(60)) { simulation.connections == 3 })
        #expect(Set(connected(simulation)) == Set((1...3).map { Sample.identity($0) }))
        expectNoViolations(simulation)
    }

    @Test(
        arguments: [
            HCIOpcode.leReadResolvingListSize, .leClearResolvingList, .leAddDeviceToResolvingList, .leSetPrivacyMode,
            .leSetAddressResolutionEnable,
        ], [HCIStatus.unsupportedFeature, .commandDisallowed])
    func `a controller that refuses a command of the list does no harm`(opcode: HCIOpcode, status: HCIStatus) throws {
        var settings = Self.controllers[0]
        settings.refusals = [opcode: .status(status)]
        let (simulation, peers) = try make(settings)
        connect(1, simulation)
        run(simulation, peers, for: .seconds(30))
        #expect(simulation.host.resolving.resolved.isEmpty && simulation.host.state == .ready)
        simulation.air.simulateInRange(peers[0].id)
        #expect(run(simulation, peers, for: .seconds(30)) { simulation.connections == 1 })
        #expect(connected(simulation) == [Sample.identity(1)])
        expectNoViolations(simulation)
    }

    @Test func `a controller that lets an address pass unresolved is not relied on`() throws {
        let (simulation, peers) = try make(Self.controllers[0])
        connect(1, simulation)
        run(simulation, peers, for: .seconds(1))
        #expect(!simulation.host.listensForPeers)
        var report: [UInt8] = [4, 0x3E, 12, 2, 1, 0, 1]
        report.append(u48: address(2).value)
        simulation.give(report + [0, 0xC4])
        #expect(simulation.host.listensForPeers)
        run(simulation, peers, for: .seconds(1))
        #expect(simulation.host.resolving.resolved.isEmpty)
        simulation.air.simulateInRange(peers[0].id)
        #expect(run(simulation, peers, for: .seconds(30)) { simulation.connections == 1 })
        expectNoViolations(simulation)
    }

    @Test func `an identity that nobody told the controller is an address like any other`() throws {
        let (simulation, peers) = try make(Self.controllers[0])
        simulation.host.setScan(
            ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: simulation.now)
        run(simulation, peers, for: .seconds(1))
        var report: [UInt8] = [4, 0x3E, 12, 2, 1, 0, 3]
        report.append(u48: Sample.identity(7).value)
        simulation.give(report + [0, 0xC4])
        connect(7, simulation)
        run(simulation, peers, for: .seconds(5))
        #expect(Set(simulation.advertisements.map(\.address)) == [Sample.identity(7)])
        #expect(simulation.connections == 0 && simulation.host.bonds.count == 1)
    }

    // MARK: Changes

    @Test(arguments: controllers.indices)
    func `a bond that is made while everything is on gets into the list, and all goes on`(index: Int) throws {
        let (simulation, peers) = try make(Self.controllers[index], peers: [1, 2])
        simulation.host.removeBond(with: Sample.identity(2))
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        simulation.host.setAdvertising(AdvertisingDemand(data: [2, 1, 6]), for: Simulation.client, at: simulation.now)
        connect(1, simulation)
        run(simulation, peers, for: .seconds(5))
        #expect(simulation.host.resolving.resolved == [Sample.identity(1)])
        #expect(try simulation.host.store(bond(2)) == true)
        connect(2, simulation)
        run(simulation, peers, for: .seconds(1))
        #expect(simulation.host.resolving.resolved == [Sample.identity(1), Sample.identity(2)])
        run(simulation, peers, for: .seconds(30)) { simulation.host.advertising.isActive }
        #expect(simulation.host.advertising.isActive)
        for peer in peers { simulation.air.simulateInRange(peer.id) }
        #expect(run(simulation, peers, for: .seconds(30)) { simulation.connections == 2 })
        simulation.host.removeBond(with: Sample.identity(1))
        run(simulation, peers, for: .seconds(5))
        #expect(simulation.host.resolving.resolved == [Sample.identity(2)])
        expectNoViolations(simulation)
    }

    @Test func `after a reset of the controller the list is filled again`() throws {
        let (simulation, peers) = try make(Self.controllers[1])
        run(simulation, peers, for: .seconds(1))
        #expect(simulation.host.resolving.resolved.isEmpty == false)
        simulation.host.start(at: simulation.now)
        #expect(run(simulation, peers, for: .seconds(5)) { simulation.host.state == .ready })
        connect(1, simulation)
        run(simulation, peers, for: .seconds(1))
        #expect(simulation.host.resolving.resolved == [Sample.identity(1)])
        simulation.air.simulateInRange(peers[0].id)
        #expect(run(simulation, peers, for: .seconds(10)) { simulation.connections == 1 })
        expectNoViolations(simulation)
    }

    @Test(arguments: controllers.indices)
    func `with private addresses of our own the controller makes those towards peers in its list`(index: Int) throws {
        let (simulation, peers) = try make(Self.controllers[index])
        simulation.host.setPrivacy(.resolvable, identityKey: Sample.key(3), at: simulation.now)
        simulation.host.provide(randomness: (1...64).map { UInt8($0) }, at: simulation.now)
        simulation.air.simulateInRange(peers[0].id)
        connect(1, simulation)
        #expect(run(simulation, peers, for: .seconds(10)) { simulation.connections == 1 })
        let link = try #require(simulation.host.links.values.first { _ in true })
        #expect(link.addresses.local == peers[0].centralAddress)
        #expect(link.addresses.local.isResolved(by: Sample.key(3)))
        #expect(link.addresses.local != simulation.host.privacy.address)
        expectNoViolations(simulation)
    }

    // MARK: Impostors

    @Test(arguments: [UInt8(0), 4])
    func `whoever repeats a bonded peer's private address is connected to, and not believed`(size: UInt8) throws {
        var settings = Self.controllers[0]
        settings.resolvingListSize = size
        let (simulation, peers) = try make(settings)
        peers[0].key = { _, _ in nil }
        simulation.air.simulateInRange(peers[0].id)
        connect(1, simulation)
        #expect(run(simulation, peers, for: .seconds(30)) { simulation.connections == 1 })
        #expect(run(simulation, peers, for: .seconds(10)) { !simulation.disconnections.isEmpty })
        #expect(simulation.disconnections == [.pinOrKeyMissing])
        #expect(simulation.host.bond(for: Sample.identity(1)) == (try bond(1)), "the bond is kept")
        #expect(peers[0].received.isEmpty, "nothing was said to it")
    }

    @Test(arguments: [UInt8(0), 4])
    func `whoever connects with a bonded peer's private address does not get its link`(size: UInt8) throws {
        let duet = Duet(ControllerSettings(resolvingListSize: size), ControllerSettings())
        let key = Sample.key(0x21)
        let identity = Sample.identity(9)
        duet.a.host.provide(
            bonds: [
                try #require(
                    Bond(identity: identity, keys: .secureConnections(Sample.key(1)), identityKey: key))
            ])
        // This generator makes the peer's former address again: a replay.
        duet.players[1].host.setPrivacy(.resolvable, identityKey: key, at: duet.now)
        duet.players[1].host.provide(randomness: (1...64).map { UInt8($0) }, at: duet.now)
        duet.advertise()
        duet.players[0].host.connect(identity, for: Duet.client, at: duet.now)
        duet.connect()
        #expect(duet.run(for: .seconds(10)) { duet.centralLink != nil })
        duet.run(for: .seconds(10))
        let link = try #require(duet.centralLink)
        #expect(duet.a.host.security(of: link)?.isEncrypted == false)
        #expect(duet.count(0) { if case .connected = $0 { true } else { false } } == 0, "the client goes on waiting")
        #expect(duet.violations == [])
    }
}
