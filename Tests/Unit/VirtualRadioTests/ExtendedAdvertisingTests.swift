// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import VirtualRadio

@Suite struct ExtendedAdvertisingTests {
    private static let settings = ControllerSettings(extendedAdvertising: true)
    private static let scanParameters: [UInt8] = [1, 0, 1, 1] + u16(16) + u16(16)
    private static let scanOn: [UInt8] = [1, 0, 0, 0, 0, 0]

    private func set(_ handle: UInt8, properties: UInt16, identifier: UInt8 = 3) -> [UInt8] {
        [handle] + u16(properties) + [
            0x40, 0, 0, 0x40, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 2, identifier, 0,
        ]
    }

    @Test func legacyAdvertisementsAreReportedWithTheLegacyBit() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air, settings: Self.settings)
        _ = air.addSensor(sensor(.heartRate))
        host.setUp()
        #expect(host.command(.leSetExtendedScanParameters, Self.scanParameters) == [0])
        #expect(host.command(.leSetExtendedScanEnable, Self.scanOn) == [0])
        let report = try host.event(.extendedAdvertisingReport)
        #expect(Array(report[0..<10]) == [1] + u16(0x0013) + [1] + u48(sensor().address.value))
        #expect(Array(report[10..<14]) == [1, 0, 0xFF, 0x7F])
        #expect(Array(report[24...]) == [7, 2, 1, 6, 3, 3, 0x0D, 0x18])
        let response = try host.event(.extendedAdvertisingReport)
        #expect(Array(response[1..<3]) == u16(0x001B))
        #expect(Array(response[25...]) == [9, 9] + Array("sensor-1".utf8))
    }

    @Test func longDataIsHandedOverInPiecesAndReportedInPieces() throws {
        let air = VirtualAir(seed: 1)
        let advertiser = ScriptedHost(air, address: DeviceAddress(kind: .public, value: 0xBB), settings: Self.settings)
        let scanner = ScriptedHost(air, settings: Self.settings)
        let old = ScriptedHost(air, address: DeviceAddress(kind: .public, value: 0xCC))
        for host in [advertiser, scanner, old] { host.setUp() }
        #expect(advertiser.command(.leSetExtendedAdvertisingParameters, set(7, properties: 0)) == [0, 0])
        let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        #expect(advertiser.command(.leSetExtendedAdvertisingData, [7, 0, 0, 200] + data[..<200]) == [0x12], "no first")
        #expect(advertiser.command(.leSetExtendedAdvertisingData, [7, 1, 0, 250] + data[..<250]) == [0])
        #expect(advertiser.command(.leSetExtendedAdvertisingEnable, [1, 1, 7, 0, 0, 0]) == [0x0C], "data unfinished")
        #expect(advertiser.command(.leSetExtendedAdvertisingData, [7, 0, 0, 250] + data[250..<500]) == [0])
        #expect(advertiser.command(.leSetExtendedAdvertisingData, [7, 2, 0, 100] + data[500...]) == [0])
        #expect(scanner.command(.leSetExtendedScanParameters, Self.scanParameters) == [0])
        #expect(scanner.command(.leSetExtendedScanEnable, Self.scanOn) == [0])
        #expect(old.command(.leSetScanEnable, [1, 0]) == [0])
        #expect(advertiser.command(.leSetExtendedAdvertisingEnable, [1, 1, 7, 0, 0, 3]) == [0])
        var heard: [UInt8] = []
        for status in [0x20, 0x20, 0x00] as [UInt16] {
            let report = try scanner.event(.extendedAdvertisingReport)
            #expect(Array(report[1..<3]) == u16(status))
            #expect(Array(report[10..<13]) == [1, 2, 3], "PHYs and SID")
            heard += report[25...]
        }
        #expect(heard == data)
        #expect(try advertiser.event(.advertisingSetTerminated) == [0x43, 7, 0, 0, 3])
        old.run(.zero)
        #expect(!old.packets.contains { $0[1] == 0x3E }, "an old scanner does not hear extended PDUs")
    }

    @Test func aSetEndsWithItsDurationAndWithAConnection() throws {
        let air = VirtualAir(seed: 1)
        let advertiser = ScriptedHost(air, address: DeviceAddress(kind: .public, value: 0xBB), settings: Self.settings)
        let central = ScriptedHost(air, settings: Self.settings)
        for host in [advertiser, central] { host.setUp() }
        #expect(advertiser.command(.leSetExtendedAdvertisingParameters, set(1, properties: 1)) == [0, 0])
        #expect(advertiser.command(.leSetExtendedAdvertisingEnable, [1, 1, 1] + u16(50) + [0]) == [0])
        let ended = try advertiser.event(.advertisingSetTerminated, within: .seconds(1))
        #expect(Array(ended[..<2]) == [0x3C, 1])
        #expect(advertiser.command(.leSetExtendedAdvertisingEnable, [1, 1, 1, 0, 0, 0]) == [0])
        let perPHY = u16(0x60) + u16(0x60) + u16(24) + u16(24) + u16(0) + u16(200) + u16(0) + u16(0)
        let create = [0, 1, 0, 0xBB, 0, 0, 0, 0, 0, 3] + perPHY + perPHY
        #expect(central.command(.leExtendedCreateConnection, create) == [0])
        let complete = try central.event(.enhancedConnectionComplete)
        #expect(complete.first == 0)
        #expect(try central.event(.channelSelectionAlgorithm) == [complete[1], complete[2], 1])
        #expect(try advertiser.event(.enhancedConnectionComplete).first == 0)
        #expect(Array(try advertiser.event(.advertisingSetTerminated)[..<4]) == [0, 1, 0x40, 0])
    }

    @Test func aScanWithADurationTimesOut() throws {
        let air = VirtualAir(seed: 1)
        let host = ScriptedHost(air, settings: Self.settings)
        host.setUp()
        #expect(host.command(.leSetExtendedScanParameters, Self.scanParameters) == [0])
        #expect(host.command(.leSetExtendedScanEnable, [1, 0] + u16(100) + u16(0)) == [0])
        let before = air.now
        _ = try host.event(.scanTimeout)
        #expect(air.now - before == .seconds(1))
        #expect(host.command(.leSetExtendedScanParameters, Self.scanParameters) == [0], "the scan is over")
    }
}
