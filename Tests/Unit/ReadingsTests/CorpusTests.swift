// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import TestMaterials
import Testing

/// Packets of real sensors from documents, issues and test suites: Tests/Support/Corpus/packets.jsonl. `make test-corpus` runs these tests.
struct CorpusTests {
    private static let broadest = "github.com/theengs/decoder"

    @Test func `there are at least 400 packets, of three sources, at most ten a model, and nearly all are read`() throws
    {
        let text = try String(contentsOf: Checkout.url("Tests/Support/Corpus/packets.jsonl"), encoding: .utf8)
        #expect(CorpusRow.all.count == text.split(separator: "\n").count, "a line is no row")
        #expect(CorpusRow.all.count >= 400)
        #expect(Set(CorpusRow.all.map { $0.source.prefix { $0 != " " } }).count >= 3)
        let models = Dictionary(grouping: CorpusRow.all, by: \.model)
        #expect(models.values.allSatisfy { $0.count <= 10 })
        let read = CorpusRow.all.filter { $0.unread == nil }
        #expect(read.count >= 400, "\(read.count)")
    }

    @Test func `each row states values, or why there are none`() {
        for row in CorpusRow.all {
            #expect((row.values ?? [:]).isEmpty == (row.unread != nil), "\(row.testDescription)")
            #expect(Set((row.otherwise ?? [:]).keys).isSubset(of: (row.values ?? [:]).keys), "\(row.testDescription)")
            let reasons = [row.unread].compactMap { $0 } + (row.left_out ?? [:]).values + (row.otherwise ?? [:]).values
            #expect(reasons.allSatisfy { $0.count > 10 }, "a reason, not a word: \(row.testDescription)")
        }
    }

    /// A model is right if at least one of its packets is read, and if each packet that is read has all measurements of the
    /// source. The reasons for packets without values are in the rows.
    @Test func `at least 90 of the 114 models of the broadest collection of packets are right`() {
        let models = Dictionary(grouping: CorpusRow.all.filter { $0.source.hasPrefix(Self.broadest) }, by: \.model)
        #expect(models.count == 114, "\(models.count)")
        let read = models.mapValues { rows in rows.filter { $0.unread == nil } }.filter { !$0.value.isEmpty }
        let right = read.filter { $0.value.allSatisfy(\.isRight) }
        let other = right.filter { $0.value.contains { $0.otherwise != nil } }
        let partly = read.keys.filter { right[$0] == nil }.sorted()
        print(
            """
            Of \(models.count) models, \(right.count) are right, of which \(other.count) have another number than the source, with \
            its reason: \(other.keys.sorted()). In part: \(partly). Without a value: \(models.keys.filter { read[$0] == nil }.sorted())
            """)
        #expect(right.count >= 90)
    }

    @Test(arguments: CorpusRow.all)
    func `a real packet says what its sensor said`(_ row: CorpusRow) {
        guard row.unread == nil else {
            let found = row.result()
            #expect(found?.fields.isEmpty ?? true, "it is read now: \(found?.family ?? "") \(found?.fields ?? [])")
            return
        }
        for difference in row.differences() { Issue.record("\(difference)") }
    }

    /// The confusion matrix of the corpus is diagonal: no packet is two families'.
    @Test(arguments: CorpusRow.all)
    func `no packet is two families'`(_ row: CorpusRow) {
        for advertisement in row.advertisements {
            var takers = Set(SensorFamilies.all.filter { $0.recognise(advertisement) != nil }.map(\.family))
            // A frame of an iBeacon beside a sensor's own values is not confused with them.
            if takers.count > 1 { takers.remove("ibeacon") }
            #expect(takers.count <= 1, "\(takers)")
        }
    }

    @Test(
        "a stated value is compared exactly, up to half of its last decimal",
        arguments: [
            ("21.5", .decimal(Field.Decimal(mantissa: 2154, places: 2)), true),
            ("21.5", .decimal(Field.Decimal(mantissa: 2156, places: 2)), false),
            ("21", .decimal(Field.Decimal(mantissa: 2110, places: 2)), false),
            ("21", .decimal(Field.Decimal(mantissa: 2100, places: 2)), true), ("true", .int(1), true),
            ("true", .int(0), false), ("false", .int(0), true), ("\"open\"", .string("open"), true),
            ("\"open\"", .string("closed"), false), ("\"1\"", .int(1), false),
        ] as [(String, Field.Value, Bool)])
    func compared(stated: String, own: Field.Value, isSame: Bool) throws {
        let values = try JSONDecoder().decode([CorpusRow.Stated].self, from: Data("[\(stated)]".utf8))
        #expect(values.map { $0.isSame(as: own) } == [isSame])
    }

    /// The repositories of the real packets, by the family's name.
    static let repositories: [String: Set<String>] = CorpusRow.all.reduce(into: [:]) { found, row in
        guard row.unread == nil, let family = row.result()?.family else { return }
        found[family, default: []].insert(repository(of: row))
    }

    static func repository(of row: CorpusRow) -> String {
        String(row.source.prefix { $0 != " " }.dropFirst("github.com/".count))
    }

    /// Writes a line for each row with our values, for a person who adds packets: `MARTLET_CORPUS=FILE make test-corpus`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MARTLET_CORPUS"] != nil))
    func notes() throws {
        let file = try #require(ProcessInfo.processInfo.environment["MARTLET_CORPUS"])
        let lines = CorpusRow.all.map { row in
            let found = row.result()
            let fields = (found?.fields ?? []).map { "\"\($0.key)\":\(Self.json($0.value))" }
            return
                "{\"model\":\"\(row.model)\",\"family\":\"\(found?.family ?? "")\",\"fields\":{\(fields.joined(separator: ","))}}"
        }
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(lines.count == CorpusRow.all.count)
    }

    private static func json(_ value: Field.Value) -> String {
        switch value {
        case .int(let number): "\(number)"
        case .decimal: value.number.map { "\($0)" } ?? "null"
        case .string(let text): "\"\(text.replacing("\"", with: "'"))\""
        case .array(let values): "[\(values.map(json).joined(separator: ","))]"
        }
    }
}
