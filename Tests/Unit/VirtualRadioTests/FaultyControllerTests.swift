// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

/// The effect of each fault on a controller's packets.
@Suite struct FaultyControllerTests {
    private static func host(
        _ faults: Set<ControllerFault>, settings: ControllerSettings = .init(), sensors: UInt64 = 1
    ) -> ScriptedHost {
        let air = VirtualAir(seed: 1)
        var settings = settings
        settings.faults = faults
        let host = ScriptedHost(air, settings: settings)
        for number in 1...max(sensors, 1) where sensors > 0 { _ = air.addSensor(sensor(number: number)) }
        host.setUp()
        return host
    }

    private static let scan = [UInt8]([1, 0])

    @Test func `a scan that does not run cannot be stopped`() {
        let host = Self.host([.scanStopRefused])
        #expect(host.command(.leSetScanEnable, [0, 0]) == [0x0C])
        #expect(host.command(.leSetScanEnable, Self.scan) == [0])
        #expect(host.command(.leSetScanEnable, [0, 0]) == [0])
    }

    @Test(arguments: [
        (ControllerFault.unansweredScanEnable, HCIOpcode.leSetScanEnable, Self.scan),
        (.unansweredFeatures, .leReadRemoteFeatures, [0x40, 0]),
    ])
    func `one command is never answered, nor what follows; a Hardware Error comes, and Reset helps`(
        fault: ControllerFault, opcode: HCIOpcode, parameters: [UInt8]
    ) throws {
        let host = Self.host([])
        host.air.simulate(fault, of: host.id)
        #expect(host.command(opcode, parameters) == [] && host.command(.leRand) == [])
        let before = host.air.now
        #expect(try host.event(.hardwareError) == [0x03])
        #expect(host.air.now - before == .seconds(3))
        #expect(host.command(.leRand) == [])
        #expect(host.command(.reset) == [0])
        #expect(host.command(.leSetScanEnable, Self.scan) == [0])
    }

    @Test func `answers come late, or twice, or after an event that does not exist`() throws {
        let late = Self.host([])
        late.air.simulate(.lateAnswers, of: late.id)
        #expect(late.command(.leRand) == [])
        #expect(try late.event(.commandComplete)[1...2] == [0x18, 0x20])
        let doubled = Self.host([.doubledAnswers])
        let count = doubled.packets.count
        #expect(doubled.command(.leRand).first == 0)
        #expect(doubled.packets.count == count + 2)
        let zero = Self.host([.eventZero])
        #expect(zero.command(.leRand).first == 0)
        #expect(zero.packets.contains([4, 0, 0]))
    }

    @Test func `optional commands are listed and refused`() {
        let host = Self.host([.listedAndRefused])
        let commands = host.command(.readLocalSupportedCommands)
        #expect(commands[1 + 28] & 1 << 3 != 0)
        #expect(host.command(.leReadSupportedStates) == [0x01])
    }

    @Test func `extended scans are refused beside a link`() throws {
        let host = Self.host([.scanRefusedWhileLinked], settings: ControllerSettings(extendedAdvertising: true))
        let parameters: [UInt8] = [1, 0, 1, 1] + u16(0x60) + u16(0x60)
        #expect(host.command(.leSetExtendedScanParameters, parameters) == [0])
        #expect(host.command(.leSetExtendedScanEnable, [1, 0, 0, 0, 0, 0]) == [0])
        #expect(host.command(.leSetExtendedScanEnable, [0, 0, 0, 0, 0, 0]) == [0])
        let peer = sensor().address
        let target = [peer.kind.rawValue] + u48(peer.value)
        let link: [UInt8] = u16(24) + u16(24) + u16(0) + u16(200) + u16(0) + u16(0)
        #expect(
            host.command(.leExtendedCreateConnection, [0, 1] + target + [1] + u16(0x60) + u16(0x60) + link) == [0])
        #expect(try host.event(.enhancedConnectionComplete).first == 0)
        #expect(host.command(.leSetExtendedScanParameters, parameters) == [0x0C])
        #expect(host.command(.leSetExtendedScanEnable, [1, 0, 0, 0, 0, 0]) == [0x0C])
    }

    @Test func `a cancelled connection comes up all the same, or fails when nobody is there`() throws {
        func cancel(_ host: ScriptedHost) throws -> UInt8? {
            let peer = sensor().address
            let parameters: [UInt8] = u16(24) + u16(24) + u16(0) + u16(200) + u16(0) + u16(0)
            let target = [peer.kind.rawValue] + u48(peer.value)
            #expect(host.command(.leCreateConnection, u16(0x60) + u16(0x60) + [0] + target + [1] + parameters) == [0])
            #expect(host.command(.leCreateConnectionCancel) == [0])
            return try host.event(.enhancedConnectionComplete).first
        }
        #expect(try cancel(Self.host([.cancelLoses])) == 0)
        #expect(try cancel(Self.host([.cancelLoses], sensors: 0)) == 0x02)
    }

    @Test func `the buffers are those of BR and EDR`() {
        let host = Self.host([.sharedBuffers], settings: ControllerSettings(aclDataLength: 100, aclDataCount: 5))
        #expect(host.command(.leReadBufferSize) == [0, 0, 0, 0])
        #expect(host.command(.readBufferSize) == [0] + u16(100) + [0] + u16(5) + [0, 0])
    }

    @Test func `the fourth link makes it report a Hardware Error and forget everything`() throws {
        let host = Self.host([.resetAtFourthLink], sensors: 4)
        for number in 1...3 as ClosedRange<UInt64> { _ = try host.connect(to: sensor(number: number).address) }
        _ = try host.connect(to: sensor(number: 4).address)
        #expect(try host.event(.hardwareError) == [0x03])
        #expect(host.command(.leReadRemoteFeatures, [0x40, 0]) == [0x02])
    }

    @Test func `several reports are one event`() throws {
        let host = Self.host([.batchedReports], sensors: 6)
        host.command(.leSetScanEnable, Self.scan)
        let report = try host.wait { $0[0] == 4 && $0[3] == 2 && $0[4] > 1 ? $0 : nil }
        var offset = 5
        for _ in 0..<report[4] { offset += 10 + Int(report[offset + 8]) }
        #expect(offset == report.count)
    }

    @Test func `packets of two links are told in one event, or not at all`() throws {
        for fault in [ControllerFault.sharedCompletions, .creditsStall] {
            let host = Self.host([fault], sensors: 2)
            host.air.simulate(fault, of: host.id)
            let handles = try (1...2 as ClosedRange<UInt64>).map { try host.connect(to: sensor(number: $0).address) }
            for handle in handles { host.sendATT(handle, [0x0A, 1, 0]) }
            host.run(.seconds(1))
            let told = host.packets.filter { $0[0] == 4 && $0[1] == 0x13 }
            #expect(told.map { $0[3] } == (fault == .sharedCompletions ? [2] : []))
        }
    }

    @Test func `an answer from the air overtakes the event that tells of the request's way`() throws {
        let host = Self.host([])
        let handle = try host.connect(to: sensor().address, interval: 6)
        host.air.simulate(.dataOvertakesEvents, of: host.id)
        host.sendATT(handle, [0x0A, 3, 0])
        host.run(.seconds(1))
        let order = host.packets.suffix(2).map { $0[0] }
        #expect(order == [2, 4])
    }

    @Test func `a scanner that stopped, and one that is deaf, are made to hear again in their ways`() throws {
        let host = Self.host([])
        func hears() -> Bool {
            let count = host.packets.count
            host.run(.seconds(5))
            return host.packets.dropFirst(count).contains { $0[0] == 4 && $0[1] == 0x3E }
        }
        func restart() {
            host.command(.leSetScanEnable, [0, 0])
            host.command(.leSetScanEnable, Self.scan)
        }
        restart()
        #expect(hears())
        host.air.simulate(.scannerStops, of: host.id)
        #expect(!hears())
        restart()
        #expect(hears())
        host.air.simulate(.deaf, of: host.id)
        #expect(!hears())
        restart()
        #expect(!hears())
        host.setUp()
        restart()
        #expect(hears())
        host.air.simulate(.deafUntilReopened, of: host.id)
        host.setUp()
        restart()
        #expect(!hears())
    }

    @Test func `a scanner that tells of each device once tells of it again after the next start`() {
        let host = Self.host([.tellsOnce])
        func reports() -> Int {
            let count = host.packets.count
            host.run(.seconds(5))
            return host.packets.dropFirst(count).count { $0[0] == 4 && $0[1] == 0x3E }
        }
        for _ in 0..<2 {
            host.command(.leSetScanEnable, [0, 0])
            host.command(.leSetScanEnable, Self.scan)
            #expect(reports() == 1 && reports() == 0)
        }
    }

    @Test func `a frozen controller does not even answer Reset`() {
        let host = Self.host([])
        host.air.simulate(.frozen, of: host.id)
        #expect(host.command(.reset) == [])
    }

    @Test func `octets are lost in both directions, and come that belong to nothing`() {
        func octets(_ fault: ControllerFault) -> [UInt8] {
            let air = VirtualAir(seed: 1)
            let id = air.attachController(address: ScriptedHost.address)
            air.simulate(fault, of: id)
            air.receive(h4(.leRand), from: id, at: .zero)
            return air.takeOutput(of: id)
        }
        #expect(octets(.lostOctets).count == 12)
        #expect(octets(.lostCommandOctets) == [])
        #expect(octets(.insertedOctets).prefix(4) == [0xFF, 0xFE, 0xFD, 4])
    }

    @Test func `after it has initiated while it advertised each connection fails`() throws {
        let host = Self.host([.connectFailsAfterAdvertising])
        #expect(host.command(.leSetAdvertisingEnable, [1]) == [0])
        let peer = sensor().address
        let parameters: [UInt8] = u16(24) + u16(24) + u16(0) + u16(200) + u16(0) + u16(0)
        let target = [peer.kind.rawValue] + u48(peer.value)
        for _ in 0..<2 {
            #expect(host.command(.leCreateConnection, u16(0x60) + u16(0x60) + [0] + target + [1] + parameters) == [0])
            #expect(try host.event(.enhancedConnectionComplete).first == 0x3C)
            #expect(host.command(.leSetAdvertisingEnable, [0]) == [0])
        }
    }

    @Test func `each fault and each preset is told in words, with who has seen it`() {
        for fault in ControllerFault.allCases {
            #expect(!fault.summary.isEmpty && !fault.sources.isEmpty)
        }
        #expect(Set(ControllerPreset.allCases.map(\.summary)).count == ControllerPreset.allCases.count)
    }
}
