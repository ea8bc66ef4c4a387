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

    private func keeper() -> HealthKeeper { HealthKeeper(on: .package, logger: Logger(label: "test")) }

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

    /// 2026 and 1970, in milliseconds since 1970.
    private static let (present, past): (Int64, Int64) = (1_795_000_000_000, 0)

    private func word(_ table: Facts, _ ends: HealthKeeper.Ends) -> OperatorWord {
        let keeper = keeper()
        keeper.load(from: table, ends)
        return keeper.word
    }

    @Test func `a clock that is wrong after a boot makes no maintenance longer, and is right later`() {
        let table = Facts()
        let first = keeper()
        first.change { word in #expect(word.maintain("attic", until: 3_600_000) == true) }
        first.keep(in: table, HealthKeeper.Ends(offset: Self.present, boot: "a", now: 0))
        // The machine starts again half an hour later, and believes that it is 1970.
        let second = keeper()
        second.mind(HealthKeeper.Ends(offset: Self.past, boot: "b", now: 5_000), in: table)
        second.load(from: table, HealthKeeper.Ends(offset: Self.past, boot: "b", now: 5_000))
        #expect(second.word.sensorsInMaintenance == ["attic": 3_605_000])
        // The network tells the time.
        let right = HealthKeeper.Ends(offset: Self.present + 1_800_000, boot: "b", now: 60_000)
        second.mind(right, in: table)
        #expect(second.word.sensorsInMaintenance == ["attic": 1_800_000])
        #expect(word(table, right).sensorsInMaintenance == ["attic": 1_800_000])
    }

    @Test func `a clock that jumps by a day moves no end, neither in this boot nor after the next`() {
        let table = Facts()
        let first = keeper()
        first.mind(HealthKeeper.Ends(offset: Self.present, boot: "a", now: 0), in: table)
        first.change { word in
            #expect(word.maintain("attic", until: 3_600_000) == true)
            #expect(word.acknowledge(ProblemName(.diskLow), until: nil) == true)
        }
        first.keep(in: table, HealthKeeper.Ends(offset: Self.present, boot: "a", now: 0))
        let jumped = HealthKeeper.Ends(offset: Self.present + 86_400_000, boot: "a", now: 10_000)
        #expect(word(table, jumped).sensorsInMaintenance == ["attic": 3_600_000], "the process starts again")
        first.mind(jumped, in: table)
        #expect(first.word.sensorsInMaintenance == ["attic": 3_600_000])
        let next = HealthKeeper.Ends(offset: Self.present + 86_400_000 + 600_000, boot: "b", now: 1_000)
        #expect(word(table, next).sensorsInMaintenance == ["attic": 3_000_000], "the machine starts again")
        // A word that has ended does not come back when the clock is set.
        first.change { word in #expect(word.withdraw(ProblemName(.diskLow)) == true) }
        first.mind(HealthKeeper.Ends(offset: Self.present, boot: "a", now: 20_000), in: table)
        #expect(first.word.acknowledged.isEmpty)
    }

    @Test func `what cannot be read is left out`() {
        let table = Facts()
        for (key, text) in [
            ("acknowledged:nothing", "open"), ("acknowledged:disk-low", "x"), ("maintenance:a", "open"),
            ("maintenance:b", "-"),
            ("acknowledged:disk-full", "\(Int64.min)"), ("maintenance:c", "\(Int64.max)"),
            ("maintenance:d", "1/"), ("maintenance:e", "/2/3@a"), ("maintenance:f", "1/x/y@"),
        ] { table.setIdentifier(text, for: key) }
        let keeper = keeper()
        keeper.load(from: table, HealthKeeper.Ends(offset: .max))
        #expect(keeper.word.acknowledged == [ProblemName(.diskFull): Int64.min])
        #expect(keeper.word.sensorsInMaintenance == ["c": 0, "d": 1 - .max, "f": 1 - .max])
    }
}
