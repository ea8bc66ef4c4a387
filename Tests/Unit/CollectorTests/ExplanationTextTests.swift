// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GatewayBench
import Testing

@testable import Collector
@testable import Health

/// Whole answers of “Why”, which the page's test looks at in German: Tests/Scenes/Web/languages.py.
struct ExplanationTextTests {
    private typealias Change = @Sendable (inout SensorCase) -> Void

    private static func end(_ code: UInt8, _ detail: String? = nil, during: String? = nil) -> SensorEvent {
        var end = SensorEvent(.linkEnded, uptimeMs: 0, detail: detail)
        let reason = LinkEndReason(rawValue: code)
        (end.reason, end.endedBy, end.lastedMs, end.during) = (reason, reason.party, 180_000, during)
        return end
    }

    /// Each change alone, and together with each change of later groups.
    private static func cases(_ link: SensorStatus.Link, _ groups: [[Change]]) -> [SensorCase] {
        groups.reduce([SensorCase(id: "thermo", link: link)]) { cases, group in
            cases
                + cases.flatMap { facts in
                    group.map { change in
                        var facts = facts
                        change(&facts)
                        return facts
                    }
                }
        }
    }

    private static let signs: [Change] = [
        { $0.lastHeardAge = 3_600_000 },
        { ($0.lastHeardAge, $0.rssi) = (300_000_000, -91) },
    ]
    private static let values: [Change] = [
        { $0.lastValueAge = 2_000 }, { ($0.lastValueAge, $0.rssi) = (2_000, -60) },
        { ($0.lastValueAge, $0.usual, $0.state) = (900_000, 60_000, .silent) },
        { ($0.lastValueAge, $0.state, $0.rssi) = (900_000, .silent, -91) },
        { ($0.lastValueAge, $0.unreadAge, $0.state) = (900_000, 1_000, .notUnderstood) },
    ]
    private static let ends: [Change] = [
        { ($0.lastLink.end, $0.lastLink.age) = (end(0x08), 300_000) },
        { ($0.lastLink.end, $0.lastLink.age) = (end(0x13, during: "the reading of 2A6E"), 300_000) },
        { ($0.lastLink.end, $0.lastLink.age) = (end(0x16, "its set-up failed"), 300_000) },
    ]
    /// Too few links, with the intervals of values.
    private static let turns: [Change] = [
        { $0.turns.shortage = SlotShortage(sensors: 5, links: 1) },
        { $0.turns.shortage = SlotShortage(sensors: 1, links: 0) },
        { ($0.turns.shortage, $0.turns.period) = (SlotShortage(sensors: 9, links: 4), 300_000) },
        {
            $0.turns.shortage = SlotShortage(sensors: 9, links: 4)
            ($0.turns.period, $0.turns.wanted) = (300_000, 60_000)
        },
    ]
    private static let tries: [Change] = [{ $0.nextTry = 30_000 }]
    private static let troubles: [Change] = [
        { $0.lastFailure = "not set up after 60 s" },
        {
            $0.lastFailure = "pairing failed: The connection ended during the pairing: try again, nearer to the device."
        },
        { $0.lastFailure = "lost during set-up: 0x13 Remote User Terminated Connection, during the exchange of MTUs" },
        { $0.trouble = "its values are encrypted, and its entry has no key: martlet key thermo" },
        {
            $0.controller =
                "hci0: no such adapter. There is none. Check that the controller is plugged in and its driver loaded "
                + "(dmesg | grep -i bluetooth)"
        },
        { $0.controller = "hci0: the controller closed the connection" },
        {
            $0.refusal =
                "the controller refuses to scan: LE Set Scan Enable (0x200C): Command Disallowed (0x0C); entries with an "
                + "address are connected to without a scan"
        },
    ]
    /// Every code of an ended link.
    private static var allEnds: [Change] {
        (UInt8(0)...0x45).map { code in
            { ($0.lastLink.end, $0.lastLink.age, $0.lastHeardAge) = (end(code), 60_000, 1_000) }
        }
    }

    private static var all: [SensorCase] {
        cases(.connecting, [signs, ends]) + cases(.connecting, [allEnds]) + cases(.unavailable, [troubles])
            + cases(.waiting, [tries, troubles + signs, ends]) + cases(.disconnecting, [troubles])
            + cases(.collecting, [values, [{ $0.connectedAge = 60_000 }], ends, turns])
            + cases(.collecting, [values, [{ $0.missing = ["2A6E is not there", "180F/2A19 cannot be read"] }]])
            + cases(.listening, [signs, values, troubles, [{ $0.owner = "gw-2" }]])
            + cases(.resting, [values, tries]).map { facts in
                var facts = facts
                facts.pollInterval = 300_000
                return facts
            }
            + cases(.queued, [values, turns]) + cases(.elsewhere, [[{ $0.owner = "gw-2" }]])
            + cases(.settingUp, [[{ $0.connectedAge = 2_000 }], [{ $0.isPairing = true }]])
    }

    @Test func `the page's test has each answer`() throws {
        let sentences = Set(Self.all.flatMap { [$0.answer, $0.advice].compactMap { $0 } })
        #expect(sentences.count > 180)
        let remedy = "MARTLET_WRITE=1 make unit TEST=ExplanationTextTests"
        #expect(
            try MadeFile.holds(
                sentences: sentences, about: "Answers of martlet why, made by \(remedy)",
                at: "Tests/Scenes/Web/data/explanations.json"), "\(remedy)")
    }
}
