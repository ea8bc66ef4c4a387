// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

/// Two hosts with a controller each, one advertising, one connecting.
struct Pair {
    let air: VirtualAir
    let central: ScriptedHost
    let peripheral: ScriptedHost
    let centralHandle: UInt16
    let peripheralHandle: UInt16

    static let peripheralAddress = DeviceAddress(kind: .random, value: 0xC1_00_00_00_00_01)

    init(
        seed: UInt64 = 1, settings: AirSettings = AirSettings(), controllers: ControllerSettings = .init(),
        leEventMask: UInt64 = 0x000F_FFFF
    ) throws {
        air = VirtualAir(seed: seed, settings: settings)
        central = ScriptedHost(air, settings: controllers)
        peripheral = ScriptedHost(air, address: DeviceAddress(kind: .public, value: 0xBB), settings: controllers)
        central.setUp(leEventMask: leEventMask)
        peripheral.setUp()
        peripheral.command(.leSetRandomAddress, u48(Self.peripheralAddress.value))
        let parameters = u16(0x40) + u16(0x40) + [0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0]
        #expect(peripheral.command(.leSetAdvertisingParameters, parameters) == [0])
        #expect(peripheral.command(.leSetAdvertisingEnable, [1]) == [0])
        centralHandle = try central.connect(to: Self.peripheralAddress)
        let complete = try peripheral.event(.enhancedConnectionComplete)
        #expect(complete[0] == 0 && complete[3] == 1, "connected as the Peripheral")
        peripheralHandle = UInt16(complete[1]) | UInt16(complete[2]) << 8
        #expect(Array(complete[4..<11]) == [1, 0xF0, 0, 0, 0, 0, 0xC0], "by the Central's random address")
    }
}

@Suite struct LinkTests {
    @Test func dataCrossesInBothDirectionsAndGivesCreditsBack() throws {
        let pair = try Pair()
        pair.central.sendACL(pair.centralHandle, [3, 0, 4, 0, 1, 2, 3])
        let packet = try pair.peripheral.wait { $0[0] == 2 ? $0 : nil }
        #expect(packet == [2] + u16(pair.peripheralHandle | 0x2000) + u16(7) + [3, 0, 4, 0, 1, 2, 3])
        #expect(try pair.central.event(.numberOfCompletedPackets) == [1] + u16(pair.centralHandle) + u16(1))
        pair.peripheral.sendACL(pair.peripheralHandle, [1, 0, 4, 0, 9])
        #expect(try pair.central.wait { $0[0] == 2 ? Array($0[5...]) : nil } == [1, 0, 4, 0, 9])
        pair.central.command(.leCreateConnectionCancel)
        #expect(pair.peripheral.command(.leSetAdvertisingEnable, [1]) == [0], "advertising had stopped")
    }

    @Test func longPacketsAreCutToTheDataLength() throws {
        let pair = try Pair()
        let frame = (0..<100).map { UInt8($0) }
        pair.central.sendACL(pair.centralHandle, frame)
        var pieces: [[UInt8]] = []
        while pieces.joined().count < 100 {
            pieces.append(try pair.peripheral.wait { $0[0] == 2 ? $0 : nil })
            #expect(pieces.last?[2] == (pieces.count == 1 ? 0x20 : 0x10), "packet boundary flag")
            pieces[pieces.count - 1].removeFirst(5)
        }
        #expect(pieces.map(\.count) == [27, 27, 27, 19])
        #expect(Array(pieces.joined()) == frame)
        let parameters = u16(pair.centralHandle) + u16(251) + u16(2120)
        #expect(pair.central.command(.leSetDataLength, parameters) == [0] + u16(pair.centralHandle))
        let change = try pair.central.event(.dataLengthChange)
        #expect(change == u16(pair.centralHandle) + u16(251) + u16(2120) + u16(27) + u16(328))
        #expect(
            try pair.peripheral.event(.dataLengthChange) == u16(pair.peripheralHandle) + u16(27) + u16(328) + u16(251)
                + u16(2120))
        pair.central.sendACL(pair.centralHandle, frame)
        #expect(try pair.peripheral.wait { $0[0] == 2 ? $0.count : nil } == 105)
    }

    @Test func moreDataThanTheBuffersHoldIsLostAndNoted() throws {
        let pair = try Pair()
        for _ in 0..<17 { pair.central.sendACL(pair.centralHandle, [0, 0, 4, 0]) }
        #expect(try pair.central.event(.dataBufferOverflow) == [1])
        #expect(pair.air.violations(of: pair.central.id).count == 1)
        pair.central.run(.seconds(1))
        pair.peripheral.run(.zero)
        #expect(pair.peripheral.packets.filter { $0[0] == 2 }.count == 16)
    }

    @Test func bothHostsLearnWhoEndedTheLink() throws {
        let pair = try Pair()
        #expect(pair.central.command(.disconnect, u16(pair.centralHandle) + [0x00]) == [0x12])
        #expect(pair.central.command(.disconnect, u16(pair.centralHandle) + [0x13]) == [0])
        #expect(pair.central.command(.disconnect, u16(pair.centralHandle) + [0x13]) == [0x0C])
        #expect(try pair.central.event(.disconnectionComplete) == [0] + u16(pair.centralHandle) + [0x16])
        #expect(try pair.peripheral.event(.disconnectionComplete) == [0] + u16(pair.peripheralHandle) + [0x13])
        pair.central.sendACL(pair.centralHandle, [0, 0, 4, 0])
        #expect(pair.air.violations(of: pair.central.id).isEmpty, "the host could not know yet")
    }

    @Test func aConnectedPeerIsNotConnectedAgain() throws {
        let pair = try Pair()
        pair.peripheral.command(.leSetAdvertisingEnable, [1])
        let parameters =
            u16(0x60) + u16(0x60) + [0, 1] + u48(Pair.peripheralAddress.value) + [1] + u16(24) + u16(24) + u16(0)
            + u16(200) + u16(0) + u16(0)
        #expect(pair.central.command(.leCreateConnection, parameters) == [0x0B])
    }

    @Test func theCentralChangesTheParameters() throws {
        let pair = try Pair()
        let update = u16(40) + u16(80) + u16(2) + u16(300) + u16(0) + u16(0)
        #expect(pair.central.command(.leConnectionUpdate, u16(pair.centralHandle) + update) == [0])
        let values = u16(80) + u16(2) + u16(300)
        #expect(try pair.central.event(.connectionUpdateComplete) == [0] + u16(pair.centralHandle) + values)
        #expect(try pair.peripheral.event(.connectionUpdateComplete) == [0] + u16(pair.peripheralHandle) + values)
    }

    @Test func thePeripheralAsksForParameters() throws {
        let pair = try Pair()
        let range = u16(40) + u16(80) + u16(2) + u16(300)
        for isRefused in [true, false] {
            let request = u16(pair.peripheralHandle) + range + u16(0) + u16(0)
            #expect(pair.peripheral.command(.leConnectionUpdate, request) == [0])
            let asked = try pair.central.event(.remoteConnectionParameterRequest)
            #expect(asked == u16(pair.centralHandle) + range)
            let handle = u16(pair.centralHandle)
            if isRefused {
                #expect(
                    pair.central.command(.leRemoteConnectionParameterRequestNegativeReply, handle + [0x3B])
                        == [0] + handle)
                #expect(try pair.peripheral.event(.connectionUpdateComplete).first == 0x3B)
                #expect(
                    pair.central.command(.leRemoteConnectionParameterRequestNegativeReply, handle + [0x3B])
                        == [0x0C] + handle, "answered already")
            } else {
                #expect(
                    pair.central.command(.leRemoteConnectionParameterRequestReply, handle + range + u16(0) + u16(0))
                        == [0] + handle)
                #expect(try pair.peripheral.event(.connectionUpdateComplete).first == 0)
            }
        }
    }

    @Test func aMaskedParameterRequestIsRefusedByTheController() throws {
        let pair = try Pair(leEventMask: 0x000F_FFFF & ~0x20)
        let request = u16(pair.peripheralHandle) + u16(40) + u16(80) + u16(2) + u16(300) + u16(0) + u16(0)
        #expect(pair.peripheral.command(.leConnectionUpdate, request) == [0])
        #expect(try pair.peripheral.event(.connectionUpdateComplete).first == 0x1A)
    }

    @Test func remoteVersionFeaturesPHYAndStrengthAreRead() throws {
        let pair = try Pair()
        let handle = u16(pair.centralHandle)
        #expect(pair.central.command(.readRemoteVersionInformation, handle) == [0])
        #expect(
            try pair.central.event(.readRemoteVersionInformationComplete) == [0] + handle + [0x0D, 0xFF, 0xFF, 1, 0])
        #expect(pair.central.command(.leReadRemoteFeatures, handle) == [0])
        #expect(
            try pair.central.event(.readRemoteFeaturesComplete) == [0] + handle + [0x2B, 1, 0, 0, 0, 0, 0, 0])
        #expect(pair.central.command(.leReadPHY, handle) == [0] + handle + [1, 1])
        #expect(pair.central.command(.leSetPHY, handle + [0, 2, 2, 0, 0]) == [0])
        #expect(try pair.central.event(.phyUpdateComplete) == [0] + handle + [2, 2])
        #expect(try pair.peripheral.event(.phyUpdateComplete) == [0] + u16(pair.peripheralHandle) + [2, 2])
        let strength = Int8(bitPattern: pair.central.command(.readRSSI, handle)[3])
        #expect((-47 ... -43).contains(strength))
    }

    @Test func lossDelaysDataAndNeverLosesOrReordersIt() throws {
        let pair = try Pair(seed: 11)
        pair.air.settings.packetLoss = 0.4
        pair.air.settings.latency = .milliseconds(7)
        var received: [UInt8] = []
        for number in 0..<100 as Range<UInt8> {
            pair.central.sendACL(pair.centralHandle, [1, 0, 4, 0, number])
            if number % 8 == 7 {
                while received.count <= number {
                    received.append(try pair.peripheral.wait { $0[0] == 2 ? $0[9] : nil })
                }
            }
        }
        while received.count < 100 { received.append(try pair.peripheral.wait { $0[0] == 2 ? $0[9] : nil }) }
        #expect(received == Array(0..<100))
    }

    @Test func totalLossEndsTheLinkByItsTimeout() throws {
        let pair = try Pair()
        pair.air.settings.packetLoss = 1
        pair.central.sendACL(pair.centralHandle, [0, 0, 4, 0])
        #expect(try pair.central.event(.disconnectionComplete, within: .seconds(3)).last == 0x08)
        #expect(try pair.peripheral.event(.disconnectionComplete, within: .seconds(3)).last == 0x08)
    }

    @Test func highDutyCycleDirectedAdvertisingEnds() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air)
        host.setUp()
        #expect(
            host.command(.leSetAdvertisingParameters, [0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 5, 0xC6, 7, 0]) == [0])
        #expect(host.command(.leSetAdvertisingEnable, [1]) == [0])
        #expect(try host.event(.enhancedConnectionComplete, within: .seconds(2)).first == 0x3C)
    }

    @Test func theAcceptListDecidesWhoIsConnectedAndReported() throws {
        let air = VirtualAir(seed: 9)
        let host = ScriptedHost(air)
        for number in 1...5 { _ = air.addSensor(sensor(number: UInt64(number))) }
        host.setUp()
        let wanted = sensor(number: 4).address
        let handle = try host.connect(to: wanted, usesAcceptList: true)
        #expect(handle == 0x40)
        #expect(host.command(.leSetScanParameters, [0] + u16(16) + u16(16) + [1, 1]) == [0])
        host.command(.leClearFilterAcceptList)
        host.command(.leAddDeviceToFilterAcceptList, [1] + u48(sensor(number: 2).address.value))
        host.command(.leSetScanEnable, [1, 0])
        for _ in 0..<20 {
            let report = try host.event(.advertisingReport)
            #expect(Array(report[3..<9]) == u48(sensor(number: 2).address.value))
            #expect(report[1] == 0, "a passive scan asks for no scan response")
        }
    }
}
