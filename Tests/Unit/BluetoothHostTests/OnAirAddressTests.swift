// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// The addresses used for a link. The Security Managers of both sides have to agree on them.
struct OnAirAddressTests {
    static let controllers = [ControllerSettings(), ControllerSettings(extendedAdvertising: true)]

    private func addresses(_ duet: Duet, of player: Int) -> OnAirAddresses? {
        duet.players[player].host.links.values.first { _ in true }?.addresses
    }

    /// Both sides have these two addresses, each with the roles exchanged.
    private func expectAgreement(_ duet: Duet) throws -> OnAirAddresses {
        let peripheral = try #require(addresses(duet, of: 0))
        let central = try #require(addresses(duet, of: 1))
        #expect(peripheral == OnAirAddresses(local: central.peer, peer: central.local))
        return central
    }

    @Test(arguments: controllers.indices)
    func `without privacy these are the public addresses`(index: Int) throws {
        let duet = Duet(Self.controllers[index], Self.controllers[index])
        _ = try duet.connected()
        let central = try expectAgreement(duet)
        #expect(central == OnAirAddresses(local: duet.b.address, peer: duet.a.address))
    }

    @Test(arguments: controllers.indices)
    func `with privacy these are the private addresses`(index: Int) throws {
        let duet = Duet(Self.controllers[index], Self.controllers[index])
        let keys = [Sample.key(0x21), Sample.key(0x22)]
        for player in [0, 1] {
            duet.players[player].host.setPrivacy(.resolvable, identityKey: keys[player], at: duet.now)
            duet.players[player].host.provide(
                randomness: (1...64).map { UInt8($0) &* UInt8(player + 3) }, at: duet.now)
        }
        duet.advertise()
        duet.run(for: .seconds(2))
        let advertised = try #require(duet.a.host.privacy.address)
        duet.players[1].host.connect(advertised, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(10)) { duet.link(of: 1) != nil && duet.centralLink != nil })
        let central = try expectAgreement(duet)
        #expect(central.peer == advertised && central.local.isResolved(by: keys[1]))
        duet.run(for: .seconds(1000))
        #expect(addresses(duet, of: 1) == central, "a new address changes nothing for links that are there")
        #expect(duet.b.host.privacy.address != central.local)
        #expect(duet.violations == [])
    }

    @Test(arguments: controllers.indices)
    func `a host without a public address is on the air with its static random one`(index: Int) throws {
        let air = VirtualAir(seed: 1)
        let node = air.attachController(
            address: DeviceAddress(kind: .public, value: 0), settings: Self.controllers[index])
        let peer = SecurityPeer(air, number: 1, at: .zero)
        var host = HostMachine(randomAddress: Sample.identity(0xFF))
        var now = MonotonicTime.zero
        host.start(at: now)
        host.connect(Sample.identity(1), for: ClientID(rawValue: 0), at: now)
        for _ in 0..<4000 where !host.hasLinks {
            let down = host.takeOutbound()
            if !down.isEmpty { air.receive(down, from: node, at: now) }
            let up = air.takeOutput(of: node)
            AirBench.forEachPacket(of: up) { host.received($0.span.bytes, at: now) }
            peer.turn(at: now)
            if host.state == .ready { host.connect(Sample.identity(1), for: ClientID(rawValue: 0), at: now) }
            now = now + .milliseconds(5)
            air.advance(to: now)
            host.advance(to: now)
        }
        let addresses = try #require(host.links.values.first { _ in true }?.addresses)
        #expect(addresses == OnAirAddresses(local: Sample.identity(0xFF), peer: Sample.identity(1)))
        #expect(peer.centralAddress == Sample.identity(0xFF))
    }

    @Test func `what the controller says of private addresses counts`() throws {
        let simulation = Simulation(controller: ControllerSettings(extendedAdvertising: true))
        simulation.run(for: .seconds(1))
        let text = "04 3e 1f 0a 00 4000 01 03 0100000000c0 060504030240 665544332241 1800 0000 f401 00"
        simulation.give(try #require([UInt8](hexadecimal: text)))
        let link = try #require(simulation.host.links.values.first { _ in true })
        #expect(link.peer == Sample.identity(1))
        #expect(link.addresses.local == DeviceAddress(kind: .random, value: 0x40_02_03_04_05_06))
        #expect(link.addresses.peer == DeviceAddress(kind: .random, value: 0x41_22_33_44_55_66))
    }

    @Test func `a link has the address of the set that it came from`() throws {
        var host = HostMachine(randomAddress: Sample.identity(0xFF))
        host.life.finish(as: .ready)
        host.controller.features = .extendedAdvertising
        host.controller.commands = SupportedCommands(octets: [UInt8](repeating: 0xFF, count: 64))
        let advertisers = [UInt64(1), 2].map { number in
            let address = Sample.identity(number)
            let setup = AdvertisingSetup(
                AdvertisingDemand(data: []), kind: .connectable, intervals: .fast, address: address, setID: 0)
            var machine = AdvertiserMachine(isExtended: true)
            while let effect = machine.next(wanted: setup, isQuiet: true, at: .zero) {
                _ = machine.answered(.success, at: .zero)
                if case .enable = effect { break }
            }
            return machine
        }
        host.advertising = AdvertisingMachine(advertisers: advertisers)
        for (place, handle) in [(1, "40"), (0, "41")] {
            let connection = "01 01 0900000000c0 000000000000 000000000000 1800 0000 f401 00"
            for text in ["04 3e 1f 0a 00 \(handle)00 \(connection)", "04 3e 06 12 00 0\(place) \(handle)00 01"] {
                let octets = try #require([UInt8](hexadecimal: text))
                host.received(octets.span.bytes, at: .zero)
            }
        }
        #expect(host.links[0x40]?.addresses.local == Sample.identity(2))
        #expect(host.links[0x41]?.addresses.local == Sample.identity(1))
    }
}
