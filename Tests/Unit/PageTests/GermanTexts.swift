// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

/// The German texts of the page, and the sources of the English ones.
enum GermanTexts {
    /// The German sentences by their English templates.
    static func sentences() throws -> [String: String] { try read("Sources/CPage/page/sentences.de.js", "sentences") }

    /// The JSON behind `export const NAME = ` of a file.
    static func read<Value: Decodable>(_ path: String, _ name: String) throws -> Value {
        let text = try String(contentsOf: Checkout.url(path), encoding: .utf8)
        let parts = text.components(separatedBy: "export const \(name) = ")
        let value = try #require(parts.count == 2 ? parts[1].components(separatedBy: ";\n").first : nil)
        return try JSONDecoder().decode(Value.self, from: Data(value.utf8))
    }

    /// The text of each Swift file, by its path below `Sources`.
    static func sources() throws -> [String: String] {
        let root = Checkout.url("Sources")
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.reduce(into: [:]) { texts, name in
            texts[name] = try String(contentsOf: root.appending(path: name), encoding: .utf8)
        }
    }

    private struct Values: Decodable { var values: [String: String] }

    /// German words for whole values in the places of problems.
    static func values() throws -> [String: String] {
        let problems: Values = try read("Sources/CPage/page/problems.de.js", "problems")
        return problems.values
    }

    /// The keys of a table of a page's strings, like `events: {`.
    static func keys(of table: String, in path: String) throws -> Set<String> {
        let text = try String(contentsOf: Checkout.url(path), encoding: .utf8)
        let parts = text.components(separatedBy: "\n  \(table): {\n")
        let part = try #require(parts.dropFirst().first?.components(separatedBy: "\n  },").first)
        let plain = part.replacing(/: '(?:[^'\\]|\\.)*'/, with: ":")
        return Set(plain.matches(of: /(?:'([a-z-]+)'|([a-z]+)):/).compactMap { ($0.1 ?? $0.2).map(String.init) })
    }
}

/// Compares the literals of sources with the German sentences.
struct GermanCheck {
    /// Folders and files below `Sources` with literals for people.
    var makers: [String]
    /// Files of these folders without texts for the page.
    var others: [String] = []
    /// Literals for no person.
    var notShown: Set<String> = []
    /// The ends of code in front of literals that are texts of one word, too.
    var labels: [String] = []

    private func isMaker(_ name: String) -> Bool {
        makers.contains(where: name.hasPrefix) && !others.contains(where: name.hasPrefix)
    }

    /// Places without a file.
    func withoutSources(_ sources: [String: String]) -> [String] {
        (makers + others).filter { place in !sources.keys.contains { $0.hasPrefix(place) } }
    }

    func count(_ sources: [String: String]) throws -> Int {
        try sources.filter { isMaker($0.key) }.reduce(0) { try $0 + texts(in: $1.value).count }
    }

    /// The texts for people among the literals of a source.
    private func texts(in source: String) throws -> [String] {
        let isLogged = try Regex(
            #"(?s)\.(?:trace|debug|info|notice|warning|error|critical)\(\s*$|\.log\(\s*level:.*,\s*$"#)
        return try LiteralReader.all(in: source).compactMap { place in
            let isWord = labels.contains(where: place.before.hasSuffix)
            let letters = place.template.replacing(/\{\d+\}/, with: "").count(where: \.isLetter)
            let isText = place.template.trimmingCharacters(in: .whitespaces).contains(" ") && letters >= 5
            guard isWord || isText else { return nil }
            guard !notShown.contains(place.template), try isLogged.firstMatch(in: place.before) == nil else {
                return nil
            }
            return place.template
        }
    }

    private static let marks = CharacterSet(charactersIn: " ;,:.–-")

    /// The words of a text between its places, without the marks around it.
    private static func pieces(_ template: String) -> [String] {
        template.trimmingCharacters(in: marks).replacing(/\{\d+\}/, with: "\u{0}").components(separatedBy: "\u{0}")
            .map { $0.trimmingCharacters(in: marks) }.filter { !$0.isEmpty }
    }

    /// Whether the words come one after the other in an English template.
    private static func has(_ pieces: [String], in key: String) -> Bool {
        var rest = key[...]
        for piece in pieces {
            guard let found = rest.range(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    /// The texts without German words.
    ///
    /// - Parameter german: The English templates of the German sentences.
    func missing(_ sources: [String: String], _ german: [String]) throws -> [String] {
        try sources.filter { isMaker($0.key) }.flatMap { name, source in
            try texts(in: source).filter { template in
                let pieces = Self.pieces(template)
                return !german.contains { Self.has(pieces, in: $0) }
            }.map { "\(name): \($0)" }
        }.sorted()
    }
}
