// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Provisioning

@Suite struct UniversalTimeTests {
    @Test(arguments: [
        ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00.000Z"), ("2026-06-30T21:40:12.480Z", "2026-06-30T21:40:12.480Z"),
        ("2024-02-29T23:59:59.9Z", "2024-02-29T23:59:59.900Z"),
        ("2199-12-31T23:59:59.999999999Z", "2199-12-31T23:59:59.999Z"),
    ])
    func `what is read is written again`(text: String, written: String) throws {
        let time = try #require(UniversalTime(text))
        #expect(time.text == written)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date = try style.parse(written)
        #expect(time.unixMilliseconds == Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    }

    @Test func `every day of two centuries is the one after the day before`() throws {
        var last = try #require(UniversalTime("2000-01-01T12:00:00Z"))
        var count = 1
        while let text = UniversalTime(unixMilliseconds: last.unixMilliseconds + 86_400_000).text {
            last = try #require(UniversalTime(text))
            count += 1
        }
        #expect(count == 73_049 && last.text == "2199-12-31T12:00:00.000Z")
    }

    @Test(arguments: [
        "", "2026-06-30", "2026-06-30T21:40:12", "2026-06-30T21:40:12+00:00", "2026-06-30 21:40:12Z",
        "2026-6-30T21:40:12Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00.xZ",
        "1999-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "+026-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ", "Z",
    ])
    func `nothing else is a time`(text: String) { #expect(UniversalTime(text) == nil) }

    @Test func `no number is too large`() {
        #expect(UniversalTime(unixMilliseconds: .max).text == nil && UniversalTime(unixMilliseconds: .min).text == nil)
        #expect(UniversalTime(unixMilliseconds: 0).text == nil)
    }
}
