// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Collector
@testable import martlet

/// The text of `martlet why`.
@Suite("Why, on a terminal")
struct WhyTextTests {
    private static let zone = TimeZone(secondsFromGMT: 3_600) ?? .gmt
    /// 2026-11-23 13:05:33 UTC.
    private static let moment: Int64 = 1_795_439_133_000

    private static func event(
        _ kind: SensorEvent.Kind, _ seconds: Int64, _ change: (inout SensorEvent) -> Void = { _ in }
    ) -> SensorEvent {
        var event = SensorEvent(kind, uptimeMs: seconds * 1_000, unixMs: moment + seconds * 1_000)
        change(&event)
        return event
    }

    private static let explanation: SensorExplanation = {
        var answer = SensorExplanation(
            sensor: "greenhouse", state: .link(.connecting),
            answer: "The sensor is not connected: last heard 14 min ago at -91 dBm; the last link ended 14 min "
                + "ago, after 3 min: 0x08 Connection Timeout – the radio lost the link (perhaps out of range, a "
                + "flat battery or interference).",
            advice:
                "The signal was weak (-91 dBm). Perhaps the sensor is too far away, or its battery is low: bring "
                + "the sensor nearer to the gateway.",
            uptimeMs: 2_000_000)
        (answer.name, answer.address) = ("Green\u{1B}house", "C4:7C:8D:00:11:04")
        answer.ends = [.init(reason: .connectionTimeout, count: 12), .init(reason: nil, count: 3)]
        answer.events = [
            event(.heard, -50_000) { $0.rssi = -80 },
            event(.connecting, 0) { $0.detail = "scan" },
            event(.connected, 1) { $0.link = 11 },
            event(.collecting, 2),
            event(.linkEnded, 1_000) { event in
                (event.link, event.reason, event.endedBy, event.lastedMs) = (11, .connectionTimeout, .radio, 183_000)
                (event.rssi, event.count, event.firstUnixMs) = (-91, 12, moment - 90_000_000)
            },
            event(.waiting, 1_001) { ($0.waitMs, $0.count, $0.firstUnixMs) = (8_000, 2, moment + 900_000) },
        ]
        return answer
    }()

    @Test("the answer comes first, then the remedy, the count, and the events, all of it within 80 columns")
    func wide() {
        let lines = WhyText.lines(Self.explanation, columns: 80, zone: Self.zone)
        #expect(lines.allSatisfy { Text.width($0) <= 80 })
        #expect(
            lines == [
                "greenhouse (Green?house, C4:7C:8D:00:11:04)",
                "The sensor is not connected: last heard 14 min ago at -91 dBm; the last link",
                "ended 14 min ago, after 3 min: 0x08 Connection Timeout – the radio lost the link",
                "(perhaps out of range, a flat battery or interference).",
                "",
                "To do: The signal was weak (-91 dBm). Perhaps the sensor is too far away, or its",
                "       battery is low: bring the sensor nearer to the gateway.",
                "",
                "Links that ended in the last 24 hours",
                "  12 × 0x08 Connection Timeout",
                "   3 × all others",
                "",
                "What happened",
                "  2026-11-23 UTC+01:00",
                "  00:12:13  heard, at -80 dBm",
                "  14:05:33  connecting (scan)",
                "  14:05:34  connected, link 11",
                "  14:05:35  collecting",
                "  14:22:13  link ended after 3 min: 0x08 Connection Timeout, lost by the radio,",
                "            at -91 dBm, link 11 (12 times since 2026-11-22 13:05:33)",
                "  14:22:14  waiting 8 s before the next try (2 times since 14:20:33)",
            ])
    }

    @Test("in a pipe nothing is wrapped, and without a clock events are told by how long ago they were")
    func piped() {
        var answer = Self.explanation
        answer.events = [SensorEvent(.heard, uptimeMs: 1_940_000)]
        let lines = WhyText.lines(answer, zone: Self.zone)
        #expect(lines.last == "  60 s ago  heard")
        #expect(lines.contains(answer.answer))
    }

    @Test("every kind of event has words", arguments: SensorEvent.Kind.allCases)
    func kinds(kind: SensorEvent.Kind) {
        var event = Self.event(kind, 0)
        let plain = WhyText.text(event, Self.zone)
        #expect(!plain.isEmpty && !plain.contains(":"), "\(plain)")
        event.detail = "why"
        (event.link, event.reason, event.endedBy, event.lastedMs) = (3, .micFailure, .security, 5_000)
        (event.waitMs, event.usualMs, event.rssi, event.count) = (1_000, 2_000, -70, 2)
        #expect(WhyText.text(event, Self.zone).hasSuffix("(2 times)"))
    }
}
