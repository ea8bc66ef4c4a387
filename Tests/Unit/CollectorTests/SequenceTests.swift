// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway

@Suite("Sequences of sensors")
struct SequenceTests {
    enum Step: Sendable {
        case link
        case take(UInt32, SequenceMachine.Verdict)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var octets: Int
        var steps: [Step]
        var missing: Int

        init(_ name: String, _ octets: Int, _ steps: [Step], missing: Int) {
            (testDescription, self.octets, self.steps, self.missing) = (name, octets, steps, missing)
        }
    }

    static let rows: [Row] = [
        Row("numbers in order", 2, [.take(7, .first), .take(8, .next), .take(9, .next)], missing: 0),
        Row(
            "numbers that were left out", 2,
            [.take(7, .first), .take(9, .gap(1)), .take(10, .next), .take(110, .gap(99))], missing: 100),
        Row(
            "round the end, with and without a gap", 1,
            [
                .take(254, .first), .take(255, .next), .take(0, .next), .take(126, .gap(125)), .take(251, .gap(124)),
                .take(3, .gap(7)),
            ], missing: 256),
        Row(
            "round the end of two octets", 2, [.take(65_534, .first), .take(65_535, .next), .take(1, .gap(1))],
            missing: 1),
        Row(
            "round the end of four octets", 4,
            [.take(.max - 1, .first), .take(.max, .next), .take(0, .next), .take(2, .gap(1))], missing: 1),
        Row(
            "what is sent again is not missing, nor is what follows it", 2,
            [
                .take(7, .first), .take(7, .repeated), .take(8, .next), .take(5, .repeated), .take(6, .repeated),
                .take(9, .next), .link, .take(9, .repeated), .take(10, .next),
            ], missing: 0),
        Row("sent again round the end", 1, [.take(1, .first), .take(255, .repeated), .take(2, .next)], missing: 0),
        Row("what a link's end cost", 2, [.take(100, .first), .link, .take(140, .gap(39))], missing: 39),
        Row(
            "round the end while there was no link", 2,
            [.take(65_000, .first), .link, .take(100, .gap(635))], missing: 635),
        Row(
            "a sensor that was restarted begins again, which is no gap", 2,
            [.take(30_000, .first), .link, .take(0, .restarted), .take(1, .next)], missing: 0),
        Row(
            "a restarted sensor with short numbers", 1,
            [.take(200, .first), .link, .take(3, .restarted), .take(5, .gap(1))], missing: 1),
        Row(
            "on a new link a short number may be as far ahead as it goes", 1,
            [.take(3, .first), .link, .take(230, .gap(226))], missing: 226),
        Row(
            "a number far behind on one link is another beginning", 2,
            [.take(30_000, .first), .take(20_000, .restarted), .take(20_001, .next)], missing: 0),
        Row(
            "a step of millions is no loss", 4,
            [
                .take(5, .first), .take(1_000_005, .gap(999_999)), .take(2_000_006, .restarted), .link,
                .take(0x7000_0000, .restarted),
            ], missing: 999_999),
    ]

    @Test("a script of numbers", arguments: rows)
    func script(of row: Row) {
        var machine = SequenceMachine(octets: row.octets)
        for step in row.steps {
            switch step {
            case .link: machine.connected()
            case .take(let number, let expected):
                let verdict = machine.judge(number)
                #expect(verdict == expected, "\(number)")
            }
        }
        #expect(machine.missing == row.missing)
    }

    @Test("the last number of an earlier run is continued, unless a number has already come")
    func resumption() {
        var machine = SequenceMachine(octets: 2)
        machine.resume(after: 0x1_0007)
        machine.resume(after: 900)
        let verdict = machine.judge(10)
        #expect(verdict == .gap(2) && machine.last == 10)
    }

    @Test("several characteristics with one UUID have separate counts, and keep them in the next run")
    func instances() {
        var sequences = SensorSequences(octets: 2)
        for number in 0..<50 as Range<UInt32> {
            let verdicts = [sequences.judge(100 + number, of: 1), sequences.judge(9_000 + 2 * number, of: 2)]
            #expect(verdicts == (number == 0 ? [.first, .first] : [.next, .gap(1)]))
        }
        #expect(sequences.missing == 49 && sequences.text == "149,2:9098")
        var next = SensorSequences(octets: 2)
        next.resume(after: sequences.text)
        next.connected()
        #expect(next.judge(151, of: 1) == .gap(1) && next.judge(9_099, of: 2) == .next && next.missing == 1)
        var hostile = SensorSequences(octets: 1)
        hostile.resume(after: "x,,1:,0:7,256:7,-1:7,2:4294967296")
        #expect(hostile == SensorSequences(octets: 1))
        for instance in 1...300 { _ = hostile.judge(0, of: instance) }
        #expect(hostile.text.split(separator: ",").count == 16, "a bounded number is followed")
    }

    @Test("a sensor's false numbers never count more values than its packets times a million")
    func hostile() {
        for octets in [1, 2, 4] {
            var machine = SequenceMachine(octets: octets)
            var number: UInt32 = 1
            for round in 0..<10_000 {
                number = number &* 1_664_525 &+ 1_013_904_223
                if round % 7 == 0 { machine.connected() }
                _ = machine.judge(number)
            }
            #expect((0..<(10_000 * 1_000_000)).contains(machine.missing))
        }
    }

    @Test(
        "a number is read where the rule says",
        arguments: [
            (0, 1, false, 0x10), (3, 1, true, 0x13), (0, 2, false, 0x1110), (2, 2, true, 0x1213),
            (0, 4, false, 0x1312_1110), (0, 4, true, 0x1011_1213), (4, 1, false, nil), (3, 2, false, nil),
            (1, 4, true, nil), (511, 4, false, nil),
        ] as [(Int, Int, Bool, UInt32?)])
    func numbers(offset: Int, length: Int, isBigEndian: Bool, expected: UInt32?) throws {
        var sequence = SensorRule.Sequence(feed: try SensorRule.Feed(parsing: "180d/2a37"))
        (sequence.offset, sequence.length, sequence.isBigEndian) = (offset, length, isBigEndian)
        #expect(sequence.number(in: [0x10, 0x11, 0x12, 0x13]) == expected)
        #expect(sequence.number(in: []) == nil)
    }

    private static func rule(_ lines: String) throws -> SensorRule? {
        try GatewayConfiguration.parse(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\n\(lines)", gateway: "gw-test"
        ).sensors.first
    }

    @Test(
        "the sequence may name one of several subscribed characteristics, or all of them",
        arguments: [
            ("180d/2a37", "180d/2a37#2", true), ("180d/2a37#2", "180d/2a37", true),
            ("180d/2a37#2", "180d/2a37#2", true), ("180d/2a37#2", "180d/2a37#1", false),
            ("180d/2a37", "180d/2a38", false),
        ])
    func numberedFeeds(subscribed: String, numbered: String, isTaken: Bool) throws {
        let text = """
            [[sensor]]
            name = "a"
            subscribe = ["\(subscribed)"]
            sequence = { characteristic = "\(numbered)" }
            """
        let parsed = try? GatewayConfiguration.parse(text, gateway: "gw-test")
        #expect((parsed?.sensors.first?.sequence != nil) == isTaken)
    }

    @Test("a rule says where the number is")
    func configuration() throws {
        let least = try Self.rule("sequence = { characteristic = \"heart_rate/heart_rate_measurement\" }")
        #expect(least?.sequence == SensorRule.Sequence(feed: try SensorRule.Feed(parsing: "180d/2a37")))
        let all = try Self.rule(
            "sequence = { characteristic = \"180d/2a37\", offset = 3, length = 4, order = \"big\" }")
        #expect(all?.sequence?.offset == 3 && all?.sequence?.length == 4 && all?.sequence?.isBigEndian == true)
        let table = try Self.rule("[sensor.sequence]\ncharacteristic = \"180d/2a37\"\norder = \"little\"")
        #expect(table?.sequence == least?.sequence)
    }

    @Test(
        "the fault of a sequence is reported, with the line",
        arguments: [
            ("sequence = 5", "sensor.sequence is an integer; wanted is a table"),
            ("sequence = {}", "sensor.sequence has no characteristic"),
            ("sequence = { characteristic = \"x\" }", "wanted is \"SERVICE/CHARACTERISTIC\""),
            ("sequence = { characteristic = \"180d/2a37\", length = 3 }", "a length other than 1, 2 or 4"),
            (
                "sequence = { characteristic = \"180d/2a37\", offset = -1 }",
                "an offset that is no integer from 0 to 511"
            ),
            ("sequence = { characteristic = \"180d/2a37\", order = \"middle\" }", "an order other than"),
            ("sequence = { characteristic = \"180d/2a37\", ofset = 1 }", "\"ofset\" – did you mean \"offset\"?"),
            ("sequence = { characteristic = \"180f/2a19\" }", "is not in subscribe"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try Self.rule(text) }
        let issues = error?.issues ?? []
        let isSaid = issues.contains { $0.description.contains(message) }
        #expect(isSaid && issues.count == 1, "\(issues)")
    }
}
