// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

@Suite("Payloads")
struct PayloadTests {
    private func payload(
        _ row: JournalRow, time: ReadingTime? = nil, device: String = "cbb8334c884f", characteristic: String = "2a6e",
        fields: [Field]?, historical: Bool = false
    ) -> String {
        var writer = PayloadWriter()
        writer.reading(
            row, time: time ?? ReadingTime(unixMilliseconds: row.unixMilliseconds, quality: row.quality),
            head: PayloadWriter.head(device: device, name: nil, gateway: "gw-3f2a1c"), boot: "5e0c91aa",
            characteristic: characteristic, fields: fields, historical: historical)
        return String(decoding: writer.octets, as: UTF8.self)
    }

    @Test("a live reading has the agreed keys in the agreed order")
    func live() {
        let text = payload(
            Sample.row(), fields: [.decimal(.temperature, 2430, places: 2), .int(.battery, 93)])
        #expect(
            text == """
                {"v":1,"dev":"cbb8334c884f","gw":"gw-3f2a1c","n":18231,"ts":1767261906123,\
                "time":"2026-01-01T10:05:06.123Z","clock":"synced","boot":"5e0c91aa","up_ms":381223,\
                "src":"notify","rssi":-67,"temperature":24.3,"battery":93}
                """)
    }

    @Test("a reading without a time has no ts and no time")
    func unsynced() {
        let text = payload(
            Sample.row(rssi: nil, at: Sample.unsynced(up: 5)), time: .unknown, fields: [], historical: true)
        #expect(
            text == """
                {"v":1,"dev":"cbb8334c884f","gw":"gw-3f2a1c","n":18231,"clock":"unsynced","boot":"5e0c91aa",\
                "up_ms":5,"src":"notify","historical":true}
                """)
    }

    @Test("a value without a decoder is passed on as digits")
    func raw() {
        let text = payload(Sample.row(value: [0x00, 0xAB, 0x7F]), characteristic: "2a00", fields: nil)
        #expect(text.hasSuffix(#""rssi":-67,"characteristic":"2a00","raw":"00ab7f"}"#))
    }

    @Test(
        "decimals are printed exactly and without zeros at the end",
        arguments: [
            (2430, 2, "24.3"), (-5, 2, "-0.05"), (0, 2, "0"), (2000, 2, "20"), (100_044, 2, "1000.44"), (7, 0, "7"),
            (-1800, 2, "-18"), (1, 9, "0.000000001"), (Int64.min, 3, "-9223372036854775.808"), (12_340, 1, "1234"),
        ] as [(Int64, Int, String)])
    func decimals(_ mantissa: Int64, _ places: Int, _ expected: String) {
        let text = payload(Sample.row(), fields: [.decimal(.pressure, mantissa, places: places)])
        #expect(text.hasSuffix("\"pressure\":\(expected)}"))
    }

    @Test("names with any characters stay valid JSON")
    func escaping() throws {
        let name = "a\"b\\c\u{1}\n\u{1F}ü😀/"
        let text = payload(
            Sample.row(), device: name,
            fields: [Field(.heartRate, .string(name)), Field(.rrInterval, .array([.int(1), .int(-2)]))])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["dev"] as? String == name)
        #expect(object["heart_rate"] as? String == name)
        #expect(object["rr_interval"] as? [Int] == [1, -2])
    }

    @Test(
        "times equal those of Foundation's formatter",
        arguments: [
            0, 1, 951_782_399_999, 951_782_400_000, 1_709_164_800_123, 1_767_261_906_123, 4_107_542_400_000, -1,
            -2_203_891_200_000, 253_402_300_799_999,
        ] as [Int64])
    func times(_ unix: Int64) {
        var calendar = UTCCalendar()
        var octets = OctetBuffer()
        calendar.write(unix, to: &octets)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Foundation truncates a binary fraction: half a millisecond more gives the intended digit.
        let date = Date(timeIntervalSince1970: (Double(unix) + 0.5) / 1_000)
        #expect(String(decoding: octets.octets, as: UTF8.self) == date.formatted(style))
    }

    @Test("times outside the four digits of a year are bounded, not a trap", arguments: [Int64.min, .max])
    func extremeTimes(_ unix: Int64) {
        var calendar = UTCCalendar()
        var octets = OctetBuffer()
        calendar.write(unix, to: &octets)
        #expect(octets.count == 24)
    }
}
