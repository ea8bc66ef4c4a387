// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Health

@Suite("The word of operators on problems")
struct OperatorWordTests {
    private static let silent = Condition(.sensorSilent, "fridge")
    private static let full = Condition(.diskFull, "", ["error": "no room"])

    /// The account of a gateway, and what its operators have said.
    private struct Scene {
        var account = HealthAccount(isPatient: false)
        var word = OperatorWord()

        mutating func look(_ conditions: [Condition], at now: Int64) -> [Problem] {
            word.review(account.names, at: now)
            _ = account.judge(conditions + word.conditions(at: now) { "\($0) ms" }, at: now)
            return word.marked(account.problems(at: now), at: now) { "\($0) ms" }
        }
    }

    @Test func `an acknowledged problem is a notice behind all others, until its time is over`() {
        var scene = Scene()
        _ = scene.look([Self.full, Self.silent], at: 0)
        #expect(scene.word.acknowledge(ProblemName(.diskFull), until: 60_000) == true)
        let known = scene.look([Self.full, Self.silent], at: 1_000)
        #expect(known.map(\.code) == [.sensorSilent, .diskFull] && known.map(\.severity) == [.warning, .notice])
        #expect(known.last?.text.hasSuffix("; acknowledged, for 59000 ms more") == true)
        #expect(known.last?.notes == [ProblemPhrase(.knownFor, ["time": "59000 ms"])])
        #expect(scene.look([Self.full, Self.silent], at: 59_999).last?.severity == .notice)
        #expect(scene.look([Self.full, Self.silent], at: 60_000).first?.severity == .failure)
        #expect(scene.word.acknowledge(ProblemName(.diskFull), until: 90_000) == true)
        #expect(scene.word.withdraw(ProblemName(.diskFull)) == true)
        #expect(scene.word.withdraw(ProblemName(.diskFull)) == false)
        #expect(scene.look([Self.full], at: 61_000).first?.severity == .failure)
    }

    @Test
    func `without an end, the word is kept while the problem is there, and forgotten when it was away for ten minutes`()
    {
        var scene = Scene()
        let name = ProblemName(.sensorSilent, sensor: "fridge")
        _ = scene.look([Self.silent], at: 0)
        #expect(scene.word.acknowledge(name, until: nil) == true)
        #expect(scene.look([Self.silent], at: 86_400_000).first?.severity == .notice)
        // The dead radio is its cause: the silence is hidden, and is there.
        _ = scene.look([Self.silent, Condition(.radioDown)], at: 87_000_000)
        _ = scene.look([Self.silent, Condition(.radioDown)], at: 90_000_000)
        #expect(scene.look([Self.silent], at: 90_000_001).first?.severity == .notice)
        for minute in 0...5 as ClosedRange<Int64> { _ = scene.look([], at: 90_060_000 + minute * 60_000) }
        #expect(scene.look([Self.silent], at: 90_400_000).first?.severity == .notice, "it was away for six minutes")
        for minute in 0...12 as ClosedRange<Int64> { _ = scene.look([], at: 91_000_000 + minute * 60_000) }
        #expect(scene.look([Self.silent], at: 92_000_000).first?.severity == .warning)
        #expect(scene.word.acknowledged.isEmpty)
    }

    @Test func `to an operator a sensor without values is one problem, also after a restart`() {
        var scene = Scene()
        _ = scene.look([Self.silent], at: 0)
        #expect(scene.word.acknowledge(ProblemName(.sensorSilent, sensor: "fridge"), until: nil) == true)
        for code in [ProblemCode.sensorAwaited, .sensorNeverHeard, .sensorSilent] {
            let problems = scene.look([Condition(code, "fridge"), Condition(code, "attic")], at: 1_000)
            #expect(problems.map(\.severity) == [.warning, .notice] && problems.last?.sensor == "fridge", "\(code)")
        }
        #expect(scene.look([Condition(.sensorLacks, "fridge")], at: 2_000).map(\.severity) == [.warning])
        #expect(scene.word.withdraw(ProblemName(.sensorAwaited, sensor: "fridge")) == true)
    }

    @Test func `each time away is counted from its own beginning`() {
        var word = OperatorWord()
        let name = ProblemName(.sensorSilent, sensor: "fridge")
        _ = word.acknowledge(name, until: nil)
        for (present, minute) in [(false, 0), (true, 9), (false, 11), (true, 20), (false, 21), (false, 30)] {
            word.review(present ? [name] : [], at: Int64(minute) * 60_000)
            #expect(word.acknowledged.keys.contains(name), "minute \(minute)")
        }
        word.review([], at: 31 * 60_000)
        #expect(word.acknowledged.isEmpty)
    }

    @Test func `a sensor in maintenance has one notice and no problem, and other sensors have theirs`() {
        var scene = Scene()
        #expect(scene.word.maintain("fridge", until: 100_000) == true)
        let conditions = [
            Self.silent, Condition(.sensorTrouble, "fridge", ["cause": "c"]), Condition(.sensorBatteryLow, "fridge"),
            Condition(.readingsDropped, "fridge"), Condition(.sensorAwaited, "fridge"),
            Condition(.sensorSilent, "attic"),
        ]
        let problems = scene.look(conditions, at: 1_000)
        #expect(
            problems.map(\.code) == [.sensorSilent, .sensorMaintenance]
                && problems.map(\.sensor) == ["attic", "fridge"])
        #expect(problems.last?.text == "in maintenance, for 99000 ms more" && problems.last?.severity == .notice)
        #expect(scene.look(conditions, at: 100_000).contains { $0.sensor == "fridge" && $0.code == .sensorTrouble })
        #expect(scene.word.maintain("fridge", until: 900_000) == true)
        #expect(scene.word.endMaintenance(of: "fridge") == true)
        #expect(scene.word.endMaintenance(of: "fridge") == false)
        #expect(scene.word.sensorsInMaintenance.isEmpty)
    }

    @Test func `each problem of a sensor is hidden by its maintenance`() {
        for row in ProblemTable.rows where row.part == "sensors" && row.code != .sensorMaintenance {
            #expect(row.causes.contains(.sensorMaintenance), "\(row.code)")
        }
    }

    @Test func `names are read as they are written, and words are bounded`() throws {
        for name in [ProblemName(.diskLow), ProblemName(.sensorSilent, sensor: "a:b c")] {
            #expect(ProblemName(name.description) == name)
        }
        #expect(ProblemName("disk") == nil && ProblemName("") == nil && ProblemName(":") == nil)
        var word = OperatorWord()
        for number in 0..<OperatorWord.capacity {
            #expect(word.acknowledge(ProblemName(.sensorSilent, sensor: "\(number)"), until: nil) == true)
            #expect(word.maintain("\(number)", until: .max) == true)
        }
        #expect(word.acknowledge(ProblemName(.diskLow), until: nil) == false)
        #expect(word.maintain("more", until: .max) == false)
        #expect(word.acknowledge(ProblemName(.sensorSilent, sensor: "0"), until: 5) == true)
        #expect(word.maintain("0", until: 5) == true)
        word.review([], at: .min)
        word.review([], at: .max)
        #expect(word.acknowledged.isEmpty && word.sensorsInMaintenance.isEmpty)
    }
}
