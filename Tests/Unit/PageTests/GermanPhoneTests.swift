// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

@testable import Health

/// The set-up page has German words for the gateway's problems, by their codes, and for refusals, failures of a step and errors, by
/// their English templates. The sentences of the gateway's page are on the set-up page, too.
struct GermanPhoneTests {
    private static let check = GermanCheck(
        makers: [
            "Provisioning/Service/", "Provisioning/Apply/", "Provisioning/Window/", "Gateway/Apply/",
            "Publisher/Broker/PublisherCheck.swift",
        ],
        notShown: ["erase everything", "-----BEGIN CERTIFICATE-----", "… {1} lines were dropped here\n"])

    private static func refusals() throws -> [String: String] {
        try GermanTexts.read("Sources/PhonePage/refusals.de.js", "refusals")
    }

    @Test func `each refusal and each failure of a step has German words`() throws {
        let sources = try GermanTexts.sources()
        #expect(Self.check.withoutSources(sources).isEmpty)
        #expect(try Self.check.count(sources) > 80)
        let known = try [Self.refusals(), GermanTexts.sentences(), GermanTexts.values()].flatMap(\.keys)
        let missing = try Self.check.missing(sources, known)
        #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
    }

    @Test func `German refusals have the places of the English ones, and no sentence twice`() throws {
        let (refusals, sentences) = (try Self.refusals(), try GermanTexts.sentences())
        func places(_ text: String) -> [String] { text.matches(of: /\{(\d+)\}/).map { String($0.1) }.sorted() }
        for (english, german) in refusals {
            #expect(places(english) == places(german) && !german.isEmpty, "\(english)")
            #expect(sentences[english] == nil, "\(english)")
        }
    }

    @Test func `each problem has German words by its code`() throws {
        let codes = try GermanTexts.keys(of: "problems", in: "Sources/PhonePage/strings.de.js")
        #expect(codes == Set(ProblemCode.allCases.map(\.rawValue)))
    }

    @Test func `the set-up page has the sentences and the problems of the gateway's page`() throws {
        for name in ["said.js", "sentences.de.js", "problems.de.js", "findings.de.js"] {
            let (own, other) = ("Sources/PhonePage/\(name)", "Sources/CPage/page/\(name)")
            #expect(try Data(contentsOf: Checkout.url(own)) == Data(contentsOf: Checkout.url(other)), "\(name)")
        }
    }
}
