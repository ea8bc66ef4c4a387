// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Health

@Suite("The one account of health")
struct HealthAccountTests {
    private static func s(_ seconds: Int64) -> Int64 { seconds * 1_000 }

    private func codes(_ account: HealthAccount, at now: Int64 = 0) -> [ProblemCode] {
        account.problems(at: now).map(\.code)
    }

    @Test func `each code has one row, and no problem is the cause of itself by any way`() {
        #expect(Set(ProblemTable.rows.map(\.code)).count == ProblemTable.rows.count)
        #expect(Set(ProblemTable.rows.map(\.code)) == Set(ProblemCode.allCases))
        for row in ProblemTable.rows {
            var seen: Set<ProblemCode> = []
            var open = row.causes
            while let cause = open.popLast() {
                #expect(cause != row.code)
                if seen.insert(cause).inserted { open += ProblemTable.row(cause).causes }
            }
            #expect(row.shownAfter >= 0 && row.goneAfter >= 0)
            #expect(row.text.last != "." && !row.title.isEmpty)
        }
    }

    @Test func `a sentence of another part loses its full stop where more words follow`() {
        func problem(_ code: ProblemCode, _ arguments: [String: String]) -> Problem {
            Problem(
                Condition(code, "Mr. A.", arguments), row: ProblemTable.row(code), ageMs: 0, on: .package)
        }
        var fails = problem(.sensorFails, ["cause": "The device is not connected."])
        #expect(fails.text == "The device is not connected; it is tried again")
        // Another language makes its text from the same value.
        #expect(fails.arguments?["cause"] == "The device is not connected" && fails.title == "Mr. A.")
        fails.add(ProblemPhrase(.over))
        #expect(fails.text.hasSuffix("tried again; it is over now, and watched for a while"))
        #expect(
            problem(.radioDown, ["state": "hci0 is busy. Stop bluetoothd."]).text == "hci0 is busy. Stop bluetoothd")
        #expect(problem(.sensorTrouble, ["cause": "it starts..."]).text == "it starts...")
    }

    @Test func `a problem is shown after its delay, keeps its beginning, and is gone when it was over for a while`() {
        var account = HealthAccount()
        let down = [Condition(.radioDown, "", ["state": "hci0 is busy"])]
        #expect(account.judge(down, at: Self.s(100)).isEmpty)
        #expect(account.judge(down, at: Self.s(109)).isEmpty)
        let shown = account.judge(down, at: Self.s(110))
        #expect(
            shown.count == 1 && shown.first?.problem.text == "hci0 is busy" && shown.first?.problem.ageMs == Self.s(10))
        #expect(account.judge(down, at: Self.s(111)).isEmpty, "told once")
        #expect(account.judge([], at: Self.s(200)).isEmpty, "not over for long")
        #expect(account.judge(down, at: Self.s(205)).isEmpty && account.judge([], at: Self.s(210)).isEmpty)
        #expect(account.problems(at: Self.s(219)).first?.ageMs == Self.s(119), "it goes on")
        guard case .gone(let gone) = account.judge([], at: Self.s(220)).first else {
            Issue.record("it is not gone")
            return
        }
        #expect(gone.code == .radioDown && codes(account).isEmpty)
    }

    @Test func `a problem that comes and goes each 20 s for ten minutes changes no surface, or few times`() {
        for (condition, expected) in [
            (Condition(.clockUnknown), 0), (Condition(.notAcknowledged), 0), (Condition(.sensorNeverHeard, "a"), 0),
            (Condition(.sensorSilent, "a"), 1), (Condition(.diskFull), 1), (Condition(.brokerRefusesReadings), 1),
            (Condition(.readingsDropped, "a"), 1), (Condition(.radioDown), 3), (Condition(.brokerUnreachable), 3),
        ] {
            var account = HealthAccount()
            var changes: [HealthAccount.Change] = []
            for second in 0..<600 as Range<Int64> {
                changes += account.judge(second / 20 % 2 == 0 ? [condition] : [], at: Self.s(second))
            }
            #expect(changes.count == expected, "\(condition.code): \(changes)")
        }
    }

    @Test func `a moment behind a cause is told when the cause is over, for its time`() {
        var account = HealthAccount()
        let (full, lost) = (Condition(.diskFull), Condition(.readingsDropped, "a", ["count": "5"]))
        #expect(account.judge([full, lost], at: 0).map(\.problem.code) == [.diskFull])
        for second in stride(from: 5 as Int64, through: 7_200, by: 5) {
            #expect(account.judge([full], at: Self.s(second)).isEmpty)
        }
        var shown: Int64?
        for second in stride(from: 7_205 as Int64, through: 7_400, by: 5) {
            let changes = account.judge([], at: Self.s(second))
            if changes.contains(where: { $0.problem.code == .readingsDropped }) { shown = second }
        }
        #expect(shown != nil)
        #expect(codes(account, at: Self.s(7_400)) == [.readingsDropped])
        let end = (shown ?? 0) + 3_600
        #expect(account.judge([], at: Self.s(end - 5)).isEmpty)
        #expect(account.judge([], at: Self.s(end)).map(\.problem.code) == [.readingsDropped])
        #expect(codes(account, at: Self.s(end)).isEmpty)
        #expect(account.names.isEmpty)
    }

    @Test func `a moment has one hour, however often its cause comes back`() {
        var account = HealthAccount()
        let (down, lost) = (Condition(.radioDown), Condition(.valuesMissing, "a", ["count": "5"]))
        var shown = 0
        for second in stride(from: 0 as Int64, through: 8_000, by: 5) {
            // The radio fails for a minute each half hour.
            let isDown = second % 1_800 >= 1_000 && second % 1_800 < 1_060
            let changes = account.judge((second == 0 ? [lost] : []) + (isDown ? [down] : []), at: Self.s(second))
            if second >= 3_700 { #expect(!changes.contains { $0.problem.code == .valuesMissing }, "\(second)") }
            if codes(account, at: Self.s(second)).contains(.valuesMissing) { shown += 5 }
        }
        #expect(shown > 3_300 && shown <= 3_700)
    }

    @Test func `a loss during maintenance is expected, and not told afterwards`() {
        var account = HealthAccount()
        let work = Condition(.sensorMaintenance, "a", ["time": "1 h"])
        _ = account.judge([work], at: 0)
        _ = account.judge([work, Condition(.readingsDropped, "a", ["count": "5"])], at: Self.s(5))
        _ = account.judge([work], at: Self.s(10))
        for second in stride(from: 15 as Int64, through: 300, by: 5) { _ = account.judge([], at: Self.s(second)) }
        #expect(codes(account, at: Self.s(300)).isEmpty && account.names.isEmpty)
    }

    @Test func `a beginning that moves by less than a minute is the same beginning`() {
        var account = HealthAccount()
        var begins: Set<Int64> = []
        for look in 0..<100 as Range<Int64> {
            // The word of the part is up to ten seconds old.
            let age = Self.s(120 + 5 * look) - look % 3 * 5_000 + look % 7
            _ = account.judge([Condition(.sensorSilent, "a", ageMs: age)], at: Self.s(500 + 5 * look))
            let problem = account.problems(at: Self.s(500 + 5 * look)).first
            begins.insert(Self.s(500 + 5 * look) - (problem?.ageMs ?? 0))
        }
        #expect(begins == [Self.s(380)])
    }

    @Test func `a problem begins when the part says, even before the account's first look`() {
        var account = HealthAccount()
        let silent = { Condition(.sensorSilent, "a", ageMs: Self.s($0)) }
        #expect(account.judge([silent(75)], at: Self.s(30)).first?.problem.ageMs == Self.s(75))
        #expect(account.judge([silent(80)], at: Self.s(35)).isEmpty)
        #expect(account.problems(at: Self.s(36)).first?.ageMs == Self.s(81))
        // A value that came, and silence again.
        #expect(account.judge([silent(61)], at: Self.s(200)).isEmpty)
        #expect(account.problems(at: Self.s(200)).first?.ageMs == Self.s(61))
        #expect(account.judge([silent(-5)], at: Self.s(300)).isEmpty)
        #expect(account.problems(at: Self.s(300)).first?.ageMs == 0)
        #expect(account.problems(at: Self.s(303)).first?.ageMs == Self.s(3), "no problem begins in the future")
    }

    @Test func `a problem that is over and still shown says so, and is gone later where it had come back`() {
        var account = HealthAccount()
        let down = [Condition(.radioDown, "", ["state": "it is gone"])]
        func look(_ conditions: [Condition], _ second: Int64) -> [String] {
            _ = account.judge(conditions, at: Self.s(second))
            return account.problems(at: Self.s(second)).map(\.text)
        }
        _ = look(down, 0)
        #expect(
            look(down, 10) == ["it is gone"] && look([], 20) == ["it is gone; it is over now, and watched for a while"])
        #expect(account.problems(at: Self.s(20)).map(\.remedy) == [nil], "nothing is to be done any more")
        #expect(look([], 30).isEmpty)
        _ = look(down, 40)
        #expect(look(down, 50) == ["it is gone"] && look([], 60).count == 1)
        #expect(look([], 60 + HealthAccount.patienceAfterReturn - 1).count == 1)
        #expect(look([], 60 + HealthAccount.patienceAfterReturn).isEmpty)
        // A return after a long time is a first one.
        _ = look(down, 2_000)
        #expect(look(down, 2_010).count == 1 && look([], 2_020).count == 1 && look([], 2_030).isEmpty)
        // A loss happens at a moment.
        let drops = [
            ProblemPhrase(.dropped, ["count": "2", "drop": "r"]), ProblemPhrase(.dropped, ["count": "1", "drop": "s"]),
        ]
        _ = look([Condition(.readingsDropped, "a", ["count": "3"], parts: drops)], 3_000)
        #expect(look([], 3_010) == ["3 readings dropped: 2 r, 1 s"])
    }

    @Test func `a dead radio, a full disk and an access list are one problem each, not one for each sensor`() {
        var account = HealthAccount(isPatient: false)
        let sensors = (1...35).map { "s\($0)" }
        _ = account.judge(sensors.map { Condition(.sensorSilent, $0) }, at: 0)
        #expect(codes(account).count == 35)
        let changes = account.judge([Condition(.radioDown)] + sensors.map { Condition(.sensorSilent, $0) }, at: 1)
        #expect(codes(account) == [.radioDown] && changes.count == 36)
        _ = account.judge(
            [Condition(.diskFull), Condition(.diskFails), Condition(.diskLow)]
                + sensors.map { Condition(.readingsDropped, $0) }, at: 2)
        #expect(codes(account) == [.diskFull])
        _ = account.judge(
            [Condition(.brokerRefusesReadings), Condition(.brokerComplains), Condition(.notAcknowledged)], at: 3)
        #expect(codes(account) == [.brokerRefusesReadings])
    }

    @Test func `a consequence does not flash up before its cause is shown, nor at once when the cause is gone`() {
        var account = HealthAccount()
        let both = [Condition(.radioDown), Condition(.sensorSilent, "a")]
        #expect(account.judge(both, at: 0).isEmpty, "the cause waits for its delay, and hides all the same")
        #expect(account.judge(both, at: Self.s(10)).map(\.problem.code) == [.radioDown])
        let never = [Condition(.radioDown), Condition(.sensorNeverHeard, "b")]
        _ = account.judge(never, at: Self.s(20))
        let alone = [Condition(.sensorNeverHeard, "b")]
        for second in 21..<150 as Range<Int64> { _ = account.judge(alone, at: Self.s(second)) }
        #expect(codes(account).isEmpty, "its delay begins when nothing hides it: at 31 s")
        _ = account.judge(alone, at: Self.s(151))
        #expect(codes(account) == [.sensorNeverHeard])
    }

    @Test func `a delay begins anew when a cause has come and gone`() {
        var account = HealthAccount()
        let alone = [Condition(.sensorNeverHeard, "b")]
        for second in 0..<100 as Range<Int64> { _ = account.judge(alone, at: Self.s(second)) }
        #expect(account.judge(alone + [Condition(.radioDown)], at: Self.s(100)).isEmpty)
        for second in 105..<225 as Range<Int64> {
            #expect(account.judge(alone, at: Self.s(second)).isEmpty, "\(second)")
        }
        #expect(account.judge(alone, at: Self.s(225)).map(\.problem.code) == [.sensorNeverHeard])
    }

    @Test func `a problem that is over does not come back when its cause goes`() {
        var account = HealthAccount()
        #expect(account.judge([Condition(.sensorSilent, "a")], at: 0).count == 1)
        #expect(account.judge([], at: Self.s(10)).isEmpty && codes(account) == [.sensorSilent])
        #expect(account.judge([Condition(.radioDown)], at: Self.s(20)).map(\.problem.code) == [.sensorSilent])
        #expect(account.judge([], at: Self.s(25)).isEmpty && codes(account).isEmpty)
    }

    @Test func `a sensor's trouble hides its silence, and no other sensor's`() {
        var account = HealthAccount(isPatient: false)
        _ = account.judge(
            [Condition(.sensorTrouble, "a"), Condition(.sensorSilent, "a"), Condition(.sensorSilent, "b")], at: 0)
        #expect(
            account.problems(at: 0).map { [$0.code.rawValue, $0.sensor] } == [
                ["sensor-trouble", "a"], ["sensor-silent", "b"],
            ])
    }

    @Test func `failures come first, and what others say fills a text once`() {
        var account = HealthAccount(isPatient: false)
        _ = account.judge(
            [Condition(.sensorTrouble, "{cause}", ["cause": "{subject} {"]), Condition(.diskFull, "", ["error": "e"])],
            at: 0)
        let problems = account.problems(at: 5)
        #expect(problems.map(\.severity) == [.failure, .warning])
        #expect(problems.last?.title == "{cause}" && problems.last?.text == "{subject} {")
        #expect(problems.last?.arguments == ["subject": "{cause}", "cause": "{subject} {"])
    }

    @Test(
        arguments: [
            ([:], "{a} and {b}"), (["a": "1"], "1 and {b}"), (["a": "", "b": "2"], " and 2"),
            (["a": "{b}", "b": "2"], "{b} and 2"), (["": "0"], "{a} and {b}"),
        ] as [([String: String], String)])
    func `a place without a value stays in the text, and an empty value is a value`(
        arguments: [String: String], text: String
    ) {
        #expect(ProblemRow.filled("{a} and {b}", arguments) == text)
        #expect(ProblemRow.filled("{" + text, [:]) == "{" + text && ProblemRow.filled("} {", arguments) == "} {")
    }

    @Test func `a variant has its own texts, and those of its code where it has none`() {
        func problem(_ variant: ProblemVariant?) -> Problem? {
            var account = HealthAccount(isPatient: false)
            let arguments = ["error": "e", "waiting": "9", "time": "2 min"]
            _ = account.judge([Condition(.diskFails, "", arguments, variant: variant)], at: 0)
            return account.problems(at: 0).first
        }
        #expect(problem(nil)?.text == "e" && problem(.reason)?.text == "e")
        let stuck = problem(.stuck)
        #expect(stuck?.text == "9 readings wait for the disk, which has taken none for 2 min")
        #expect(stuck?.remedy == "Run sudo martlet doctor to look at the disk." && stuck?.variant == "stuck")
        #expect(stuck?.arguments?["martlet doctor"] == "sudo martlet doctor" && stuck?.notes == nil)
    }

    @Test func `sensors that come and go for a year leave nothing behind`() {
        var account = HealthAccount()
        for day in 0..<365 as Range<Int64> {
            _ = account.judge(
                [Condition(.sensorSilent, "s\(day)"), Condition(.readingsDropped, "s\(day)")], at: Self.s(day * 86_400))
            #expect(account.names.count <= 4)
        }
        _ = account.judge([], at: Self.s(366 * 86_400))
        _ = account.judge([], at: Self.s(367 * 86_400))
        #expect(account.names.isEmpty)
    }

    @Test func `moments behind a cause that lasts keep no new problem out`() {
        var account = HealthAccount()
        let cause = Condition(.diskFull)
        for look in 0..<3 as Range<Int64> {
            let many = (0..<(HealthAccount.capacity - 1)).map { Condition(.readingsDropped, "\(look) \($0)") }
            _ = account.judge([cause] + many, at: Self.s(look * 10))
        }
        _ = account.judge([cause, Condition(.radioDown)], at: Self.s(40))
        _ = account.judge([cause, Condition(.radioDown)], at: Self.s(60))
        #expect(codes(account) == [.radioDown, .diskFull])
    }

    @Test func `the account is bounded, and times at the ends of their range make no trap`() {
        var account = HealthAccount()
        let many = (0..<(HealthAccount.capacity * 2)).map { Condition(.sensorSilent, "\($0)") }
        _ = account.judge(many, at: .min)
        _ = account.judge(many, at: .max)
        #expect(account.problems(at: .min).count == HealthAccount.capacity)
        _ = account.judge([], at: .max)
    }
}
