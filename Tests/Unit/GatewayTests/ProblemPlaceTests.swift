// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Limits
import Testing

@testable import Collector
@testable import Gateway
@testable import Health
@testable import Platform
@testable import Publisher
@testable import Readings

/// Each condition that the gateway finds has a value for each place of its texts.
struct ProblemPlaceTests {
    private typealias Change = @Sendable (inout GatewayStatus) -> Void

    private static func heard(_ name: String?, likeness: AwaitedSensor.Heard.Likeness, connectable: Bool)
        -> AwaitedSensor.Heard
    {
        AwaitedSensor.Heard(
            name: name, address: "C4:7C:8D:00:11:01", rssi: -62, connectable: connectable, likeness: likeness,
            ageMs: 1)
    }

    private static func awaited(_ nearest: [AwaitedSensor.Heard], elsewhere: Bool? = nil) -> AwaitedSensor {
        var rule = SensorRule()
        (rule.id, rule.name) = ("cellar", "Frigde")
        var sensor = AwaitedSensor(rule, nearest: nearest)
        sensor.mayBeElsewhere = elsewhere
        return sensor
    }

    private static func trouble(
        _ status: inout GatewayStatus, _ outcome: RadioHealth.Event.Outcome = .taken, step: RecoveryStep? = nil
    ) {
        var health = RadioHealth()
        health.trouble = "nothing is heard"
        health.record(outcome, step: step, reason: "r", uptimeMs: 0)
        status.controller.health = health
    }

    private static func refusal(_ status: inout GatewayStatus, _ use: RadioHealth.Refusal.Use) {
        var health = RadioHealth()
        health.refusals = [RadioHealth.Refusal(use, reason: "no")]
        status.controller.health = health
    }

    private static let radio: [Change] = [
        { $0.controller.state = "busy" },
        { trouble(&$0) },
        { trouble(&$0, .failed, step: .reset) },
        { refusal(&$0, .scan) },
        { refusal(&$0, .connect) },
        { status in
            status.collector.scanning = true
            status.proofs?.heardAgeMs = 3_600_000
        },
        { status in
            status.collector.unheardMs = 30_000
            status.proofs?.heardAgeMs = 0
        },
    ]

    private static let disk: [Change] = [
        { ($0.journal.problem, $0.journal.isFull) = ("no room", true) },
        { $0.journal.problem = "no write" },
        { $0.proofs?.unwrittenMs = 90_000 },
        { $0.journal.notice = "nearly full" },
        { $0.system = SystemStatus(disk: .init(freeBytes: 3 << 20, totalBytes: 9 << 20)) },
        { $0.system = SystemStatus(disk: .init(freeBytes: 0, totalBytes: 9 << 20)) },
    ]

    private static let broker: [Change] = [
        { $0.mqtt.namesake = true },
        { $0.mqtt.connected = false },
        { ($0.mqtt.connected, $0.mqtt.lastError) = (false, "refused") },
        { ($0.mqtt.connected, $0.journal.problem) = (false, "no write") },
        { ($0.mqtt.connected, $0.mqtt.lastError, $0.journal.problem) = (false, "refused", "no write") },
        { $0.mqtt.refusedSensors = 1 },
        { $0.mqtt.refusedSensors = 2 },
        { ($0.mqtt.refusedSensors, $0.mqtt.lastError) = (1, "no") },
        { ($0.mqtt.refusedSensors, $0.mqtt.lastError) = (2, "no") },
        { $0.mqtt.lastError = "no" },
        { $0.proofs?.unacknowledgedMs = 90_000 },
        { webhook(&$0, waiting: 1) },
        { webhook(&$0, waiting: 2) },
        { ($0.mqtt.historyMode, $0.journal.buffered) = ("paused", 1) },
        { ($0.mqtt.historyMode, $0.journal.buffered) = ("paused", 2) },
    ]

    private static func webhook(_ status: inout GatewayStatus, waiting: Int) {
        var deliveries = LimitDeliveries()
        deliveries.webhook = WebhookStatus(server: "s")
        deliveries.webhook?.lastError = "refused"
        deliveries.waiting = [LimitQueue.Reader.webhook.rawValue: waiting]
        status.limitDeliveries = deliveries
    }

    private static let machine: [Change] = [
        { $0.system = SystemStatus(supply: PowerSupply(flags: "50005")) },
        { $0.system = SystemStatus(supply: PowerSupply(flags: "50000")) },
        { $0.system = SystemStatus(temperatureC: 91) },
        { status in
            let memory = MemoryStatus(residentBytes: 0, ownBytes: 0, hourlyLows: [1, 2], isGrowing: true)
            status.system = SystemStatus(memory: memory)
        },
        { status in
            status.time = ClockStatus(
                state: "synced", source: nil, unixMs: 1_000_000, errorMs: nil, offsetMs: nil, ageS: 60, boot: "b",
                uptimeMs: 1, systemUnixMs: 0, kernelSynchronized: false, kernelErrorMs: 0, leapSecond: .none, steps: 0,
                lastStepMs: nil)
            let times: [(Int64?, Int64?)] = [(0, 999), (0, 1_001), (1_001, 1 << 40), (nil, nil)]
            status.system = SystemStatus(
                certificates: times.map { CertificateStatus(key: "k", file: "f", begin: $0, end: $1) })
        },
    ]

    private static let rest: [Change] = [
        { $0.late = [LatePart.journal.sentence] },
        { $0.clock = "unsynced" },
        { $0.configurationProblems = ["c"] },
        { $0.copiedFrom = "gw-a" },
        { $0.bondProblems = ["b"] },
        { status in
            status.limits = LimitSide.allCases.flatMap { side in
                [nil, 8.5].map { value in
                    LimitStatus(
                        sensor: "s1", quantity: side == .silent ? nil : "temperature", side: side, limit: 8,
                        isCrossed: true, value: value)
                }
            }
        },
    ]

    private static let sensors: [Change] = [
        { $0.collector.sensors[0].trouble = "t" },
        { ($0.collector.sensors[0].link, $0.collector.sensors[0].missing) = (.collecting, ["2a6e"]) },
        { $0.collector.sensors[0].lastFailure = "f" },
        { $0.collector.sensors[0].health = .silent },
        { ($0.collector.sensors[0].health, $0.collector.sensors[0].usualMs) = (.silent, 1_000) },
        { $0.collector.sensors[0].health = .notUnderstood },
        { $0.collector.sensors[0].health = .neverHeard },
        { status in
            status.collector.sensors[0].values = [
                .init(
                    characteristic: "fcd2", value: "", source: "advert", uptimeMs: 0, unixMs: nil, ageMs: 0,
                    fields: [DecodedField(Field(.battery, .int(3)))])
            ]
        },
        { $0.collector.awaited = [awaited([])] },
        { $0.collector.awaited = [awaited([], elsewhere: true)] },
        { status in
            var refused = heard("a", likeness: .all, connectable: false)
            refused.refusal = .noConnection
            status.collector.awaited = [awaited([refused])]
        },
        { status in
            let devices = [nil, "Fridge"].flatMap { name in
                [AwaitedSensor.Heard.Likeness.name, .service].flatMap { likeness in
                    [true, false].map { heard(name, likeness: likeness, connectable: $0) }
                }
            }
            status.collector.awaited = [awaited(devices)]
        },
    ]

    /// The conditions of each status, and those of the counts and of the operators.
    private static var conditions: [Condition] {
        var found = (radio + disk + broker + machine + rest + sensors).flatMap { change in
            GatewayConditions.of(
                GatewayHealthTests.status { status in
                    status.proofs = GatewayProofs()
                    change(&status)
                })
        }
        var losses = LossWatch(countsAll: true)
        var entry = LedgerEntry()
        (entry.dropped, entry.missing) = (["journal-full": 3, "refused": 1], 5)
        found += losses.look(
            GatewayHealthTests.status { status in
                status.journal.sensors = ["s1": entry]
                (status.collector.sensors[0].link, status.collector.sensors[0].unconfirmed) = (.collecting, 7)
            })
        var word = OperatorWord()
        _ = word.maintain("s1", until: 9_000)
        return found + word.conditions(at: 0, SpokenTime.of)
    }

    private static func name(_ code: ProblemCode, _ variant: ProblemVariant?) -> String {
        code.rawValue + (variant.map { " \($0.rawValue)" } ?? "")
    }

    @Test func `each text that the gateway may say has a value for each of its places`() {
        var said: Set<String> = []
        var phrases: Set<String> = [
            ProblemPhrase.Name.over.rawValue, ProblemPhrase.Name.known.rawValue, ProblemPhrase.Name.knownFor.rawValue,
        ]
        for condition in Self.conditions {
            let row = ProblemTable.row(condition.code)
            let name = Self.name(condition.code, condition.variant)
            said.insert(name)
            #expect(condition.variant.map { row.variants[$0] != nil } ?? true, "\(name): no such variant")
            let wording = row.wording(condition.variant)
            let places = [row.title, wording.text ?? "", wording.remedy?.template ?? ""]
                .reduce(into: Set<String>()) { $0.formUnion(ProblemRow.places(of: $1)) }
            let problem = Problem(condition, row: row, ageMs: 0, on: .package)
            let values = Set(problem.arguments?.keys.map { $0 } ?? []).union(["parts"])
            #expect(places.isSubset(of: values), "\(name): \(places.subtracting(values))")
            let texts = [problem.title, problem.text, problem.remedy ?? ""]
            #expect(!texts.contains { $0.contains("{") }, "\(name): \(texts)")
            for phrase in condition.parts {
                phrases.insert(phrase.phrase)
                let template = ProblemPhrase.Name(rawValue: phrase.phrase)?.english ?? "{unknown}"
                let known = Set(phrase.arguments.keys)
                #expect(ProblemRow.places(of: template).isSubset(of: known), "\(name), \(phrase.phrase)")
            }
        }
        for step in RecoveryStep.allCases { phrases.insert("step-\(step.rawValue)") }
        let all = ProblemTable.rows.flatMap { row in
            [Self.name(row.code, nil)] + row.variants.keys.map { Self.name(row.code, $0) }
        }
        #expect(said == Set(all), "\(said.symmetricDifference(all))")
        #expect(phrases == Set(ProblemPhrase.Name.allCases.map(\.rawValue)))
    }

    @Test func `the step against a faulty radio has its words`() {
        for step in RecoveryStep.allCases {
            var status = GatewayHealthTests.status()
            Self.trouble(&status, step: step)
            let problem = status.judged.problems?.first
            #expect(problem?.text == "nothing is heard; \(step.done)" && problem?.variant == "step")
            #expect(problem?.parts?.map(\.phrase) == ["step-\(step.rawValue)"])
        }
    }

    @Test func `a problem tells its code, its variant and its values, and an older one without them is read`() throws {
        let status = GatewayHealthTests.status {
            ($0.collector.sensors[0].health, $0.collector.sensors[0].usualMs) = (.silent, 1_000)
        }.judged
        let problems = try #require(status.problems)
        let text = String(decoding: try ControlCoding.encode(problems), as: UTF8.self)
        #expect(
            text == #"[{"age_ms":0,"arguments":{"martlet why":"martlet why s1","subject":"s1","time":"1 s"},"#
                + #""code":"sensor-silent","part":"sensors","remedy":"Run martlet why s1","sensor":"s1","#
                + #""severity":"warning","text":"Silent: no value comes, though one usually comes every 1 s","#
                + #""title":"s1","variant":"usually"}]"#)
        #expect(try ControlCoding.decode([Problem].self, from: Array(text.utf8)) == problems)
        let older =
            #"{"age_ms":0,"code":"bonds","part":"bonds","severity":"warning","text":"x","title":"y"}"#
        let read = try ControlCoding.decode(Problem.self, from: Array(older.utf8))
        #expect(read.variant == nil && read.arguments == nil && read.line == "y: x")
    }
}
