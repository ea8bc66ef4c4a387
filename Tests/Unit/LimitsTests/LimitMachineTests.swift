// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

@testable import Limits

/// Facts of a journal in memory.
struct KeptFacts: FactSource {
    var facts: [String: String] = [:]

    func identifier(for key: String) -> String? { facts[key] }

    func identifiers(withPrefix prefix: String) -> [String: String] {
        facts.reduce(into: [:]) { found, fact in
            guard fact.key.hasPrefix(prefix), !fact.value.isEmpty else { return }
            found[String(fact.key.dropFirst(prefix.count))] = fact.value
        }
    }
}

/// A time in seconds of a boot; `unix` in seconds, where the clock is to be trusted.
func time(_ seconds: Double, boot: String = "b1", unix: Int64? = nil) -> LimitTime {
    LimitTime(boot: boot, upMs: Int64(seconds * 1_000), unixMs: unix.map { $0 * 1_000 })
}

func temperature(_ value: Double) -> [Field] {
    value.isFinite
        ? [.decimal(.temperature, Int64((value * 100).rounded()), places: 2)]
        : [Field(.temperature, .string("nan"))]
}

@Suite("Limits of a sensor's values")
struct LimitMachineTests {
    enum Step: Sendable {
        /// A temperature.
        case value(Double)
        /// A value without a field that has limits.
        case nothing
        /// A look, at the newest values of the present.
        case look
        case stale
        case held
        /// A new process of the same boot.
        case restart
        /// A new boot that knows the time; the seconds of wall time since the last step of the former boot.
        case reboot(after: Int64)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var limits: SensorLimits
        /// Seconds since boot, and the step.
        var steps: [(Double, Step)]
        /// `SECONDS: OUTCOME SIDE since SECONDS`.
        var events: [String]

        init(_ name: String, _ limits: SensorLimits, _ steps: [(Double, Step)], _ events: [String]) {
            (testDescription, self.limits, self.steps, self.events) = (name, limits, steps, events)
        }
    }

    static func warm(_ delay: Int64 = 0, _ hysteresis: Double = 0) -> SensorLimits {
        SensorLimits(["temperature": .init(above: 8, delay: .seconds(delay), hysteresis: hysteresis)])
    }

    static let rows: [Row] = [
        Row("a value on the limit is inside", warm(), [(1, .value(8))], []),
        Row(
            "a crossing is told once", warm(), [(1, .value(8.01)), (2, .value(9)), (3, .value(20))],
            [
                "1: crossed above since 1"
            ]),
        Row(
            "a value on the limit ends a crossing", warm(), [(1, .value(9)), (2, .value(8))],
            [
                "1: crossed above since 1", "2: over above since 1",
            ]),
        Row(
            "too cold is told like too warm", SensorLimits(["temperature": .init(below: 2)]),
            [
                (1, .value(2)), (2, .value(1.99)), (3, .value(2)),
            ], ["2: crossed below since 2", "3: over below since 2"]),
        Row(
            "both sides of one quantity are limits of their own",
            SensorLimits(["temperature": .init(above: 8, below: 2)]),
            [
                (1, .value(9)), (2, .value(1)),
            ], ["1: crossed above since 1", "2: over above since 1", "2: crossed below since 2"].sorted()),
        Row(
            "a delay has to be over", warm(60), [(1, .value(9)), (60, .value(9)), (61, .value(9))],
            [
                "61: crossed above since 1"
            ]),
        Row(
            "a look ends a delay without a value", warm(60), [(1, .value(9)), (60, .look), (61, .look)],
            [
                "61: crossed above since 1"
            ]),
        Row("a value that is too old ends no delay", warm(60), [(1, .value(9)), (61, .stale), (70, .stale)], []),
        Row(
            "one value inside begins the delay again", warm(60),
            [
                (1, .value(9)), (50, .value(8)), (61, .value(9)), (120, .look), (121, .look),
            ], ["121: crossed above since 61"]),
        Row(
            "a crossing is over when the value is back by the hysteresis", warm(0, 0.5),
            [
                (1, .value(9)), (2, .value(7.51)), (3, .value(8.5)), (4, .value(7.5)),
            ], ["1: crossed above since 1", "4: over above since 1"]),
        Row(
            "the second crossing has its own time", warm(), [(1, .value(9)), (2, .value(7)), (3, .value(9))],
            [
                "1: crossed above since 1", "2: over above since 1", "3: crossed above since 3",
            ]),
        Row(
            "a number that is none says nothing", warm(), [(1, .value(9)), (2, .value(.nan)), (3, .nothing)],
            [
                "1: crossed above since 1"
            ]),
        Row(
            "silence is told by its own limit, and ends with any value", SensorLimits(silence: .seconds(60)),
            [
                (0, .look), (10, .nothing), (70, .stale), (71, .stale), (72, .stale), (90, .nothing),
            ], ["71: crossed silent since 10", "90: over silent since 10"]),
        Row(
            "silence counts from the start", SensorLimits(silence: .seconds(60)),
            [(5, .look), (65, .look), (66, .look)],
            [
                "66: crossed silent since 5"
            ]),
        Row(
            "maintenance tells nothing, and delays and silence begin again",
            SensorLimits(
                ["temperature": .init(above: 8, delay: .seconds(60))], silence: .seconds(60)),
            [
                (1, .value(9)), (30, .held), (31, .value(9)), (100, .held), (101, .look), (150, .look),
                (151, .value(9)),
                (200, .look), (211, .look),
            ], ["211: crossed above since 151"]),
        Row(
            "a value in maintenance begins no delay", warm(60),
            [(1, .held), (31, .value(9)), (100, .look), (101, .value(9)), (160, .look), (161, .look)],
            ["161: crossed above since 101"]),
        Row(
            "a restart tells no crossing again", warm(),
            [
                (1, .value(9)), (2, .restart), (3, .value(9)), (4, .restart), (5, .look), (6, .value(7)),
            ], ["1: crossed above since 1", "6: over above since 1"]),
        Row(
            "a delay goes on over a restart, once a value has confirmed it", warm(60),
            [
                (1, .value(9)), (30, .restart), (61, .look), (62, .value(9)),
            ], ["62: crossed above since 1"]),
        Row(
            "a delay ends over a restart when the first value is inside", warm(60),
            [
                (1, .value(9)), (30, .restart), (62, .value(7)), (63, .value(9)), (100, .look),
            ], []),
        Row(
            "a delay goes on over a boot that knows the time", warm(600),
            [
                (1, .value(9)), (2, .reboot(after: 300)), (10, .value(9)), (298, .look), (299, .look),
            ], ["299: crossed above since 1"]),
        Row(
            "silence is told once over a restart", SensorLimits(silence: .seconds(60)),
            [
                (0, .look), (61, .stale), (62, .restart), (70, .stale), (200, .stale), (201, .nothing),
            ], ["61: crossed silent since 0", "201: over silent since 0"]),
        Row(
            "a sensor that does not come back after a restart is noticed", SensorLimits(silence: .seconds(60)),
            [
                (0, .nothing), (5, .restart), (6, .stale), (66, .stale), (67, .stale),
            ], ["67: crossed silent since 6"]),
    ]

    @Test(arguments: rows) func course(_ row: Row) {
        var machine = LimitMachine()
        var kept = KeptFacts()
        var (boot, unix) = (1, Int64(1_000_000))
        var told: [String] = []
        func now(_ seconds: Double) -> LimitTime { time(seconds, boot: "b\(boot)", unix: unix + Int64(seconds)) }
        _ = machine.apply(row.limits, to: "s", at: now(0))
        func keep(_ changes: [LimitMachine.Change]) {
            kept.facts.merge(machine.takeFacts()) { $1 }
            told += changes.map {
                "\($0.at.upMs / 1_000): \($0.outcome) \($0.crossing.side) since \($0.crossing.since.upMs / 1_000)"
            }.sorted()
        }
        keep([])
        for (seconds, step) in row.steps {
            switch step {
            case .value(let value): keep(machine.took(temperature(value), of: "s", at: now(seconds)))
            case .nothing: keep(machine.took([.int(.humidity, 50)], of: "s", at: now(seconds)))
            case .look: keep(machine.look(at: now(seconds)) { _ in .present })
            case .stale: keep(machine.look(at: now(seconds)) { _ in .stale })
            case .held: keep(machine.look(at: now(seconds)) { _ in .held })
            case .restart, .reboot:
                if case .reboot(let after) = step { (boot, unix) = (boot + 1, unix + Int64(seconds) + after) }
                machine = LimitMachine()
                machine.load(from: kept)
                // A sensor that is not found has no limits of this run; its kept ones hold.
                if row.limits.silence == nil { keep(machine.apply(row.limits, to: "s", at: now(seconds))) }
            }
        }
        #expect(told == row.events)
    }

    @Test func `a limit that is configured no more ends its crossing, and says so`() {
        var machine = LimitMachine()
        _ = machine.apply(Self.warm(), to: "s", at: time(0))
        _ = machine.took(temperature(9), of: "s", at: time(1))
        let changes = machine.apply(nil, to: "s", at: time(2))
        #expect(changes.map(\.outcome) == [.removed] && machine.isEmpty)
        #expect(machine.apply(nil, to: "s", at: time(3)).isEmpty)
        #expect(machine.takeFacts() == ["limits:s": ""])
    }

    @Test func `a changed limit keeps the crossing until a value says otherwise`() {
        var machine = LimitMachine()
        _ = machine.apply(Self.warm(), to: "s", at: time(0))
        _ = machine.took(temperature(9), of: "s", at: time(1))
        #expect(machine.apply(SensorLimits(["temperature": .init(above: 20)]), to: "s", at: time(2)).isEmpty)
        #expect(machine.crossed(at: time(3)).map(\.limit) == [20])
        #expect(machine.took(temperature(9), of: "s", at: time(4)).map(\.outcome) == [.over])
    }

    /// A configuration is read again whenever a part of it changes.
    @Test(arguments: [(0.0, true), (0.5, false)])
    func `the same settings let a delay go on, and other settings begin it again`(hysteresis: Double, goesOn: Bool) {
        var machine = LimitMachine()
        _ = machine.apply(Self.warm(60), to: "s", at: time(0))
        _ = machine.took(temperature(9), of: "s", at: time(1))
        #expect(machine.apply(Self.warm(60, hysteresis), to: "s", at: time(30)).isEmpty)
        #expect(machine.look(at: time(60)) { _ in .present }.isEmpty)
        #expect(machine.look(at: time(61)) { _ in .present }.map(\.crossing.since) == (goesOn ? [time(1)] : []))
        #expect(machine.took(temperature(9), of: "s", at: time(62)).isEmpty)
        #expect(machine.look(at: time(121)) { _ in .present }.isEmpty)
        #expect(machine.look(at: time(122)) { _ in .present }.map(\.crossing.since) == (goesOn ? [] : [time(62)]))
    }

    @Test func `a field with a number has limits of its own`() {
        var machine = LimitMachine()
        _ = machine.apply(SensorLimits(["temperature_2": .init(above: 8)]), to: "s", at: time(0))
        #expect(machine.took([Field(.temperature, .int(9), index: 1)], of: "s", at: time(1)).isEmpty)
        #expect(machine.took([Field(.temperature, .int(9), index: 2)], of: "s", at: time(2)).count == 1)
    }

    @Test func `facts that cannot be read are nothing`() {
        for text in ["", "x", "{}", "{\"temperature-above\":1}", "[]", "{\"-above\":{}}"] {
            #expect(WatchedSensor(text: text) == WatchedSensor())
        }
        for text in ["above", "-above", "a-b-above", "temperature-", "temperature-silent", "-", ""] {
            #expect(LimitName(text) == nil, "\(text)")
        }
        for name in [LimitName("temperature_2", .below), .silence] { #expect(LimitName(name.text) == name) }
    }
}
