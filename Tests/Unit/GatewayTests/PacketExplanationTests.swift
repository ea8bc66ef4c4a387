// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings
import Testing

@testable import Gateway

@Suite("martlet decode")
struct PacketExplanationTests {
    private static func explain(
        _ hexadecimal: String, _ subject: PacketExplanation.Subject = .advertisement(response: []),
        _ change: (inout PacketExplanation.Packet) -> Void = { _ in }
    ) throws -> PacketExplanation {
        var packet = PacketExplanation.Packet(
            try #require([UInt8](hexadecimal: hexadecimal.filter { $0 != " " })), subject)
        change(&packet)
        return PacketExplanation(packet)
    }

    private static let fcd2 = BluetoothUUID(0xFCD2 as UInt16)

    @Test("values, as an advertisement, as its parts and as a characteristic's")
    func values() throws {
        let whole = try Self.explain("020106 0916d2fc4002ca090164")
        #expect(whole.family == "bthome" && whole.reason == nil)
        #expect(whole.values.map(\.quantity).sorted() == ["battery", "temperature"])
        #expect(try Self.explain("4002ca090164", .serviceData(Self.fcd2)).values == whole.values)
        let level = try Self.explain("5f", .characteristic("2a19"))
        #expect(level.text == "Battery Level (2a19)\nbattery: 95 %")
        let tag = try Self.explain("9904 0512fc5394c37c0004fffc040cac364200cdcbb8334c884f", .manufacturer) {
            $0.address = 0xCBB8_334C_884F
        }
        #expect(tag.family == "ruuvi" && tag.text.contains("temperature: 24.3 °C"))
    }

    @Test("a name and a scan response count")
    func beside() throws {
        let octets = "020106 0302f0ff"
        #expect(try Self.explain(octets).reason == .unknown)
        let response: [UInt8] = [4, 9, 0x73, 0x70, 0x73, 10, 0xFF, 0x9C, 8, 0xF4, 0x10, 0, 0xBA, 0x4E, 0x64, 8]
        #expect(try Self.explain(octets, .advertisement(response: response)).family == "inkbird")
    }

    @Test("why there are none")
    func reasons() throws {
        #expect(try Self.explain("").reason == .malformed)
        #expect(try Self.explain("00ff").reason == .malformed)
        #expect(try Self.explain("05ffccfa0102").reason == .unknown)
        let refused = try Self.explain("04ff99040f")
        #expect(refused.reason == .refused && refused.why?.hasPrefix("Ruuvi sends there") == true)
        #expect(try Self.explain("6501", .characteristic("2a19")).reason == .refused)
        #expect(try Self.explain("00", .characteristic("ffe1")).reason == .unknown)
        let sealed = "41a47266c95f730011223378237214"
        let address: UInt64 = 0x5448_E68F_80A5
        #expect(try Self.explain(sealed, .serviceData(Self.fcd2)) { $0.address = address }.reason == .encrypted)
        let key = try #require([UInt8](hexadecimal: "231d39c1d7cc1ab1aee224cd096db932"))
        let opened = try Self.explain(sealed, .serviceData(Self.fcd2)) { ($0.address, $0.key) = (address, key) }
        #expect(opened.values.map(\.quantity).sorted() == ["humidity", "temperature"])
        let wrong = try Self.explain(sealed, .serviceData(Self.fcd2)) {
            ($0.address, $0.key) = (address, key.reversed())
        }
        #expect(wrong.reason == .wrongKey)
    }

    @Test("JSON has the reason by its name")
    func json() throws {
        let text = String(decoding: try JSONEncoder().encode(try Self.explain("05ffccfa0102")), as: UTF8.self)
        #expect(text.contains("\"reason\":\"unknown\""))
    }

    @Test("octets of any kind never trap")
    func anything() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let octets = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            for subject: PacketExplanation.Subject in [
                .advertisement(response: octets), .manufacturer, .serviceData(Self.fcd2), .characteristic("2a37"),
            ] {
                _ = PacketExplanation(PacketExplanation.Packet(octets, subject)).text
            }
        }
    }
}
