// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestMaterials
import Testing
import VirtualRadio

@testable import HostBench

/// Runs the script of a test case of the Bluetooth SIG and records the outcome; `docs/conformance.md` consists of these records.
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

/// As ``conformance(_:file:_:)``, with a bench of its own for each row.
func conformance<Row>(
    _ id: String, rows: [Row], file: String = #fileID, _ script: (Bench, Row) throws -> Void
) throws {
    try ConformanceRecord.run(id, file: file) {
        for row in rows {
            do {
                let bench = try Bench()
                try script(bench, row)
                try bench.finish()
            } catch {
                throw ScriptFailure("\(row): \(error)")
            }
        }
    }
}

/// The records of the test cases.
enum ConformanceRecord {
    private struct Case: Decodable { let id: String }

    private static let catalogue = Result {
        let url = Checkout.url("Tests/Proof/ConformanceTests/catalogue.json")
        return Set(try JSONDecoder().decode([Case].self, from: Data(contentsOf: url)).map(\.id))
    }
    private static let expectedFailures = Result {
        let url = Checkout.url("Tests/Proof/ConformanceTests/expected-failures.json")
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))
    }
    private static let folder = OutcomeFolder("conformance", environment: "MARTLET_CONFORMANCE_RESULTS")
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
            throw ScriptFailure("\(id) passes: take it out of Tests/Proof/ConformanceTests/expected-failures.json")
        }
    }

    private static func write(_ id: String, _ status: String, _ file: String, _ error: String?) throws {
        var test = OutcomeFolder.title(of: Test.current?.name ?? id, in: file)
        if !test.contains(id) { test += ": " + id }
        try folder.write(OutcomeFolder.Outcome(id: id, status: status, test: test, error: error))
    }
}
