// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestMaterials
import Testing
import VirtualRadio

@testable import HostBench

/// Runs one attack from each side, and records the outcome; `docs/attacks.json` consists of these records.
func attack(
    _ row: Int, _ id: String, by sides: [AttackBench.Side] = [.central, .peripheral],
    controller: ControllerSettings = ControllerSettings(), file: String = #fileID,
    _ script: (AttackBench) throws -> Void
) throws {
    try AttackRecord.run(row, id, file: file) {
        for side in sides {
            let bench = try AttackBench(side, controller: controller)
            do {
                try script(bench)
                try bench.finish()
            } catch {
                throw ScriptFailure("by \(side): \(error)")
            }
        }
    }
}

/// The records of the attacks.
enum AttackRecord {
    private struct Row: Decodable {
        let row: Int
        let id: String
    }

    private static let catalogue = Result {
        let url = Checkout.url("Tests/Proof/AttackTests/catalogue.json")
        let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: url))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.row, $0.id) })
    }
    private static let folder = OutcomeFolder("attacks", environment: "MARTLET_ATTACK_RESULTS")
    private static let begun = Mutex<Set<Int>>([])

    static func run(_ row: Int, _ id: String, file: String, _ script: () throws -> Void) throws {
        guard try catalogue.get()[row] == id else { throw ScriptFailure("row \(row) of the catalogue is not \(id)") }
        guard begun.withLock({ $0.insert(row).inserted }) else { throw ScriptFailure("row \(row) has two tests") }
        let test = OutcomeFolder.title(of: Test.current?.name ?? "row \(row)", in: file)
        do {
            try script()
        } catch {
            try folder.write(.init(id: "\(row)", status: "fail", test: test, error: String(describing: error)))
            throw error
        }
        try folder.write(.init(id: "\(row)", status: "pass", test: test, error: nil))
    }
}
