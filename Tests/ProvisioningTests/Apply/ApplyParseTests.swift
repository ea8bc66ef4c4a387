// SPDX-License-Identifier: Apache-2.0

import Collector
import Configuration
import Foundation
import Logging
import NetworkControl
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Provisioning

/// How often a phone's changes parse the texts of the configuration, with the operations of a whole gateway.
struct ApplyParseTests {
    private static let network = StagedChanges.Wireless.join(WirelessSettings(ssid: "Attic", password: "correct horse"))

    private static func parses(_ plan: ApplyPlan, by scene: OperationsScene) async -> [String: Int] {
        let before = scene.source.texts.parses
        let runner = ApplyRunner(
            operations: scene.operations, network: BenchNetwork(),
            logger: Logger(label: "apply") { _ in SwiftLogNoOpLogHandler() })
        #expect(await runner.run(plan) { _ in } == .kept)
        var parses: [String: Int] = [:]
        for (file, count) in scene.source.texts.parses where count > before[file, default: 0] {
            parses[String(file.split(separator: "/").last ?? ""), default: 0] += count - before[file, default: 0]
        }
        return parses
    }

    @Test func `a phone's network and its settings are parsed once each`() async throws {
        let scene = try OperationsScene()
        _ = try await scene.operations.accept(
            SensorAcceptance(address: "C0:00:00:00:00:02", subscribe: ["180d/2a37"]))
        try scene.write("# a new line")
        let alone = await Self.parses(ApplyPlan(wireless: Self.network), by: scene)
        #expect(alone == ["martlet.toml": 1, "50-provisioned.toml": 1])
        let name = try #require(await scene.operations.settings().network)
        #expect(scene.layer.contains(name))

        var change = ConfigurationChange()
        change.values[["gateway", "name"]] = .text("Attic")
        let settings = await Self.parses(ApplyPlan(change: change), by: scene)
        #expect(settings == ["50-provisioned.toml": 1])
        change.values[["gateway", "name"]] = .text("Cellar")
        // The layer on trial, and the layer that also names the network.
        let both = await Self.parses(ApplyPlan(wireless: Self.network, change: change), by: scene)
        #expect(both == ["50-provisioned.toml": 2])
        #expect(scene.layer.contains("Cellar"))
    }
}
