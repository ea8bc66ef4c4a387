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

struct HostScenarioTests {
    static let controllers = [
        ControllerSettings(), ControllerSettings(extendedAdvertising: true),
        ControllerSettings(aclDataLength: 27, aclDataCount: 2, acceptListSize: 2),
    ]

    @Test(arguments: controllers.indices)
    func `a controller is set up without a step that it forbids`(index: Int) {
        let simulation = Simulation(controller: Self.controllers[index])
        #expect(simulation.host.state == .ready)
        #expect(simulation.host.controller.address == Simulation.hostAddress)
        #expect(simulation.host.controller.usesExtendedCommands == Self.controllers[index].extendedAdvertising)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test(arguments: controllers.indices)
    func `a scan tells of each device once, with its scan response`(index: Int) {
        let simulation = Simulation(controller: Self.controllers[index])
        for number in 1...5 as ClosedRange<UInt64> { _ = simulation.addSensor(number) }
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5))
        let named = simulation.advertisements.filter { advertisement in
            AdvertisingData(advertisement.data).contains { $0.type == .completeLocalName }
        }
        #expect(Set(named.map(\.address)) == Set((1...5).map(Simulation.sensor)))
        #expect(named.count == 5)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `a scan for a service leaves the others out, and duplicates are told when asked for`() {
        let simulation = Simulation()
        _ = simulation.addSensor(1, .heartRate)
        _ = simulation.addSensor(2, .environment)
        let demand = ScanDemand(services: [BluetoothUUID(UInt16(0x180D))], allowsDuplicates: true)
        simulation.host.setScan(demand, for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5))
        #expect(Set(simulation.advertisements.map(\.address)) == [Simulation.sensor(1)])
        #expect(simulation.advertisements.count > 5)
    }

    @Test(arguments: controllers.indices)
    func `all pending peers are connected to, also more than the list holds`(index: Int) {
        let simulation = Simulation(controller: Self.controllers[index])
        for number in 1...20 as ClosedRange<UInt64> {
            _ = simulation.addSensor(number)
            simulation.host.connect(Simulation.sensor(number), for: Simulation.client, at: simulation.now)
        }
        #expect(simulation.run(for: .seconds(300)) { simulation.connections == 20 })
        #expect(simulation.disconnections.isEmpty)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `an absent peer keeps nobody waiting, and is connected to when it comes`() {
        let simulation = Simulation()
        let absent = simulation.addSensor(1)
        _ = simulation.addSensor(2)
        simulation.air.simulateOutOfRange(absent)
        for number in 1...2 as ClosedRange<UInt64> {
            simulation.host.connect(Simulation.sensor(number), for: Simulation.client, at: simulation.now)
        }
        #expect(simulation.run(for: .seconds(10)) { simulation.connections == 1 })
        simulation.run(for: .seconds(3600))
        #expect(simulation.connections == 1)
        simulation.air.simulateInRange(absent)
        #expect(simulation.run(for: .seconds(30)) { simulation.connections == 2 })
    }

    @Test func `a peer that was heard just now is connected to directly`() {
        let simulation = Simulation()
        _ = simulation.addSensor(1)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5)) { !simulation.advertisements.isEmpty }
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(2)) { simulation.connections == 1 })
    }

    @Test func `a controller that cannot scan and initiate at once does them in turns`() {
        let simulation = Simulation(controller: ControllerSettings(scansWhileInitiating: false))
        #expect(!simulation.host.controller.scansWhileInitiating)
        let absent = simulation.addSensor(1)
        simulation.air.simulateOutOfRange(absent)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(20))
        _ = simulation.addSensor(2)
        #expect(simulation.run(for: .seconds(20)) { !simulation.advertisements.isEmpty })
        simulation.air.simulateInRange(absent)
        #expect(simulation.run(for: .seconds(20)) { simulation.connections == 1 })
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `a connection that is not wanted any more is given up`() {
        let simulation = Simulation()
        let sensor = simulation.addSensor(1)
        simulation.air.simulateOutOfRange(sensor)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5))
        simulation.host.disconnect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.air.simulateInRange(sensor)
        simulation.run(for: .seconds(60))
        #expect(simulation.connections == 0)
        #expect(simulation.disconnections == [.localHostTerminated])
        #expect(!simulation.host.hasLinks)
    }

    @Test func `the failures of a wish end with it`() {
        let simulation = Simulation()
        let failed = { simulation.count { if case .connectionFailed = $0 { true } else { false } } }
        func fail(times: Int) {
            for _ in 0..<times {
                // LE Connection Complete: the connection failed to be established.
                simulation.give([4, 0x3E, 19, 1, 0x3E, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0xC0, 0x18, 0, 0, 0, 0xF4, 1, 0])
                simulation.run(for: .milliseconds(100))
            }
        }
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        fail(times: 8)
        simulation.host.disconnect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        fail(times: 8)
        #expect(failed() == 0)
        fail(times: 1)
        #expect(failed() == 1)
    }

    @Test func `a host without a controller has no deadline`() throws {
        let simulation = Simulation()
        let key = try #require(SecretKey([UInt8](repeating: 7, count: 16)))
        simulation.host.setPrivacy(.nonResolvable, identityKey: key, at: simulation.now)
        simulation.host.provide(randomness: [UInt8](repeating: 0x5A, count: 64), at: simulation.now)
        simulation.host.setScan(
            ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5))
        #expect(simulation.host.deadline != nil)
        simulation.host.fail("the transport is gone", state: .unreachable)
        #expect(simulation.host.deadline == nil)
    }

    @Test func `a lost link is told with its reason, and its requests fail`() {
        let simulation = Simulation()
        let sensor = simulation.addSensor(1)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(10)) { simulation.connections == 1 }
        simulation.air.simulateOutOfRange(sensor)
        let link = simulation.lastLink ?? LinkID(rawValue: 0)
        let id = GATTRequestID(client: Simulation.client, number: 7)
        simulation.host.request(.read(handle: 3), id: id, on: link, at: simulation.now)
        #expect(simulation.run(for: .seconds(20)) { !simulation.disconnections.isEmpty })
        #expect(simulation.disconnections == [.connectionTimeout])
        let failures = simulation.count {
            if case .completed(id, .failure(.notSent)) = $0 { true } else { false }
        }
        #expect(failures == 1)
    }

    @Test(arguments: [0.0, 0.1])
    func `values of twenty sensors come complete and in order, whatever the air does`(loss: Double) throws {
        let simulation = Simulation(seed: 7, air: AirSettings(latency: .milliseconds(2), packetLoss: loss))
        let sensors = (1...20 as ClosedRange<UInt64>).map { simulation.addSensor($0, rate: 20) }
        var subscribed: Set<LinkID> = []
        for number in 1...20 as ClosedRange<UInt64> {
            simulation.host.connect(Simulation.sensor(number), for: Simulation.client, at: simulation.now)
        }
        // Handles of the counter service are found as an application would.
        simulation.run(for: .seconds(120)) {
            for case .connected(let link, _, _) in simulation.events where subscribed.insert(link).inserted {
                let handles = ATTPDU.HandleRange(start: 1, end: 0xFFFF)
                simulation.host.request(
                    .discoverCharacteristics(handles, [CounterService.value]),
                    id: GATTRequestID(client: Simulation.client, number: UInt64(link.rawValue)), on: link,
                    at: simulation.now)
            }
            return subscribed.count >= 20
        }
        simulation.run(for: .seconds(10))
        for case .completed(let id, .success(.characteristics(let found))) in simulation.events {
            let value = try #require(found.first)
            simulation.host.request(
                .configure(valueHandle: value.valueHandle, endHandle: value.endHandle, .notification),
                id: GATTRequestID(client: Simulation.client, number: 1000 + id.rawValue),
                on: LinkID(rawValue: UInt32(id.rawValue)), at: simulation.now)
        }
        simulation.run(for: .seconds(60))
        #expect(simulation.values.count > 15_000)
        var byLink: [LinkID: [UInt32]] = [:]
        for value in simulation.values {
            byLink[value.link, default: []].append(value.octets.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        for sequences in byLink.values where loss == 0 {
            #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 + 1 })
        }
        let delivered = sensors.reduce(0) { $0 + (simulation.air.ledger(of: $1)?.delivered ?? 0) }
        #expect(simulation.values.count == delivered)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `a hardware error drops the links, and a new start makes the host ready again`() {
        let simulation = Simulation()
        _ = simulation.addSensor(1)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(10)) { simulation.connections == 1 }
        simulation.air.simulateHardwareError(simulation.controller)
        simulation.run(for: .seconds(1)) { simulation.host.state == .resetting }
        #expect(simulation.host.state == .resetting && !simulation.host.isStarting && !simulation.host.hasLinks)
        #expect(simulation.disconnections == [.hardwareFailure])
        simulation.host.start(at: simulation.now)
        #expect(simulation.run(for: .seconds(5)) { simulation.host.state == .ready })
    }

    @Test func `a controller that does not answer is noticed after two seconds`() {
        let simulation = Simulation()
        simulation.air.simulateSilence(simulation.controller)
        simulation.host.setScan(ScanDemand(services: nil), for: Simulation.client, at: simulation.now)
        let before = simulation.now
        #expect(simulation.run(for: .seconds(10)) { simulation.host.counters.commandTimeouts == 1 })
        #expect(simulation.now - before == .seconds(2))
        #expect(simulation.host.state == .resetting)
    }

    @Test func `the same seed gives the same run`() {
        func run() -> [[UInt8]] {
            let simulation = Simulation(seed: 3, air: AirSettings(packetLoss: 0.2))
            for number in 1...4 as ClosedRange<UInt64> { _ = simulation.addSensor(number) }
            simulation.host.setScan(
                ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: simulation.now)
            simulation.run(for: .seconds(20))
            return simulation.advertisements.map(\.data)
        }
        #expect(run() == run())
    }

    @Test func `two clients share a link, which ends with the last of them`() {
        let simulation = Simulation()
        _ = simulation.addSensor(1)
        let other = ClientID(rawValue: 1)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(10)) { simulation.connections == 1 }
        simulation.host.connect(Simulation.sensor(1), for: other, at: simulation.now)
        simulation.run(for: .seconds(1))
        #expect(simulation.connections == 2)
        simulation.host.disconnect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(5))
        #expect(simulation.host.hasLinks && simulation.disconnections == [.localHostTerminated])
        simulation.host.removeClient(other, at: simulation.now)
        simulation.run(for: .seconds(5))
        #expect(!simulation.host.hasLinks)
    }
}
