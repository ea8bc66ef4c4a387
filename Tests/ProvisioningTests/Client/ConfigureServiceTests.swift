// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import NetworkControl
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import Provisioning
@testable import Publisher
@testable import martlet

/// `martlet configure` and the gateway's own service, over the air.
@Suite("Configure, and the service", .timeLimit(.minutes(10)))
struct ConfigureServiceTests {
    /// Answers questions from a list: a part of the question, and the answer.
    final class ScriptedPerson: Person {
        private struct State {
            var answers: [(question: String, answer: String)]
            var told: [String] = []
            var secrets: [String] = []
        }
        private let state: Mutex<State>

        init(_ answers: [(String, String)]) { state = Mutex(State(answers: answers)) }

        var rest: [String] { state.withLock { $0.answers.map(\.question) } }
        var told: String { state.withLock { $0.told.joined(separator: "\n") } }
        /// Questions with hidden answers.
        var secretQuestions: [String] { state.withLock { $0.secrets } }

        func answer(to question: String, isSecret: Bool) async throws(NobodyThere) -> String {
            let answer = state.withLock { state -> String? in
                if isSecret { state.secrets.append(question) }
                guard let next = state.answers.first, question.contains(next.question) else {
                    Issue.record("asked «\(question)», not «\(state.answers.first?.question ?? "nothing")»")
                    return nil
                }
                state.answers.removeFirst()
                return next.answer
            }
            guard let answer else { throw NobodyThere() }
            return answer
        }

        func tell(_ text: String) { state.withLock { $0.told.append(text) } }
    }

    /// A weak reference to the operations, for their own closures.
    private struct WeakOperations: Sendable {
        weak var operations: BenchOperations?
    }

    /// A gateway with its service, and the controller of a person who sets it up.
    private final class Scene: Sendable {
        let bench: ServiceBench
        let controller: CBController
        let lines = Mutex<[String]>([])

        /// `refused`: a password of the broker that the gateway refuses.
        init(refused: String? = nil) throws {
            let box = Mutex(WeakOperations())
            let operations = BenchOperations { call in
                guard call == "after try out", let refused else { return }
                box.withLock { $0.operations }?.state.withLock { state in
                    let isRefused = state.trial?.values[["mqtt", "password"]] == .secret(Secret(refused))
                    state.proofFailure =
                        isRefused
                        ? BrokerProofFailure(.broker, .brokerRefused, "not authorized: see the password") : nil
                }
            }
            box.withLock { $0.operations = operations }
            bench = try ServiceBench(operations: operations)
            controller = CBController(
                transport: .descriptor(try bench.radio.makeController(address: ClientScene.address)),
                stateDirectory: nil)
            var policy = bench.controller.pairingPolicy
            policy.capability = .none
            policy.addressPasskeys[ClientScene.address.description] = CBPasskey(ClientScene.passkey)
            bench.controller.pairingPolicy = policy
            bench.network.state.withLock { state in
                state.networks = [
                    WirelessNetwork(ssid: "Attic", strength: 80, security: .wpa2, frequency: 2412, isJoined: false),
                    WirelessNetwork(ssid: "Café", strength: 40, security: .open, frequency: 2412, isJoined: false),
                ]
            }
            bench.operations.state.withLock { state in
                state.sensors = [
                    HeardSensor(address: "C4:7C:8D:00:11:22", name: "Strap", rssi: -50, family: "heart_rate"),
                    HeardSensor(address: "C4:7C:8D:00:11:23", rssi: -70),
                ]
            }
        }

        deinit { controller.shutdown() }

        /// Runs the client as the command does, with JSON or as a screen.
        func configure(
            _ plan: ConfigurePlan, passkey: String? = ClientScene.passkey, person: ScriptedPerson = .init([]),
            isJSON: Bool = true
        ) async -> Bool {
            let write: (String) -> Void = { [self] line in lines.withLock { $0.append(line) } }
            let session = ConfigureSession(
                controller: controller, device: "00:B0:00:00:00:02", plan: plan,
                passkey: passkey.flatMap { CBPasskey($0) },
                report: isJSON ? ConfigureJSON(write) : ConfigureScreen(columns: 80, isLive: false, write),
                person: person, search: .seconds(300), listening: .seconds(1), mayAsk: !isJSON)
            return await session.perform()
        }

        var output: String { lines.withLock { $0.joined(separator: "\n") } }
    }

    private static func plan() -> ConfigurePlan {
        var plan = ConfigurePlan()
        (plan.name, plan.country) = ("Dach", "DE")
        plan.wireless = .init(ssid: "Attic", password: Secret("wireless secret"))
        plan.broker = .init(
            host: "mqtt.local", port: 1883, usesTLS: false, username: "gw", password: Secret("broker secret"))
        plan.accepts = [AcceptMessage(address: "C4:7C:8D:00:11:22", id: "strap")]
        return plan
    }

    @Test func `one call sets a gateway up, and no secret is printed or logged`() async throws {
        let scene = try Scene()
        #expect(await scene.configure(Self.plan()))
        let disk = scene.bench.operations.disk
        #expect(disk.values[["mqtt", "host"]] == .text("mqtt.local"))
        #expect(disk.values[["mqtt", "password"]] == .secret(Secret("broker secret")))
        #expect(disk.values[["gateway", "name"]] == .text("Dach"))
        #expect(scene.bench.network.disk.country == "DE")
        #expect(scene.bench.network.state.withLock { $0.joined } == "Attic")
        #expect(scene.bench.operations.state.withLock { $0.accepted.map(\.id) } == ["strap"])
        let output = scene.output
        #expect(output.contains(#"{"event":"progress","state":"done","step":"done"}"#))
        #expect(output.hasSuffix(#"{"event":"accepted","sensor":"strap"}"#))
        for secret in ["wireless secret", "broker secret"] {
            #expect(!output.contains(secret) && !scene.bench.lines.lines.contains { $0.contains(secret) })
        }
        // The client returns with its bond, and needs no passkey.
        var status = ConfigurePlan()
        status.showsStatus = true
        #expect(await scene.configure(status, passkey: nil))
    }

    @Test func `a broker that refuses is told with its reason, and what was before holds`() async throws {
        let scene = try Scene(refused: "broker secret")
        let before = scene.bench.operations.disk
        #expect(await scene.configure(Self.plan()) == false)
        #expect(
            scene.output.hasSuffix(
                #"{"event":"error","reason":"broker-refused","text":"not authorized: see the password"}"#))
        #expect(scene.bench.operations.disk == before && scene.bench.network.disk.next == nil)
        #expect(scene.bench.operations.state.withLock { $0.accepted.isEmpty })
    }

    @Test func `a person is asked for everything, may be wrong, and sees what came of it`() async throws {
        let scene = try Scene(refused: "wrong secret")
        let person = ScriptedPerson([
            ("Passkey that the gateway shows", "12345"), ("Passkey", "111111"), ("Passkey", ClientScene.passkey),
            ("Set up Wi-Fi?", ""), ("two letters", "XX1"), ("Enter the country again?", "y"), ("two letters", "de"),
            ("Network, its number", "1"), ("Password of Attic", "wireless secret"),
            ("MQTT broker", "mqtt.local"), ("Does it speak TLS?", "n"), ("User there", "gw"),
            ("Password", "wrong secret"), ("Name of the gateway", "Dach"),
            ("Enter again", ""), ("MQTT broker", ""), ("Does it speak TLS?", ""), ("User there", ""),
            ("Password, empty keeps the present one", "broker secret"),
            ("Accept which", "1 x"), ("Accept which", "1"), ("Id of Strap", ""), ("Its passkey", ""),
            ("Accept which", ""),
        ])
        #expect(await scene.configure(ConfigurePlan(), passkey: nil, person: person, isJSON: false))
        #expect(person.rest == [])
        #expect(person.secretQuestions.allSatisfy { $0.contains("asskey") || $0.contains("assword") })
        #expect(scene.bench.operations.disk.values[["mqtt", "password"]] == .secret(Secret("broker secret")))
        #expect(scene.bench.operations.state.withLock { $0.accepted.map(\.id) } == ["strap"])
        let text = scene.output + person.told
        for words in [
            "The passkey was wrong.", "It has six digits", "▂▄▆█    Attic",
            "✗ Logging in to the broker: not authorized",
            "Type the broker's user and password again.", "Nothing has changed: the settings of before hold again.",
            "✓ The broker takes the gateway", "The gateway uses its new settings.", "strap is accepted.",
        ] { #expect(text.contains(words), "\(words) in \(text)") }
        #expect(!text.contains("secret"))
    }
}
