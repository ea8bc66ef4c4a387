// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

/// The findings of a configuration on the German page: each literal of their sources is the English template of a German sentence.
/// Tests/Scenes/Web/languages.py lets the page say whole findings.
struct GermanFindingTests {
    private static let makers = ["Configuration/", "CTOMLPlusPlus/", "Gateway/Operations/ConfigurationView.swift"]

    /// Files of these folders without findings for the page: it shows no decoder file.
    private static let others = [
        "Configuration/Decoders/ConfigurationKey+Numbers.swift", "Configuration/Decoders/DecoderDescription.swift",
        "Configuration/Decoders/DecoderFile.swift", "Configuration/Decoders/DecoderFileReader.swift",
        "Configuration/Decoders/DecoderTable.swift", "Configuration/Decoders/FieldDescription",
        "Configuration/Decoders/FormDescription", "Configuration/Decoders/VectorDescription.swift",
        "Configuration/Identity/GatewayIdentity.swift", "Configuration/Identity/MachineMarks.swift",
        "Configuration/Keys/ConfigurationReference.swift", "Configuration/MachineLayer/MachineLayer+Text.swift",
        "Configuration/Reading/ConfigurationDisk.swift",
    ]

    /// Examples, types of keys, and a description for the log.
    private static let notShown: Set<String> = [
        "layer of {1} values and {2} sensors", "list of tables, like `{1}`", "{ temperature = -0.5 }",
        "{ characteristic = \"SERVICE/CHARACTERISTIC\", value = \"0a01\" }",
        "{ characteristic = \"SERVICE/CHARACTERISTIC\", offset = 0, length = 1, order = \"little\" }",
        "{ temperature = { above = 8, for_s = 600, hysteresis = 0.5 }, battery = { below = 15 }, silent_s = 7200 }",
        "could not determine value type",
    ]

    /// Sentences of the parser of TOML and of the operating system.
    private static let foreign: Set<String> = [
        "Error while parsing {1}: {2}", "expected {1}, saw {2}", "Not a directory",
    ]

    private static let marks = CharacterSet(charactersIn: " ;,:.–-?")

    /// The findings among the literals of a source, without the help on keys.
    private static func texts(of name: String, _ source: String) throws -> [String] {
        let isType = try Regex(#"(?:help|type|as|of):\s*$"#)
        let isIssue = try Regex(#"at: \[[^\]]*\],\s*$"#)
        let holdsHelp = name.wholeMatch(of: #/.*(?:Keys|Configuration)\.swift/#) != nil
        return LiteralReader.all(in: source).compactMap { place in
            let isHelp =
                holdsHelp && place.before.last { !$0.isWhitespace } == ","
                && place.before.firstMatch(of: isIssue) == nil
            let letters = place.template.replacing(/\{\d+\}/, with: "").count(where: \.isLetter)
            let isText = place.template.trimmingCharacters(in: .whitespaces).contains(" ") && letters >= 5
            guard isText, !isHelp, !notShown.contains(place.template), place.before.firstMatch(of: isType) == nil else {
                return nil
            }
            return place.template
        }
    }

    private static func isMaker(_ name: String) -> Bool {
        makers.contains(where: name.hasPrefix) && !others.contains(where: name.hasPrefix)
    }

    /// A text without the numbers of its places and the marks around it.
    private static func plain(_ text: String) -> String {
        text.replacing(/\{\d+\}/, with: "{}").trimmingCharacters(in: marks)
    }

    /// More of the sentence stands before or behind the text.
    private static func isPart(_ text: String) -> Bool {
        guard let (first, last) = text.first.flatMap({ first in text.last.map { (first, $0) } }) else { return true }
        return " ;,:–".contains(first) || last == " "
    }

    private static func numbers(_ template: String) -> [String] {
        template.matches(of: /\{(\d+)\}/).map { String($0.1) }.sorted()
    }

    private static func faults(
        _ findings: [String: String], besides known: Set<String>, _ sources: [String: String]
    ) throws -> [String] {
        let texts = try sources.filter { isMaker($0.key) }.flatMap { name, source in
            try Self.texts(of: name, source).map { (name, $0) }
        }
        let keys = findings.keys.map(plain)
        let missing = texts.filter { _, text in
            findings[text] == nil && !known.contains(text)
                && !(isPart(text) && keys.contains { $0.contains(plain(text)) })
        }
        let said = Set(texts.map { plain($0.1) })
        let unsaid = findings.keys.filter { key in
            !foreign.contains(key) && !said.contains(plain(key))
                && !said.contains { $0.count >= 8 && plain(key).contains($0) }
        }
        let others = findings.filter { key, german in
            let isOfKeys = plain(key).wholeMatch(of: #/[a-z_.]+[{}: ]*[{}_a-z]*[{}: ]*/#) != nil
            return numbers(key) != numbers(german) || german.isEmpty || (key == german && !isOfKeys)
        }.keys
        return Set(missing.map { "\($0.0): no German for: \($0.1)" }).sorted()
            + unsaid.sorted().map { "nothing says: \($0)" } + others.sorted().map { "not like the English: \($0)" }
    }

    private static func sources() throws -> [String: String] {
        var sources = try GermanTexts.sources()
        let parser = "CTOMLPlusPlus/CTOMLPlusPlus.cpp"
        sources[parser] = try String(contentsOf: Checkout.url("Sources/\(parser)"), encoding: .utf8)
        return sources
    }

    private static func findings() throws -> [String: String] {
        try GermanTexts.read("Sources/CPage/page/findings.de.js", "findings")
    }

    @Test func `each finding of a configuration has a German sentence, and each German sentence a finding`() throws {
        let sources = try Self.sources()
        #expect((Self.makers + Self.others).allSatisfy { place in sources.keys.contains { $0.hasPrefix(place) } })
        let known = try Set(GermanTexts.sentences().keys).union(GermanTexts.values().keys)
        let findings = try Self.findings()
        #expect(findings.count > 200)
        let faults = try Self.faults(findings, besides: known, sources)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test func `a finding without German, a sentence of no finding, and a place left out are found`() throws {
        let name = "Configuration/Keys/NewKeys.swift"
        let source = #"""
            .text("moon", \.moon, check: moonComplaint, "The phase of the moon."),
            func moonComplaint(_ text: String) -> String? {
                text.isEmpty ? "is no phase of the moon, like \(example)" : nil
            }
            let hint = found.map { " – did you look at \($0)?" } ?? ""
            throw InvalidValue("holds \(value), which is no star\(hint)")
            """#
        var findings = [
            "is no phase of the moon, like {1}": "ist keine Mondphase, wie {1}",
            "holds {1}, which is no star{2}": "enthält {1}; das ist kein Stern{2}",
            " – did you look at {1}?": " – sahen Sie {1} an?",
        ]
        let sources = [name: source, "Page/A.swift": source]
        #expect(try Self.faults(findings, besides: [], sources) == [])
        findings["holds {1}, which is no star{2}"] = "enthält {1}; das ist kein Stern"
        findings["the sun is full"] = "die Sonne ist voll"
        findings["is no phase of the moon, like {1}"] = nil
        #expect(
            try Self.faults(findings, besides: [], sources) == [
                "\(name): no German for: is no phase of the moon, like {1}", "nothing says: the sun is full",
                "not like the English: holds {1}, which is no star{2}",
            ])
    }
}
