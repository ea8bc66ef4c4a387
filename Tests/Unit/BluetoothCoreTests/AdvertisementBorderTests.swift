// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

/// Advertising data followed by scan response data: each part is parsed separately.
struct AdvertisementBorderTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let advertisement: String
        let response: String
        let types: [UInt8]

        init(_ what: String, _ advertisement: String, _ response: String, _ types: [UInt8]) {
            (testDescription, self.advertisement, self.response, self.types) = (what, advertisement, response, types)
        }
    }

    private static let rows = [
        Row(
            "a structure longer than the advertisement", "020106120302f0ff", "04097370730aff9c08f41000ba4e6408",
            [0x01, 0x09, 0xFF]),
        Row("a length alone at the end", "02010605", "0409414243", [0x01, 0x09]),
        Row("a length and a type at the end", "0201061eff", "0409414243", [0x01, 0x09]),
        Row("as long as all of both", "02010606ff", "0409414243", [0x01, 0x09]),
        Row("zeros at the end", "0201060000", "0409414243", [0x01, 0x09]),
        Row("zeros at the end and at the beginning", "0201060000", "00000409414243", [0x01, 0x09]),
        Row("an empty advertisement", "", "0409414243", [0x09]),
        Row("no scan response", "020106", "", [0x01]),
        Row("a scan response that is longer than it is", "020106", "0509414243", [0x01]),
        Row("both are", "020106050941", "03030d18050941", [0x01, 0x03]),
    ]

    @Test(arguments: rows)
    func `no structure crosses the border`(_ row: Row) throws {
        let advertisement = try #require([UInt8](hexadecimal: row.advertisement))
        let response = try #require([UInt8](hexadecimal: row.response))
        let found = AdvertisingData(advertisement + response, responseAt: advertisement.count)
        #expect(found.map(\.type.rawValue) == row.types)
        let octets = AdvertisedOctets((advertisement + response).span.bytes, responseAt: advertisement.count)
        #expect(octets == AdvertisedOctets(advertisement: advertisement, scanResponse: response))
    }

    @Test func `whatever is in them, both together are what each is`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let advertisement = (0..<Int.random(in: 0...31)).map { _ in UInt8.random(in: 0...12, using: &generator) }
            let response = (0..<Int.random(in: 0...31)).map { _ in UInt8.random(in: 0...12, using: &generator) }
            let together = AdvertisingData(advertisement + response, responseAt: advertisement.count)
                .map { [$0.type.rawValue] + $0.value }
            let each = [advertisement, response].flatMap { AdvertisingData($0).map { [$0.type.rawValue] + $0.value } }
            #expect(together == each, "\(advertisement) \(response)")
        }
    }
}
