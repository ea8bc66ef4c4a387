// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import VirtualRadio

/// Runs the script of one test case of the Bluetooth SIG's and records what came of it; `docs/conformance.md` is made
/// of these records.
func conformance(
    _ id: String, controllers: ControllerSettings = ControllerSettings(), file: String = #fileID,
    _ script: (Bench) throws -> Void
) throws {
    try ConformanceRecord.run(id, file: file) {
        let bench = try Bench(controller: controllers, tester: controllers)
        try script(bench)
        try bench.finish()
    }
}

/// The records: one small file an id, so that parallel tests do not meet.
enum ConformanceRecord {
    private struct Case: Decodable { let id: String }

    private struct Outcome: Encodable {
        let id: String
        let status: String
        let test: String
        let error: String?
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let catalogue = Result {
        let url = root.appending(path: "Tests/Conformance/catalogue.json")
        return Set(try JSONDecoder().decode([Case].self, from: Data(contentsOf: url)).map(\.id))
    }
    private static let expectedFailures = Result {
        let url = root.appending(path: "Tests/Conformance/expected-failures.json")
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))
    }
    private static let folder =
        ProcessInfo.processInfo.environment["MARTLET_CONFORMANCE_RESULTS"].map { URL(filePath: $0) }
        ?? root.appending(path: ".build/conformance")
    private static let begun = Mutex<Set<String>>([])

    static func run(_ id: String, file: String, _ script: () throws -> Void) throws {
        guard try catalogue.get().contains(id) else { throw ScriptFailure("\(id) is not in the catalogue") }
        guard begun.withLock({ $0.insert(id).inserted }) else { throw ScriptFailure("\(id) has two scripts") }
        let isExpected = try expectedFailures.get()[id] != nil
        do {
            try script()
        } catch {
            try write(id, "fail", file, String(describing: error))
            guard isExpected else { throw error }
            return
        }
        try write(id, "pass", file, nil)
        guard !isExpected else {
            throw ScriptFailure("\(id) passes: take it out of Tests/Conformance/expected-failures.json")
        }
    }

    private static func write(_ id: String, _ status: String, _ file: String, _ error: String?) throws {
        var name = Test.current?.name.filter { $0 != "`" }.replacing(/\(.*\)$/, with: "") ?? id
        if !name.contains(id) { name += ": " + id }
        let outcome = Outcome(
            id: id, status: status, test: "\(file.split(separator: "/").last ?? ""): \(name)", error: error)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: id.replacing("/", with: "_") + ".json")
        try encoder.encode(outcome).write(to: url, options: .atomic)
    }
}
