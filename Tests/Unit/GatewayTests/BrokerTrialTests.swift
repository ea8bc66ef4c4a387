// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Publisher
@testable import martlet

@Suite("The proof of a broker")
struct BrokerTrialTests {
    private static func prove(
        _ operations: any GatewayOperations, within limit: Duration = hangLimit
    ) async -> (steps: [BrokerStep], failure: BrokerCheckFailure?) {
        let steps = Mutex<[BrokerStep]>([])
        do throws(BrokerCheckFailure) {
            try await operations.checkBroker(within: limit) { step in steps.withLock { $0.append(step) } }
            return (steps.withLock { $0 }, nil)
        } catch {
            return (steps.withLock { $0 }, error)
        }
    }

    @Test("a broker that answers under the tried settings is proved, step by step, and readings go there afterwards")
    func success() async throws {
        let scene = try OperationsScene()
        let broker = try PrivateBroker(folder: scene.folder.path)
        let operations = scene.operations
        try await operations.tryOut(OperationsScene.broker("127.0.0.1", port: broker.port))
        let (steps, failure) = await Self.prove(operations)
        #expect(steps == [.name, .connect, .broker] && failure == nil)
        #expect(await operations.status().mqtt.connected)
        try await operations.keep(network: nil)
        // Without a trial, the proof is of a connection of now.
        let again = await Self.prove(operations)
        #expect(again.steps == [.name, .connect, .broker] && again.failure == nil)
    }

    @Test("a connection from before the trial proves nothing")
    func oldConnection() async throws {
        let scene = try OperationsScene()
        let broker = try PrivateBroker(folder: scene.folder.path)
        let operations = scene.operations
        try await operations.tryOut(OperationsScene.broker("127.0.0.1", port: broker.port))
        try await operations.keep(network: nil)
        let connected = await eventually { scene.gateway.status.mqtt.connected }
        try #require(connected)
        let before = try #require(scene.gateway.slot.publisher)
        // Nothing of the broker changes, as with another network only.
        var change = ConfigurationChange()
        change.values[["gateway", "name"]] = .text("Attic")
        try await operations.tryOut(change)
        #expect(scene.gateway.slot.publisher === before)
        broker.stop()
        let (_, failure) = await Self.prove(operations)
        #expect(failure?.reason == .noConnection && failure?.step == .connect, "\(String(describing: failure))")
        #expect(scene.gateway.slot.publisher !== before)
    }

    @Test("an unknown name and a port without a listener are reported as such")
    func unreachable() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        try await operations.tryOut(OperationsScene.broker("no-such-broker.invalid"))
        let name = await Self.prove(operations)
        #expect(name.steps == [.name] && name.failure?.reason == .noName && name.failure?.step == .name)
        #expect(name.failure?.text.contains("cannot be looked up") == true)
        await operations.revert()
        try await operations.tryOut(OperationsScene.broker("127.0.0.1", port: 1))
        let port = await Self.prove(operations)
        #expect(port.steps == [.name, .connect])
        #expect(port.failure?.reason == .noConnection && port.failure?.step == .connect)
    }

    @Test("a proof ends when the configuration is read again")
    func replaced() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        try await operations.tryOut(OperationsScene.broker("127.0.0.1", port: 1))
        async let proof = Self.prove(operations)
        try scene.write("[mqtt]\nhost = \"127.0.0.3\"\nport = 1\n")
        scene.gateway.reload(try scene.source.load())
        let failure = await proof.failure
        #expect(failure?.reason == .noConnection)
    }
}
