// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector

/// A sentence that names a cause rests on an observation, or says "perhaps".
@Suite("Stated causes")
struct ClaimedCauseTests {
    /// Words for causes that no code of the radio proves…
    private static let causes = [
        "battery", "range", "interfer", "reset", "somebody", "phone", "hang", "too far", "weak", "moved", "button",
        "too many connections", "another device",
    ]
    /// …and words that mark a guess, or name the source.
    private static let guesses = ["perhaps", "may ", "says ", "whether", "?", "if ", "see ", "where"]

    /// The sentences, without pure commands: a command claims nothing.
    static func claims(_ text: String) -> [String] {
        text.split(separator: ".").map { $0.lowercased() }.filter { sentence in
            causes.contains(where: sentence.contains) && !guesses.contains(where: sentence.contains)
        }
    }

    @Test(arguments: 0...UInt8.max)
    func `the end of a link is no proof of what has caused it`(code: UInt8) {
        let advice = LinkEndAdvice.of(LinkEndReason(rawValue: code), sensor: "thermo")
        #expect(Self.claims(advice.meaning).isEmpty, "\(advice.meaning)")
        #expect(advice.advice.map(Self.claims) ?? [] == [], "\(advice.advice ?? "")")
    }

    @Test func `the rule finds what was said before`() {
        for text in [
            "Bring it nearer to the gateway, and check its battery.",
            "the sensor was reset, or paired with somebody else",
            "the radio lost it (out of range, flat battery or interference)",
        ] { #expect(!Self.claims(text).isEmpty, "\(text)") }
    }

    @Test(arguments: [SensorStatus.Link.collecting, .listening, .connecting, .waiting, .settingUp, .queued])
    func `a sensor that is silent or away has no cause that was not seen`(link: SensorStatus.Link) {
        for isSilent in [false, true] {
            for reason in [nil, LinkEndReason.connectionTimeout, .remoteUserTerminated, .failedToBeEstablished] {
                var facts = SensorCase(id: "thermo", link: link)
                (facts.state, facts.lastValueAge, facts.lastLink.losses) = (isSilent ? .silent : .fresh, 900_000, 5)
                if let reason {
                    var end = SensorEvent(.linkEnded, uptimeMs: 0)
                    (end.reason, end.endedBy) = (reason, reason.party)
                    (facts.lastLink.end, facts.lastLink.age) = (end, 10_000)
                }
                for text in [facts.answer, facts.advice ?? ""] {
                    #expect(Self.claims(text).isEmpty, "\(text)")
                }
            }
        }
    }
}
