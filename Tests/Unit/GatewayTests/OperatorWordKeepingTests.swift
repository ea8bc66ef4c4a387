// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization
import Testing

@testable import Gateway
@testable import Health
@testable import Readings

private final class Facts: FactStore {
    private let facts = Mutex<[String: String]>([:])

    func identifier(for key: String) -> String? { facts.withLock { $0[key] } }

    func identifiers(withPrefix prefix: String) -> [String: String] {
        let found = facts.withLock { $0.filter { $0.key.hasPrefix(prefix) && !$0.value.isEmpty } }
        return Dictionary(uniqueKeysWithValues: found.map { (String($0.key.dropFirst(prefix.count)), $0.value) })
    }

    func setIdentifier(_ value: String, for key: String) { facts.withLock { $0[key] = value } }
}

@Suite("The word of operators outlives the process")
struct OperatorWordKeepingTests {
    /// 1,000 s between boot and 1970, so that times are told apart.
    private let ends = HealthKeeper.Ends(offset: 1_000_000)

    private func keeper() -> HealthKeeper { HealthKeeper(logger: Logger(label: "test")) }

    @Test func `acknowledgements and maintenance are read again, with their ends on the new clock`() {
        let table = Facts()
        let first = keeper()
        first.change { word in
            #expect(word.acknowledge(ProblemName(.sensorSilent, sensor: "fridge"), until: 70_000) == true)
            #expect(word.acknowledge(ProblemName(.diskLow), until: nil) == true)
            #expect(word.maintain("attic", until: 80_000) == true)
        }
        first.keep(in: table, ends)
        let second = keeper()
        // The machine was started again: its clock since boot began anew.
        second.load(from: table, HealthKeeper.Ends(offset: 1_060_000))
        #expect(
            second.word.acknowledged == [
                ProblemName(.sensorSilent, sensor: "fridge"): 10_000, ProblemName(.diskLow): nil,
            ])
        #expect(second.word.sensorsInMaintenance == ["attic": 20_000])

        second.change { word in
            #expect(word.withdraw(ProblemName(.diskLow)) == true)
            #expect(word.endMaintenance(of: "attic") == true)
        }
        second.keep(in: table, HealthKeeper.Ends(offset: 1_060_000))
        let third = keeper()
        third.load(from: table, ends)
        #expect(third.word.acknowledged == [ProblemName(.sensorSilent, sensor: "fridge"): 70_000])
        #expect(third.word.sensorsInMaintenance.isEmpty)
    }

    @Test func `what cannot be read is left out`() {
        let table = Facts()
        for (key, text) in [
            ("acknowledged:nothing", "open"), ("acknowledged:disk-low", "x"), ("maintenance:a", "open"),
            ("maintenance:b", "-"),
            ("acknowledged:disk-full", "\(Int64.min)"), ("maintenance:c", "\(Int64.max)"),
        ] { table.setIdentifier(text, for: key) }
        let keeper = keeper()
        keeper.load(from: table, HealthKeeper.Ends(offset: .max))
        #expect(keeper.word.acknowledged == [ProblemName(.diskFull): Int64.min])
        #expect(keeper.word.sensorsInMaintenance == ["c": 0])
    }
}
