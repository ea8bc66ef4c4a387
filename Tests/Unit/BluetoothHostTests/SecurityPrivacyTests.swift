// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import HCI
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Peers behind private addresses, and our own, in virtual time.
struct SecurityPrivacyTests {
    static let controllers = [
        ControllerSettings(), ControllerSettings(extendedAdvertising: true),
        ControllerSettings(scansWhileInitiating: false),
    ]
    private static let identityKey = Sample.key(0x11)

    private func address(_ random: UInt32) -> DeviceAddress { .resolvable(Self.identityKey, random: random) }

    private func make(_ index: Int = 0, isBonded: Bool = true) throws -> (simulation: Simulation, peer: SecurityPeer) {
        let simulation = Simulation(controller: Self.controllers[index])
        if isBonded {
            simulation.host.provide(bonds: [try #require(Sample.bond(1, identityKey: Self.identityKey))])
        }
        let peer = SecurityPeer(simulation.air, number: 1, at: simulation.now)
        peer.key = { _, _ in Sample.key(0xAB) }
        return (simulation, peer)
    }

    @discardableResult
    private func run(
        _ simulation: Simulation, _ peer: SecurityPeer, for limit: Duration, until condition: () -> Bool = { false }
    ) -> Bool {
        simulation.run(for: limit) {
            peer.turn(at: simulation.now)
            return condition()
        }
    }

    @Test func `a bonded peer is told of once, under its identity, whatever address it has`() throws {
        let (simulation, peer) = try make()
        peer.advertise(as: address(1), at: simulation.now)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        run(simulation, peer, for: .seconds(3))
        peer.advertise(as: address(2), at: simulation.now)
        run(simulation, peer, for: .seconds(3))
        #expect(Set(simulation.advertisements.map(\.address)) == [Sample.identity(1)])
        #expect(simulation.advertisements.count <= 2, "once without and once with its scan response")
        #expect(simulation.host.bonds.currentAddress(of: Sample.identity(1)) == address(2))
    }

    @Test func `a stranger is told of under the address that it has`() throws {
        let (simulation, peer) = try make(isBonded: false)
        peer.advertise(as: address(1), at: simulation.now)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        run(simulation, peer, for: .seconds(3))
        #expect(Set(simulation.advertisements.map(\.address)) == [address(1)])
    }

    @Test(arguments: controllers.indices)
    func `a bonded peer is connected to by its identity while it uses private addresses`(index: Int) throws {
        let (simulation, peer) = try make(index)
        peer.advertise(as: address(1), at: simulation.now)
        simulation.host.connect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        #expect(run(simulation, peer, for: .seconds(30)) { simulation.connections == 1 })
        let peers = simulation.events.compactMap { event in
            if case .connected(_, let peer, _) = event { peer } else { nil }
        }
        #expect(peers == [Sample.identity(1)])
        let link = try #require(simulation.lastLink)
        #expect(run(simulation, peer, for: .seconds(5)) { simulation.host.security(of: link)?.isEncrypted == true })
        #expect(simulation.host.connected.keys.contains(Sample.identity(1)))
        simulation.host.disconnect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        #expect(run(simulation, peer, for: .seconds(5)) { !simulation.disconnections.isEmpty })
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test(arguments: controllers.indices)
    func `a bonded peer that comes under a new address is found again`(index: Int) throws {
        let (simulation, peer) = try make(index)
        peer.advertise(as: address(1), at: simulation.now)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        run(simulation, peer, for: .seconds(5)) { !simulation.advertisements.isEmpty }
        simulation.host.setScan(nil, for: Simulation.client, at: simulation.now)
        simulation.air.simulateOutOfRange(peer.id)
        simulation.host.connect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        run(simulation, peer, for: .seconds(60))
        #expect(simulation.connections == 0)
        peer.advertise(as: address(2), at: simulation.now)
        simulation.air.simulateInRange(peer.id)
        #expect(run(simulation, peer, for: .seconds(30)) { simulation.connections == 1 })
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `a bonded peer that uses its identity address is connected to as well`() throws {
        let (simulation, peer) = try make()
        simulation.host.connect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        #expect(run(simulation, peer, for: .seconds(30)) { simulation.connections == 1 })
    }

    @Test func `a wish that is taken back leaves no address behind`() throws {
        let (simulation, peer) = try make()
        peer.advertise(as: address(1), at: simulation.now)
        simulation.air.simulateOutOfRange(peer.id)
        simulation.host.connect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        run(simulation, peer, for: .seconds(5))
        simulation.host.disconnect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        simulation.air.simulateInRange(peer.id)
        run(simulation, peer, for: .seconds(30))
        #expect(simulation.connections == 0 && !simulation.host.initiator.wantsRadio)
    }

    // MARK: Our own

    @Test(arguments: controllers.indices)
    func `our address changes every 15 minutes while we scan and initiate, without a step that is forbidden`(
        index: Int
    ) throws {
        let (simulation, peer) = try make(index, isBonded: false)
        simulation.air.simulateOutOfRange(peer.id)
        let start = simulation.now
        simulation.host.setPrivacy(.resolvable, identityKey: Sample.key(3), at: start)
        #expect(simulation.host.wantsRandomness)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: start)
        simulation.host.connect(Sample.identity(1), for: Simulation.client, at: start)
        simulation.host.provide(randomness: (1...64).map { UInt8($0) }, at: start)
        var seen: [DeviceAddress] = []
        run(simulation, peer, for: .seconds(3650)) {
            if let address = simulation.host.privacy.address, address != seen.last { seen.append(address) }
            return false
        }
        #expect(seen.count == 5 && Set(seen).count == 5)
        #expect(seen.allSatisfy { $0.isResolved(by: Sample.key(3)) })
        simulation.air.simulateInRange(peer.id)
        #expect(run(simulation, peer, for: .seconds(30)) { simulation.connections == 1 })
        #expect(peer.centralAddress == seen.last)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `without randomness nothing is said under the identity address`() throws {
        let (simulation, peer) = try make(isBonded: false)
        simulation.host.setPrivacy(.nonResolvable, identityKey: Sample.key(3), at: simulation.now)
        simulation.host.connect(Sample.identity(1), for: Simulation.client, at: simulation.now)
        run(simulation, peer, for: .seconds(10))
        #expect(simulation.connections == 0)
        simulation.host.provide(randomness: (1...8).map { UInt8($0) }, at: simulation.now)
        #expect(run(simulation, peer, for: .seconds(10)) { simulation.connections == 1 })
        #expect(peer.centralAddress?.isNonResolvablePrivate == true)
    }

    @Test func `a new start of the controller gets a new address`() throws {
        let (simulation, peer) = try make(isBonded: false)
        simulation.host.setPrivacy(.resolvable, identityKey: Sample.key(3), at: simulation.now)
        simulation.host.provide(randomness: (1...64).map { UInt8($0) }, at: simulation.now)
        let first = simulation.host.privacy.address
        simulation.host.start(at: simulation.now)
        #expect(run(simulation, peer, for: .seconds(5)) { simulation.host.state == .ready })
        #expect(simulation.host.privacy.address != nil && simulation.host.privacy.address != first)
    }
}
