// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import NetworkControl
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import Provisioning
@testable import Publisher
@testable import martlet

/// `martlet configure` and the gateway's own service, over the air.
@Suite("Configure, and the service", .timeLimit(.minutes(10)))
struct ConfigureServiceTests {
    /// The operations, for what they call themselves.
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
                    state.checkFailure =
                        isRefused
                        ? BrokerCheckFailure(.broker, .brokerRefused, "not authorized: see the password") : nil
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
            _ plan: ConfigurePlan, device: String? = "00:B0:00:00:00:02", passkey: String? = ClientScene.passkey,
            search: Duration = .seconds(300), isJSON: Bool = true
        ) async -> Bool {
            let write: (String) -> Void = { [self] line in lines.withLock { $0.append(line) } }
            let session = ConfigureSession(
                controller: controller, device: device, plan: plan,
                passkey: passkey.flatMap { CBPasskey($0) },
                report: isJSON ? ConfigureJSON(write) : ConfigureScreen(columns: 80, isLive: false, write),
                search: search, listening: .seconds(1))
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

    @Test func `calls with options do all that a set-up takes, and a wrong one says what to type`() async throws {
        let scene = try Scene(refused: "wrong secret")
        func call(passkey: String? = nil, _ change: (inout ConfigurePlan) -> Void) async -> Bool {
            var plan = ConfigurePlan()
            change(&plan)
            return await scene.configure(plan, passkey: passkey, isJSON: false)
        }
        #expect(await call { $0.listsNetworks = true } == false)
        #expect(await call(passkey: "111111") { $0.listsNetworks = true } == false)
        // The gateway's clock and the country come first: TLS and the radio want them.
        #expect(
            await call(passkey: ClientScene.passkey) {
                $0.setsTime = true
                $0.country = "DE"
            })
        #expect(await call { $0.listsNetworks = true })
        func settings(_ plan: inout ConfigurePlan, _ password: String) {
            plan.name = "Dach"
            plan.wireless = .init(ssid: "Attic", password: Secret("wireless secret"))
            plan.broker = .init(
                host: "mqtt.local", port: 1883, usesTLS: false, username: "gw", password: Secret(password))
        }
        #expect(await call { settings(&$0, "wrong secret") } == false)
        #expect(await call { settings(&$0, "broker secret") })
        // On a busy machine the gateway's list may come after the second in which it is listened to.
        repeat { #expect(await call { $0.listsSensors = true }) } while !scene.output.contains("Strap")
        #expect(
            await call {
                $0.accepts = [AcceptMessage(address: "C4:7C:8D:00:11:22", id: "strap", passkey: "019655")]
                $0.showsStatus = true
            })
        #expect(scene.bench.operations.disk.values[["mqtt", "password"]] == .secret(Secret("broker secret")))
        #expect(scene.bench.operations.disk.values[["gateway", "name"]] == .text("Dach"))
        #expect(scene.bench.network.disk.country == "DE")
        #expect(
            scene.bench.operations.state.withLock { $0.accepted.map { [$0.id, $0.passkey?.revealed] } }
                == [["strap", "019655"]])
        let text = scene.output
        for words in [
            "▂▄▆█    Attic", "✗ Logging in to the broker: not authorized",
            "Nothing has changed: the settings of before hold again.", "✓ The broker takes the gateway",
            "The gateway uses its new settings.", "Strap", "strap is accepted.", "readings  0 received",
        ] { #expect(text.contains(words), "\(words) in \(text)") }
        #expect(!text.contains("secret") && !text.contains("019655"))
    }

    @Test func `without anything to do it lists the gateways, and says what to type`() async throws {
        let scene = try Scene()
        // A search may end before the first advertisement.
        while !scene.output.contains("00:B0:00:00:00:02") {
            scene.lines.withLock { $0 = [] }
            _ = await scene.configure(ConfigurePlan(), device: nil, search: .seconds(1), isJSON: false)
        }
        #expect(scene.output.contains("unprovisioned"))
        #expect(scene.output.contains("  martlet configure 00:B0:00:00:00:02 --passkey - "))
        scene.lines.withLock { $0 = [] }
        while !scene.output.contains("00:B0:00:00:00:02") {
            scene.lines.withLock { $0 = [] }
            _ = await scene.configure(ConfigurePlan(), device: nil, search: .seconds(1))
        }
        #expect(scene.output.hasPrefix(#"{"event":"gateway","address":"00:B0:00:00:00:02""#))
        #expect(!scene.output.contains("martlet configure"))
    }
}
