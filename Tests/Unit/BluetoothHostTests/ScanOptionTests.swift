// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing
import VirtualRadio

@testable import HostBench

struct ScanOptionTests {
    private let coded = ControllerSettings(extendedAdvertising: true, codedPHY: true)

    @Test func `an advertiser on LE Coded is heard and connected to by those who have it`() throws {
        let duet = Duet(coded, coded, ControllerSettings(extendedAdvertising: true))
        duet.advertise(AdvertisingDemand(data: Duet.data, secondaryPHY: .leCoded))
        for player in 1...2 {
            duet.scan(by: player)
        }
        duet.run(for: .seconds(10))
        let heard = try #require(duet.b.advertisements.first)
        #expect(heard.advertisement.facts.primaryPHY == .leCoded && heard.advertisement.facts.secondaryPHY == .leCoded)
        #expect(heard.advertisement.facts.setID == 0 && heard.data == Duet.data)
        #expect(heard.advertisement.seenAt <= duet.now)
        #expect(duet.players[2].advertisements.isEmpty)
        duet.connect()
        #expect(duet.run(for: .seconds(10)) { duet.link(of: 1) != nil })
        #expect(duet.violations == [])
    }

    @Test(arguments: [false, true])
    func `a passive scan asks nobody for anything, unless another client wants it`(isExtended: Bool) {
        let duet = Duet(ControllerSettings(), ControllerSettings(extendedAdvertising: isExtended))
        duet.advertise(AdvertisingDemand(data: Duet.data, scanResponse: [3, 0x03, 0x0D, 0x18]))
        duet.scan(ScanDemand(services: nil, allowsDuplicates: true, isPassive: true))
        duet.run(for: .seconds(5))
        #expect(duet.b.advertisements.allSatisfy { $0.data == Duet.data } && duet.b.advertisements.count > 10)
        duet.players[1].host.setScan(ScanDemand(services: nil), for: Duet.other, at: duet.now)
        duet.run(for: .seconds(5))
        #expect(duet.b.advertisements.contains { $0.data.count > Duet.data.count })
    }

    @Test func `nobody waits for a scan in the background, which listens rarely`() {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        duet.advertise()
        duet.scan(ScanDemand(services: nil, allowsDuplicates: true, isBackground: true))
        duet.run(for: .seconds(20))
        #expect(duet.commands(.leSetScanParameters, of: 1).last == [1, 0x0B, 0x20, 7, 1, 0, 0x10, 18, 0, 0, 0])
        #expect((1...30).contains(duet.b.advertisements.count))
        duet.players[1].host.setScan(ScanDemand(services: nil), for: Duet.other, at: duet.now)
        duet.run(for: .seconds(1))
        #expect(duet.commands(.leSetScanParameters, of: 1).last == [1, 0x0B, 0x20, 7, 1, 0x60, 0, 0x60, 0, 0, 0])
    }

    @Test(arguments: zip([0x06, 0x05, 0x04] as [UInt8], [[true, false], [true, true], [false, false]]))
    func `only those are found whose flags allow it`(flags: UInt8, expected: [Bool]) {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        duet.advertise(AdvertisingDemand(data: [2, 0x01, flags]))
        let wanted = [ScanDemand.Discoverability.general, .limited]
        for (discoverability, isFound) in zip(wanted, expected) {
            duet.forget()
            duet.scan(ScanDemand(services: nil, discoverability: discoverability))
            duet.run(for: .seconds(5))
            #expect(duet.b.advertisements.isEmpty != isFound)
        }
    }

    @Test func `parts of two sets that come in turns are put together each for itself`() {
        let simulation = Simulation(controller: ControllerSettings(extendedAdvertising: true))
        simulation.host.setScan(
            ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        func report(_ set: UInt8, isIncomplete: Bool, _ data: [UInt8]) {
            let facts: [UInt8] = [1, 1, set, 0x7F, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            var report: [UInt8] = [0x0D, 1, isIncomplete ? 0x20 : 0, 0, 1, 1, 0, 0, 0, 0, 0xC0] + facts
            report += [UInt8(data.count)] + data
            simulation.give([4, 0x3E, UInt8(report.count)] + report)
        }
        report(1, isIncomplete: true, [3, 0xFF])
        report(2, isIncomplete: true, [4, 0xFF])
        report(3, isIncomplete: false, [1, 0xFF])
        report(1, isIncomplete: false, [1, 1])
        report(2, isIncomplete: false, [2, 2, 2])
        simulation.run(for: .seconds(1))
        #expect(simulation.advertisements.map(\.data) == [[1, 0xFF], [3, 0xFF, 1, 1], [4, 0xFF, 2, 2, 2]])
    }

    @Test func `an advertisement of the longest kind comes whole, out of many reports`() {
        let duet = Duet(ControllerSettings(extendedAdvertising: true), ControllerSettings(extendedAdvertising: true))
        var data: [UInt8] = []
        for number in 0..<6 as Range<UInt8> { data += [254, 0xFF] + [UInt8](repeating: number, count: 253) }
        data += [119, 0xFF] + [UInt8](repeating: 9, count: 118)
        #expect(data.count == ScanMachine.maximumDataLength)
        for kind in [AdvertisingKind.nonConnectable, .scannable] {
            duet.advertise(AdvertisingDemand(data: data, kind: kind))
            duet.forget()
            duet.scan()
            duet.run(for: .seconds(5))
            #expect(duet.b.advertisements.last?.data == data)
        }
        #expect(duet.violations == [])
    }
}
