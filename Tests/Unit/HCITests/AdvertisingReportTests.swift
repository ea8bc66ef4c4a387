// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

struct AdvertisingReportTests {
    static let address = DeviceAddress(kind: .random, value: 0xC0_11_22_33_44_55)

    @Test func `legacy reports are mapped to the properties of extended ones`() throws {
        let packet = try #require(
            [UInt8](hexadecimal: "04 3e 1a 02 02 00 01 5544332211c0 03 020106 c4 04 00 5544332211c0 00 d0"))
        let reports = try read(packet)
        try #require(reports.count == 2)
        #expect(reports[0].properties == [.connectable, .scannable, .legacy])
        #expect(reports[0].address == Self.address && reports[0].rssi == -60)
        #expect(Array(packet[reports[0].data]) == [2, 1, 6])
        #expect(reports[1].properties == [.scannable, .scanResponse, .legacy])
        #expect(reports[1].address.kind == .public && reports[1].data.isEmpty)
    }

    @Test(
        arguments: zip(
            ["00", "01", "02", "03", "04"],
            [
                [.connectable, .scannable, .legacy], [.connectable, .directed, .legacy], [.scannable, .legacy],
                [.legacy], [.scannable, .scanResponse, .legacy],
            ] as [AdvertisingReport.Properties]))
    func `each type of legacy reports has its properties, and one of the future none`(
        _ type: String, _ properties: AdvertisingReport.Properties
    ) throws {
        let packet = try #require(
            [UInt8](hexadecimal: "04 3e 17 02 02 \(type) 01 5544332211c0 00 c4 05 01 5544332211c0 00 c4"))
        #expect(try read(packet).map(\.properties) == [properties])
    }

    @Test func `extended reports carry their own properties and anonymous ones are left out`() throws {
        let packet = try #require(
            [UInt8](
                hexadecimal: "04 3e 1d 0d 01 1300 01 5544332211c0 01 00 ff 7f c4 0000 00 000000000000 03 020106"))
        let reports = try read(packet)
        try #require(reports.count == 1)
        #expect(reports[0].properties == [.connectable, .scannable, .legacy])
        #expect(reports[0].rssi == -60 && reports[0].data.count == 3)
        let facts = reports[0].facts
        #expect(facts.primaryPHY == .le1M && facts.secondaryPHY == nil && facts.setID == nil)
        #expect(facts.txPower == nil && facts.periodicInterval == nil)
        var anonymous = packet
        anonymous[7] = 0xFF
        #expect(try read(anonymous).isEmpty)
    }

    /// Rows: SID, Tx power and periodic advertising interval in hexadecimal digits, and what they mean.
    @Test(
        arguments: [
            ("00", "7e", "0600", 0, 126, 6), ("0f", "80", "ffff", 15, -128, 0xFFFF),
            ("10", "7f", "0500", nil, nil, nil),
            ("ff", "00", "0000", nil, 0, nil),
        ] as [(String, String, String, UInt8?, Int8?, UInt16?)])
    func `values that say that there is none are none`(
        sid: String, power: String, interval: String, setID: UInt8?, txPower: Int8?, periodicInterval: UInt16?
    ) throws {
        let text = "04 3e 1d 0d 01 1300 01 5544332211c0 01 02 \(sid) \(power) c4 \(interval) 00 000000000000 03 020106"
        let packet = try #require([UInt8](hexadecimal: text))
        let facts = try #require(try read(packet).first).facts
        #expect(facts.setID == setID && facts.txPower == txPower && facts.periodicInterval == periodicInterval)
        #expect(facts.primaryPHY == .le1M && facts.secondaryPHY == .le2M)
    }

    @Test(arguments: [
        "04 3e 0f 02 01 00 KK 5544332211c0 03 020106 c4",
        "04 3e 1d 0d 01 1300 KK 5544332211c0 01 00 ff 7f c4 0000 00 000000000000 03 020106",
    ])
    func `identities that the controller has resolved are told from plain addresses`(text: String) throws {
        for (type, kind, isResolved) in [
            ("00", .public, false), ("01", .random, false), ("02", .public, true), ("03", .random, true),
        ] as [(String, DeviceAddress.Kind, Bool)] {
            let octets = try #require([UInt8](hexadecimal: text.replacing("KK", with: type)))
            let report = try #require(try read(octets).first)
            #expect(report.address == DeviceAddress(kind: kind, value: 0xC0_11_22_33_44_55))
            #expect(report.isResolved == isResolved)
        }
    }

    @Test(arguments: [
        "04 3e 0f 02 01 00 01 5544332211c0 03 020106 c4",
        "04 3e 1d 0d 01 1300 01 5544332211c0 01 00 ff 7f c4 0000 00 000000000000 03 020106",
    ])
    func `a report cut anywhere is an error and never a trap`(text: String) throws {
        let whole = try #require([UInt8](hexadecimal: text))
        #expect(try read(whole).count == 1)
        for count in 0..<whole.count {
            #expect(throws: DecodeError.self) { try read(Array(whole[..<count])) }
        }
    }

    private func read(_ packet: [UInt8]) throws -> [AdvertisingReport] {
        var reports: [AdvertisingReport] = []
        try AdvertisingReport.forEach(in: packet.span.bytes) { reports.append($0) }
        return reports
    }
}
