// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector
@testable import Health

@Suite("The reason for a sensor's state, in a sentence")
struct SensorCaseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var facts: SensorCase
        var answer: String
        /// Nil: none.
        var advice: String?
        var testDescription: String { name }

        init(
            _ name: String, _ link: SensorStatus.Link, answer: String, advice: String? = nil,
            _ change: (inout SensorCase) -> Void = { _ in }
        ) {
            self.name = name
            facts = SensorCase(id: "thermo", link: link)
            change(&facts)
            (self.answer, self.advice) = (answer, advice)
        }
    }

    private static func end(
        _ reason: LinkEndReason?, after seconds: Int64 = 180, _ detail: String? = nil
    ) -> SensorEvent {
        var end = SensorEvent(.linkEnded, uptimeMs: 0, detail: detail)
        (end.reason, end.endedBy, end.lastedMs) = (reason, reason?.party, seconds * 1_000)
        return end
    }

    private static let nearer =
        "Bring the sensor nearer to the gateway, away from metal and from Wi-Fi; perhaps its battery is low, too."

    private static let rows = [
        Row(
            "read now and then", .resting,
            answer: "The gateway reads the sensor every 5 min; the last value came 2 min ago, the next poll "
                + "is in 3 min."
        ) { ($0.pollInterval, $0.lastValueAge, $0.nextTry) = (300_000, 120_000, 180_000) },
        Row("values come", .collecting, answer: "The gateway collects from the sensor; the last value came 2 s ago.") {
            $0.lastValueAge = 2_000
        },
        Row(
            "values come again", .collecting,
            answer: "The gateway collects from the sensor; the last value came 2 s ago; the link before ended 5 min "
                + "ago, after 3 min: 0x08 Connection Timeout – the radio lost the link (perhaps out of range, a flat "
                + "battery or interference)."
        ) {
            ($0.lastValueAge, $0.lastLink.end, $0.lastLink.age, $0.lastLink.losses) = (
                2_000, end(.connectionTimeout), 300_000, 1
            )
        },
        Row(
            "an old end is no news", .collecting,
            answer: "The gateway collects from the sensor; the last value came 2 s ago."
        ) {
            ($0.lastValueAge, $0.lastLink.end, $0.lastLink.age) = (2_000, end(.connectionTimeout), 7_200_000)
        },
        Row(
            "its link is lost again and again", .collecting,
            answer: "The gateway collects from the sensor; the last value came less than 1 s ago; the link before "
                + "ended 10 s ago, after 20 s: 0x13 Remote User Terminated Connection – the sensor ended the link.",
            advice: LinkEndAdvice.of(.remoteUserTerminated, sensor: "thermo").advice?.text(on: .package)
        ) {
            ($0.lastValueAge, $0.lastLink.losses) = (30, LastLink.manyLosses)
            ($0.lastLink.end, $0.lastLink.age) = (end(.remoteUserTerminated, after: 20), 10_000)
        },
        Row("fresh", .collecting, answer: "The sensor has been connected for 5 s, and no value has come yet.") {
            $0.connectedAge = 5_000
        },
        Row(
            "silent", .collecting,
            answer: "The sensor is connected, but silent: no value has come for 14 min, though values usually come "
                + "every 10 s.",
            advice:
                "The link stands: perhaps the sensor has nothing to say, like a button, or hangs. If values are "
                + "due, take the sensor's battery out for a moment."
        ) { ($0.lastValueAge, $0.usual, $0.state) = (14 * 60_000, 10_000, .silent) },
        Row(
            "lacks something", .collecting,
            answer: "The gateway collects from the sensor; the last value came 2 s ago.",
            advice: "Not everything is there: 181A/2A6F is not there."
        ) { ($0.lastValueAge, $0.missing) = (2_000, ["181A/2A6F is not there"]) },
        Row(
            "lost with a weak signal", .connecting,
            answer: "The sensor is not connected: last heard 14 min ago at -91 dBm; the last link ended 14 min "
                + "ago, after 3 min: 0x08 Connection Timeout – the radio lost the link (perhaps out of range, a "
                + "flat battery or interference).",
            advice: "The signal was weak (-91 dBm). " + nearer
        ) {
            ($0.lastHeardAge, $0.rssi) = (14 * 60_000, -91)
            ($0.lastLink.end, $0.lastLink.age) = (end(.connectionTimeout), 14 * 60_000)
        },
        Row(
            "lost with a strong signal", .connecting,
            answer: "The sensor is not connected: last heard 3 s ago at -50 dBm; the last link ended 3 s ago, after "
                + "3 min: 0x08 Connection Timeout – the radio lost the link (perhaps out of range, a flat battery "
                + "or interference).",
            advice: nearer
        ) {
            ($0.lastHeardAge, $0.rssi, $0.lastLink.end, $0.lastLink.age) = (3_000, -50, end(.connectionTimeout), 3_000)
        },
        Row(
            "never heard", .connecting, answer: "The sensor is not connected: not heard since the gateway started.",
            advice: "Is the sensor switched on, near, and not connected to a phone?"),
        Row("heard, on its way", .connecting, answer: "The sensor is not connected: last heard 3 s ago at -60 dBm.") {
            ($0.lastHeardAge, $0.rssi) = (3_000, -60)
        },
        Row(
            "set-up fails", .waiting,
            answer: "The gateway collects nothing from the sensor: the sensor has no heart_rate (180D); the next "
                + "try is in 8 s.",
            advice: "Compare the entry with the services and characteristics of the sensor; martlet devices shows "
                + "the devices in the air."
        ) {
            ($0.lastFailure, $0.nextTry, $0.lastHeardAge) = ("the sensor has no heart_rate (180D)", 8_000, 1_000)
            ($0.lastLink.end, $0.lastLink.age) = (end(.localHostTerminated), 1_000)
        },
        Row(
            "wants to be paired", .waiting,
            answer: "The gateway collects nothing from the sensor: 181A/2A6E: Authentication is insufficient; "
                + "the next try is in 8 s.",
            advice: "The sensor wants to be paired: run martlet pair thermo, or set pair = true in its entry."
        ) {
            ($0.lastFailure, $0.nextTry) = ("181A/2A6E: Authentication is insufficient.", 8_000)
            $0.trouble = "the sensor wants to be paired: run martlet pair thermo, or set pair = true in its entry"
        },
        Row(
            "its address changes", .waiting,
            answer: "The gateway collects nothing from the sensor: its address changes.",
            advice: "Its address changes."
        ) { $0.trouble = "its address changes" },
        Row(
            "we gave up an indication", .disconnecting,
            answer: "The sensor is not connected: last heard 5 s ago; the last link ended 5 s ago, after 3 min: "
                + "the gateway ended the link: the disk was too slow."
        ) {
            ($0.lastHeardAge, $0.lastLink.age) = (5_000, 5_000)
            $0.lastLink.end = end(.localHostTerminated, "the disk was too slow")
        },
        Row(
            "being set up", .settingUp,
            answer: "The gateway sets the sensor up; the link began 3 s ago."
        ) { $0.connectedAge = 3_000 },
        Row("being paired", .settingUp, answer: "The gateway pairs with the sensor.") { $0.isPairing = true },
        Row(
            "no controller", .unavailable,
            answer: "The sensor is not connected: the controller is not ready (hci0 is not there).",
            advice: "martlet status says how the controller is."
        ) { $0.controller = "hci0 is not there" },
        Row(
            "no controller, and what to do", .connecting,
            answer: "The sensor is not connected: the controller is not ready (tcp:127.0.0.1:7: connection refused).",
            advice: "No program listens there: start the controller's program."
        ) {
            $0.controller =
                "tcp:127.0.0.1:7: connection refused. No program listens there: start the controller's program"
        },
    ]

    @Test("the answer and the advice", arguments: rows)
    func row(_ row: Row) {
        #expect(row.facts.answer == row.answer)
        #expect(row.facts.advice == row.advice)
    }

    @Test("every reason has a meaning, and every answer is one sentence without an inner full stop")
    func reasons() {
        for code in UInt8.min...UInt8.max {
            let reason = LinkEndReason(rawValue: code)
            let advice = LinkEndAdvice.of(reason, sensor: "thermo")
            #expect(!advice.meaning.isEmpty && !advice.meaning.contains("."), "\(reason)")
            #expect(advice.advice?.text(on: .package).hasSuffix(".") ?? true, "\(reason)")
        }
        for code: UInt8 in [0x05, 0x06, 0x08, 0x13, 0x14, 0x15, 0x22, 0x2F, 0x3D, 0x3E] {
            #expect(LinkEndAdvice.of(LinkEndReason(rawValue: code), sensor: "thermo").advice != nil, "\(code)")
        }
        let advice = LinkEndAdvice.of(.micFailure, sensor: "a").advice
        #expect(advice?.commands == [.martlet(.unpair, "a"), .martlet(.pair, "a")])
    }

    @Test(
        "durations have one unit",
        arguments: [
            (-5, "less than 1 s"), (999, "less than 1 s"), (1_000, "1 s"), (119_999, "119 s"), (120_000, "2 min"),
            (7_199_999, "119 min"), (7_200_000, "2 h"), (172_800_000, "2 d"), (Int64.max, "106751991167 d"),
        ])
    func spans(milliseconds: Int64, text: String) { #expect(SpokenTime.of(milliseconds) == text) }
}
