// SPDX-License-Identifier: Apache-2.0

import SMP
import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing
import VirtualRadio

@testable import HostBench

struct AdvertisingTests {
    static let controllers = [ControllerSettings(), ControllerSettings(extendedAdvertising: true)]
    static let both = 0..<2

    private func started(_ duet: Duet) -> Int {
        duet.count(0) { if case .advertisingStarted = $0 { true } else { false } }
    }

    private func ended(_ duet: Duet) -> Int {
        duet.count(0) { if case .advertisingEnded = $0 { true } else { false } }
    }

    private func failures(_ duet: Duet) -> [HCIStatus] {
        duet.a.events.compactMap { if case .advertisingFailed(_, let status) = $0 { status } else { nil } }
    }

    private func centrals(_ duet: Duet) -> Int {
        duet.count(0) { if case .linkUp(_, _, .peripheral) = $0 { true } else { false } }
    }

    @Test(arguments: both, both)
    func `what is advertised is heard, with its scan response`(a: Int, b: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[b])
        duet.advertise(AdvertisingDemand(data: Duet.data, scanResponse: [3, 0x03, 0x0D, 0x18]))
        duet.scan()
        duet.run(for: .seconds(5))
        #expect(started(duet) == 1)
        let heard = duet.b.advertisements
        #expect(heard.count > 10)
        #expect(heard.allSatisfy { $0.advertisement.address == duet.a.address && $0.advertisement.isConnectable })
        #expect(heard.contains { $0.data == Duet.data + [3, 0x03, 0x0D, 0x18] })
        #expect(duet.violations == [])
    }

    @Test(arguments: both)
    func `advertising that is not wanted any more stops`(a: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        duet.advertise()
        duet.scan()
        duet.run(for: .seconds(2))
        duet.players[0].host.setAdvertising(nil, for: Duet.client, at: duet.now)
        duet.run(for: .seconds(1))
        duet.forget()
        duet.run(for: .seconds(10))
        #expect(duet.b.advertisements.isEmpty)
        #expect(duet.violations == [])
    }

    @Test(arguments: both)
    func `new data is sent without a pause`(a: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        duet.advertise()
        duet.scan()
        duet.run(for: .seconds(2))
        let before = duet.commands(a == 0 ? .leSetAdvertisingEnable : .leSetExtendedAdvertisingEnable, of: 0).count
        duet.advertise(AdvertisingDemand(data: [2, 0x01, 0x06]))
        duet.run(for: .seconds(1))
        duet.forget()
        duet.run(for: .seconds(2))
        #expect(duet.b.advertisements.allSatisfy { $0.data == [2, 0x01, 0x06] } && !duet.b.advertisements.isEmpty)
        let after = duet.commands(a == 0 ? .leSetAdvertisingEnable : .leSetExtendedAdvertisingEnable, of: 0).count
        #expect(before == 1 && after == 0)
    }

    @Test(arguments: both)
    func `it is quick for half a minute and slower afterwards`(a: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        duet.advertise()
        duet.scan()
        duet.run(for: .seconds(20))
        let quick = duet.b.advertisements.count
        duet.run(for: .seconds(11))
        duet.forget()
        duet.run(for: .seconds(20))
        #expect(quick > 3 * duet.b.advertisements.count && duet.b.advertisements.count > 40)
    }

    @Test(arguments: both, both)
    func `a central that connects is told to everybody, and another one can come`(a: Int, b: Int) throws {
        let duet = Duet(Self.controllers[a], Self.controllers[b], Self.controllers[0])
        _ = try duet.connected()
        #expect(duet.a.host.counters.centralConnections == 1)
        duet.connect(by: 2)
        #expect(duet.run(for: .seconds(10)) { centrals(duet) == 2 })
        #expect(started(duet) == 1)
        #expect(duet.violations == [])
    }

    @Test(arguments: both)
    func `ATT goes both ways`(a: Int) throws {
        let duet = Duet(Self.controllers[a], Self.controllers[a])
        let links = try duet.connected()
        duet.run(for: .seconds(1))
        // Handle 3 is the Device Name of either host.
        func answers(_ player: Int) -> Int {
            duet.count(player) {
                if case .completed(_, .success(.value(Array("Martlet".utf8)))) = $0 { true } else { false }
            }
        }
        duet.players[1].host.request(
            .read(handle: 3), id: GATTRequestID(client: Duet.client, number: 1), on: links.b, at: duet.now)
        #expect(duet.run(for: .seconds(2)) { answers(1) == 1 })
        // A client of the Peripheral's side shares the link.
        duet.players[0].host.connect(duet.b.address, for: Duet.client, at: duet.now)
        #expect(duet.link(of: 0) == nil)
        duet.run(for: .seconds(1))
        #expect(duet.link(of: 0) == links.a)
        duet.players[0].host.request(
            .read(handle: 3), id: GATTRequestID(client: Duet.client, number: 2), on: links.a, at: duet.now)
        #expect(duet.run(for: .seconds(2)) { answers(0) == 1 })
        // The client lets go, and the link stays: it is the Central's link.
        duet.players[0].host.disconnect(duet.b.address, for: Duet.client, at: duet.now)
        duet.run(for: .seconds(2))
        #expect(duet.a.host.hasLinks)
        #expect(duet.violations == [])
    }

    @Test(arguments: both)
    func `a client that looks for a peer gets the link that the peer makes`(a: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        duet.players[0].host.connect(duet.b.address, for: Duet.client, at: duet.now)
        duet.advertise()
        duet.run(for: .seconds(2))
        duet.connect()
        #expect(duet.run(for: .seconds(10)) { centrals(duet) == 1 })
        #expect(duet.link(of: 0) == duet.centralLink)
        #expect(duet.a.host.connected.keys.contains(duet.b.address))
        #expect(duet.violations == [])
    }

    @Test(arguments: both)
    func `the end of a central's link is told with its reason, from either side`(a: Int) throws {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        func ends() -> [HCIStatus] {
            duet.a.events.compactMap { if case .linkDown(_, let reason) = $0 { reason } else { nil } }
        }
        let links = try duet.connected()
        duet.players[0].host.endLink(links.a, at: duet.now)
        #expect(duet.run(for: .seconds(5)) { ends() == [.localHostTerminated] })
        duet.run(for: .seconds(1))
        duet.connect()
        #expect(duet.run(for: .seconds(5)) { centrals(duet) == 2 })
        duet.run(for: .seconds(1))
        duet.players[1].host.disconnect(duet.a.address, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(5)) { ends() == [.localHostTerminated, .remoteUserTerminated] })
    }

    @Test(arguments: both)
    func `a duration ends it`(a: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        duet.advertise(AdvertisingDemand(data: Duet.data, duration: .seconds(180)))
        duet.run(for: .seconds(179))
        #expect(ended(duet) == 0)
        duet.scan()
        duet.run(for: .seconds(2))
        #expect(ended(duet) == 1)
        duet.forget()
        duet.run(for: .seconds(10))
        #expect(duet.b.advertisements.isEmpty)
    }

    @Test(arguments: both)
    func `a controller that is reset advertises nothing until it is asked again`(a: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        duet.advertise()
        duet.run(for: .seconds(1))
        duet.air.simulateHardwareError(duet.a.controller)
        #expect(duet.run(for: .seconds(5)) { ended(duet) == 1 && duet.a.host.state == .ready })
        duet.scan()
        duet.run(for: .seconds(5))
        #expect(duet.b.advertisements.isEmpty)
        duet.advertise()
        #expect(duet.run(for: .seconds(5)) { !duet.b.advertisements.isEmpty })
        #expect(duet.violations == [])
    }

    @Test(arguments: both)
    func `several clients are all heard, with one advertiser or with one each`(a: Int) {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        for number in 0..<3 as Range<UInt8> {
            duet.advertise(AdvertisingDemand(data: [2, 0xFF, number]), for: ClientID(rawValue: number))
        }
        duet.scan()
        duet.run(for: .seconds(60))
        #expect(started(duet) == 3)
        let counts = (0..<3 as Range<UInt8>).map { number in
            duet.b.advertisements.count { $0.data == [2, 0xFF, number] }
        }
        #expect(counts.allSatisfy { $0 * 5 > duet.b.advertisements.count })
        #expect(duet.violations == [])
    }

    @Test(arguments: both)
    func `advertising that is refused and given up leaves nothing due`(a: Int) {
        let states: UInt64 = 0x03FF_FFFF_FFFF
        let settings = ControllerSettings(
            extendedAdvertising: a == 1, advertisingSets: 0, states: states & ~(1 << 35), claimedStates: states)
        let duet = Duet(settings, ControllerSettings())
        _ = duet.air.addSensor(
            VirtualSensor.Configuration(address: Simulation.sensor(1), name: "S", kind: .counter, rate: 1))
        duet.players[0].host.connect(Simulation.sensor(1), for: Duet.client, at: duet.now)
        duet.run(for: .seconds(10))
        duet.advertise(AdvertisingDemand(data: [], kind: .directed(duet.b.address, isHighDuty: false)))
        duet.advertise(for: Duet.other)
        duet.run(for: .milliseconds(100))
        for client in [Duet.client, Duet.other] {
            duet.players[0].host.setAdvertising(nil, for: client, at: duet.now)
        }
        // Records an issue when time stands still.
        duet.run(for: .seconds(30))
        duet.advertise()
        duet.run(for: .seconds(30))
        #expect(failures(duet).allSatisfy { $0 == .memoryCapacityExceeded })
    }

    @Test func `more data than a legacy advertisement holds needs extended advertising`() {
        let long: [UInt8] = [UInt8](repeating: 0xAB, count: 200)
        let data = [UInt8(201), 0xFF] + long + [201, 0xFF] + long
        let old = Duet(Self.controllers[0], Self.controllers[1])
        old.advertise(AdvertisingDemand(data: data))
        old.run(for: .seconds(1))
        #expect(failures(old) == [.memoryCapacityExceeded])
        let new = Duet(Self.controllers[1], Self.controllers[1])
        for kind in [AdvertisingKind.connectable, .scannable, .nonConnectable] {
            new.advertise(AdvertisingDemand(data: data, kind: kind))
            new.scan()
            new.forget()
            new.run(for: .seconds(5))
            #expect(new.b.advertisements.contains { $0.data == data })
            #expect(new.b.advertisements.last?.advertisement.isConnectable == (kind == .connectable))
        }
        #expect(failures(new) == [] && new.violations == [])
        // And back: the set is made anew.
        new.advertise()
        new.run(for: .seconds(2))
        new.forget()
        new.run(for: .seconds(2))
        #expect(new.b.advertisements.allSatisfy { $0.data == Duet.data } && !new.b.advertisements.isEmpty)
    }

    @Test(arguments: both)
    func `a private address is used as soon as there is one, and changes with it`(a: Int) throws {
        let duet = Duet(Self.controllers[a], Self.controllers[0])
        duet.advertise()
        // The host scans as well. A legacy controller changes its address only while nothing else is on.
        duet.scan(by: 0)
        duet.scan()
        duet.run(for: .seconds(2))
        #expect(Set(duet.b.advertisements.map(\.advertisement.address)) == [duet.a.address])
        duet.players[0].host.setPrivacy(
            .nonResolvable, identityKey: .zero, interval: .seconds(10), at: duet.now)
        duet.players[0].host.provide(randomness: (1...64).map { UInt8($0) }, at: duet.now)
        var seen: Set<DeviceAddress> = []
        for _ in 0..<2 {
            duet.run(for: .seconds(1))
            duet.forget()
            duet.run(for: .seconds(2))
            let address = try #require(duet.players[0].host.privacy.address)
            #expect(Set(duet.b.advertisements.map(\.advertisement.address)) == [address])
            seen.insert(address)
            duet.run(for: .seconds(9))
        }
        #expect(seen.count == 2)
        #expect(duet.violations == [])
    }

    @Test(arguments: both, [false, true])
    func `a directed advertisement is for one peer`(a: Int, isHighDuty: Bool) {
        let duet = Duet(Self.controllers[a], Self.controllers[0], Self.controllers[0])
        let demand = AdvertisingDemand(data: [], kind: .directed(duet.b.address, isHighDuty: isHighDuty))
        // An attempt of the host's own goes on, whatever happens to the advertisement.
        duet.players[0].host.connect(Simulation.sensor(1), for: Duet.client, at: duet.now)
        duet.connect(by: 2)
        duet.run(for: .seconds(1))
        duet.advertise(demand)
        duet.run(for: .seconds(3))
        #expect(centrals(duet) == 0 && ended(duet) == (isHighDuty ? 1 : 0))
        duet.connect()
        duet.run(for: .seconds(1))
        duet.advertise(demand)
        duet.run(for: .seconds(3))
        #expect(centrals(duet) == 1)
        _ = duet.air.addSensor(
            VirtualSensor.Configuration(address: Simulation.sensor(1), name: "S", kind: .counter, rate: 10))
        #expect(duet.run(for: .seconds(10)) { duet.link(of: 0) != nil })
        #expect(failures(duet) == [] && duet.violations == [])
    }
}
