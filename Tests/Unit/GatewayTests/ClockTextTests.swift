// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

@testable import Gateway
@testable import Platform
@testable import martlet

@Suite("The clock in words")
struct ClockTextTests {
    @Test(
        "a time is read as people and programs write it",
        arguments: [
            ("2026-07-01T00:00:00Z", 1_782_864_000_000), ("2026-07-01T02:00:00+02:00", 1_782_864_000_000),
            ("2026-07-01T00:00:00.250Z", 1_782_864_000_250), ("@1782864000", 1_782_864_000_000),
            ("@1782864000.5", 1_782_864_000_500), ("@-1", -1_000), ("", nil), ("@", nil), ("@noon", nil),
            ("@1e400", nil),
            ("@nan", nil), ("1782864000", nil), ("2026-07-01", nil), ("2026-07-01T00:00:00", nil), ("12:00", nil),
            ("2026-11-31T05:00:00Z", nil), ("2026-11-21T05:99:00Z", nil), ("2026-11-21T25:01:01Z", nil),
            ("2026-02-29T00:00:00.5+01:00", nil),
        ] as [(String, Int64?)])
    func times(text: String, expected: Int64?) {
        #expect(ClockText.parse(text) == expected)
    }

    private var status: ClockStatus {
        get throws {
            try ControlCoding.decode(
                ClockStatus.self,
                from: Array(
                    """
                    {"boot":"5e0c91aa","kernel_error_ms":16000,"kernel_synchronized":false,"leap_second":"none","steps":0,
                    "state":"unsynced","system_unix_ms":1000,"uptime_ms":61000}
                    """.utf8))
        }
    }

    @Test("unknown facts are left out")
    func unknown() throws {
        #expect(
            try ClockText.lines(status) == [
                "clock       unsynced", "system      1970-01-01T00:00:01.000Z",
                "kernel      not synchronised, error up to 16 s", "boot        5e0c91aa, up 1 min 1 s",
            ])
    }

    @Test("source, error, leap seconds and steps are said")
    func known() throws {
        var status = try status
        (status.state, status.source, status.errorMs, status.ageS) = ("holdover", .trusted, 5_200, 7_300)
        (status.unixMs, status.systemUnixMs) = (1_782_864_000_000, 1_782_867_600_000)
        (status.leapSecond, status.steps, status.lastStepMs) = (.insert, 2, -3_600_000)
        #expect(
            ClockText.lines(status) == [
                "clock       holdover, set by a phone or by hand, off by 5200 ms at most, last confirmed 2 h 1 min ago",
                "time        2026-07-01T00:00:00.000Z", "system      2026-07-01T01:00:00.000Z, off by 3600 s",
                "kernel      not synchronised, error up to 16 s", "leap        the UTC day ends with a second more",
                "set         2× since the start, last by -3600 s", "boot        5e0c91aa, up 1 min 1 s",
            ])
        let copy = try ControlCoding.decode(ClockStatus.self, from: ControlCoding.encode(status))
        #expect(copy == status)
    }

    @Test("the manual shows the commands' real output")
    func manual() throws {
        let page = try Checkout.text("docs/configuration.md")
        let shown = try #require(page.firstMatch(of: /```\n(\$ martlet clock\n(?s:.*?))```/)).1
        let (system, given) = (try #require(ClockText.parse("2026-06-30T21:40:12.480Z")), "2026-07-01T12:00:00Z")
        var machine = ClockMachine(boot: "5e0c91aa", .init())
        let unknown = ClockWord(isSynchronized: false, maximumError: 16_000)
        var sample = ClockSample(uptime: 192_000, unix: system)
        machine.receive(unknown, at: sample)
        var lines = ["$ martlet clock"] + ClockText.lines(machine.status(at: sample))
        (sample.uptime, sample.unix) = (sample.uptime + 50_000, sample.unix + 50_000)
        #expect(machine.trust(unixMilliseconds: try #require(ClockText.parse(given)), at: sample) == .taken)
        lines += ["$ martlet clock set \(given)"] + ClockText.lines(machine.status(at: sample))
        let mistake = "2031-07-01T12:00:00Z"
        lines.append("$ martlet clock set \(mistake)")
        let unix = try #require(ClockText.parse(mistake))
        guard case .doubtful(let doubt) = machine.trust(unixMilliseconds: unix, at: sample) else {
            Issue.record("it was taken")
            return
        }
        lines.append("\(doubt); if it is right all the same, insist on it with --force")
        #expect(shown.split(separator: "\n").map(String.init) == lines)
    }
}
