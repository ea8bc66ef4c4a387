// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

@Suite struct FaultTests {
    @Test func aSensorOutOfRangeIsLostAfterTheSupervisionTimeoutAndFoundAgain() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor())
        host.setUp()
        _ = try host.connect(to: sensor().address)
        let before = air.now
        air.simulateOutOfRange(id)
        #expect(try host.event(.disconnectionComplete).last == 0x08)
        #expect(air.now - before == .seconds(2))
        host.command(.leSetScanEnable, [1, 0])
        let count = host.packets.count
        host.run(.seconds(3))
        #expect(host.packets.count == count)
        air.simulateInRange(id)
        _ = try host.event(.advertisingReport)
    }

    @Test func aShortAbsenceOnlyDelays() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor())
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        air.simulateOutOfRange(id)
        host.sendATT(handle, [0x02] + u16(100))
        host.run(.milliseconds(1900))
        air.simulateInRange(id)
        #expect(try host.nextATT(handle) == [0x03] + u16(247))
        host.run(.seconds(10))
        #expect(!host.packets.contains { $0[1] == 0x05 })
    }

    @Test func aDisconnectOutOfRangeIsTheHostsOwn() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor())
        host.setUp()
        let handle = try host.connect(to: sensor().address)
        air.simulateOutOfRange(id)
        host.command(.leReadRemoteFeatures, u16(handle))
        host.command(.disconnect, u16(handle) + [0x13])
        #expect(try host.event(.readRemoteFeaturesComplete).first == 0x16)
        #expect(try host.event(.disconnectionComplete).last == 0x16)
    }

    @Test func aSimulatedDisconnectionIsSeenByBothSides() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor())
        host.setUp()
        _ = try host.connect(to: sensor().address)
        #expect(air.sensorStates()[0].isConnected)
        air.simulateDisconnection(of: id)
        #expect(try host.event(.disconnectionComplete).last == 0x08)
        #expect(!air.sensorStates()[0].isConnected)
    }

    @Test func aResetOrVanishedHostIsNoticedByThePeer() throws {
        for vanish in [
            { (pair: Pair) in _ = pair.central.command(.reset) }, { $0.air.detach($0.central.id) },
            { $0.air.simulateSilence($0.central.id) },
        ] as [(Pair) -> Void] {
            let pair = try Pair()
            vanish(pair)
            let before = pair.air.now
            #expect(try pair.peripheral.event(.disconnectionComplete).last == 0x08)
            #expect(pair.air.now - before == .seconds(2))
            pair.central.run(.zero)
            #expect(!pair.central.packets.contains { $0[1] == 0x05 })
        }
    }

    @Test func aRemovedSensorIsGone() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        let id = air.addSensor(sensor())
        host.setUp()
        _ = try host.connect(to: sensor().address)
        air.detach(id)
        #expect(air.sensorStates().isEmpty)
        #expect(air.ledger(of: id) == nil)
        #expect(try host.event(.disconnectionComplete).last == 0x08)
    }

    @Test func aConnectRequestThatIsNotHeardFailsWith3E() throws {
        let air = VirtualAir(seed: 5, settings: AirSettings(packetLoss: 0.5))
        let host = ScriptedHost(air)
        _ = air.addSensor(sensor())
        host.setUp()
        var failures = 0
        var successes = 0
        while failures == 0 || successes == 0 {
            let handle = try host.connect(to: sensor().address)
            host.run(.seconds(1))
            let reasons = host.packets.filter { $0[1] == 0x05 && Array($0[4...5]) == u16(handle) }.map { $0[6] }
            if reasons == [0x3E] { failures += 1 } else { successes += 1 }
            if reasons.isEmpty {
                air.simulateDisconnection(of: host.id)
                host.run(.seconds(1))
            }
            try #require(failures + successes < 50)
        }
    }

    @Test func aSilentControllerAnswersNothing() {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        air.simulateSilence(host.id)
        #expect(host.command(.reset).isEmpty)
        air.simulateInRange(host.id)
        #expect(host.command(.reset).isEmpty, "only a new controller helps")
    }

    @Test func aHardwareErrorAndGarbageReachTheHost() {
        let air = VirtualAir(seed: 1)
        let id = air.attachController(address: ScriptedHost.address)
        air.simulateHardwareError(id, code: 7)
        air.simulateGarbage([0xFF, 0xFE], to: id)
        #expect(air.takeOutput(of: id) == [4, 0x10, 1, 7, 0xFF, 0xFE])
    }
}
