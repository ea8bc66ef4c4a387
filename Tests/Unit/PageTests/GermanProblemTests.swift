// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GatewayBench
import Testing

@testable import Collector
@testable import Gateway
@testable import Health
@testable import Journal
@testable import Readings

/// The German texts of problems: one for each English text, with the same places.
struct GermanProblemTests {
    private struct Texts: Decodable {
        struct Row: Decodable {
            var title: String
            var text: String
            var remedy: String?
            var variants: [String: Wording]?
        }

        struct Wording: Decodable {
            var text: String?
            var remedy: String?
        }

        var codes: [String: Row]
        var phrases: [String: String]
        var values: [String: String]
    }

    private static func german() throws -> Texts {
        try GermanTexts.read("Sources/CPage/page/problems.de.js", "problems")
    }

    /// The mistakes of a German text.
    private static func faults(_ name: String, _ english: String?, _ german: String?) -> [String] {
        guard let english else { return german == nil ? [] : ["\(name): no English text"] }
        guard let german, !german.isEmpty else { return ["\(name): no German text"] }
        let (known, named) = (ProblemRow.places(of: english), ProblemRow.places(of: german))
        let unknown = named.subtracting(known).sorted().map { "\(name): the problem has no {\($0)}" }
        let left = known.subtracting(named).sorted().map { "\(name): {\($0)} is left out" }
        let words = english.replacing(/\{[^{}]+\}/, with: "")
        let isSame = english == german && words.contains(where: \.isLetter)
        return unknown + left + (isSame ? ["\(name): not translated"] : [])
    }

    private static func faults(_ german: Texts) -> [String] {
        var faults: [String] = []
        for row in ProblemTable.rows {
            let (code, other) = (row.code.rawValue, german.codes[row.code.rawValue])
            faults += Self.faults("\(code), title", row.title, other?.title)
            faults += Self.faults("\(code), text", row.text, other?.text)
            faults += Self.faults("\(code), remedy", row.remedy?.template, other?.remedy)
            for (variant, wording) in row.variants {
                let name = "\(code), \(variant.rawValue)"
                let own = other?.variants?[variant.rawValue]
                if own == nil { faults.append("\(name): no German text") }
                faults += Self.faults("\(name), text", wording.text, own?.text)
                faults += Self.faults("\(name), remedy", wording.remedy?.template, own?.remedy)
            }
            let variants = Set(other?.variants?.keys.map { $0 } ?? [])
            faults += variants.subtracting(row.variants.keys.map(\.rawValue)).map { "\(code): no variant \($0)" }
        }
        for name in ProblemPhrase.Name.allCases {
            faults += Self.faults(name.rawValue, name.english, german.phrases[name.rawValue])
        }
        faults += Set(german.codes.keys).subtracting(ProblemCode.allCases.map(\.rawValue)).map { "no code \($0)" }
        let phrases = ProblemPhrase.Name.allCases.map(\.rawValue)
        return faults + Set(german.phrases.keys).subtracting(phrases).map { "no phrase \($0)" }
    }

    @Test func `each text of a problem is German, too, with the same places`() throws {
        let faults = Self.faults(try Self.german())
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test func `a text that is missing, a place too many and a place left out are found`() throws {
        var german = try Self.german()
        german.codes["bonds"] = nil
        german.codes["sensor-silent"]?.variants = [:]
        german.codes["radio-silent"]?.text = "Seit {times}"
        german.codes["clock-unknown"]?.remedy = "Oder: {martlet clock}"
        german.phrases["over"] = nil
        #expect(
            Self.faults(german) == [
                "radio-silent, text: the problem has no {times}", "radio-silent, text: {time} is left out",
                "clock-unknown, remedy: the problem has no {martlet clock}",
                "clock-unknown, remedy: {martlet clock set --now} is left out",
                "bonds, title: no German text", "bonds, text: no German text",
                "sensor-silent, usually: no German text", "sensor-silent, usually, text: no German text",
                "over: no German text",
            ])
    }

    @Test func `whole sentences in places are German, too`() throws {
        let remedies = ProblemTable.rows.flatMap { [$0.remedy] + $0.variants.values.map(\.remedy) }
        let installations = Installation.Kind.allCases.map { Installation($0) }
        let words = remedies.compactMap { $0 }.flatMap(\.commands).flatMap { command in
            installations.filter { !command.isCommand(on: $0) }.map(command.line)
        }
        let refused = [AwaitedSensor.Heard.Refusal.notUnderstood, .noConnection].map { refusal in
            var awaited = AwaitedSensor(SensorRule())
            var heard = AwaitedSensor.Heard(connectable: false, likeness: .all, ageMs: 0)
            heard.refusal = refusal
            awaited.nearest = [heard]
            return awaited.state
        }
        var rule = SensorRule()
        (rule.name, rule.address, rule.identifier) = ("n", 1, UUID())
        (rule.service, rule.family) = (BluetoothUUID(0x181A as UInt16), "f")
        let wants = AwaitedSensor(rule).wants.split(separator: " ").map(String.init)
        let names = zip(wants, wants.dropFirst()).filter { $0.0 == "the" }.map { "\($0.0) \($0.1)" }
        #expect(names.count == 5 && wants.contains("and"))
        let whole =
            words + refused + names + ["and"] + LatePart.allCases.map(\.sentence) + [
                SpokenTime.of(0), JournalStatistics.shortOfRoom,
            ]
        #expect(Set(try Self.german().values.keys) == Set(whole))
    }
}
