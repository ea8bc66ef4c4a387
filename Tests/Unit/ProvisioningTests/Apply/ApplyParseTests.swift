// SPDX-License-Identifier: Apache-2.0

import Collector
import Configuration
import Foundation
import Logging
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Provisioning

/// How often a phone's changes parse the texts of the configuration, with the operations of a whole gateway.
struct ApplyParseTests {
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

    @Test func `a phone's settings are parsed once each`() async throws {
        let scene = try OperationsScene()
        _ = try await scene.operations.accept(
            SensorAcceptance(address: "C0:00:00:00:00:02", subscribe: ["180d/2a37"]))
        try scene.write("# a new line")
        var change = ConfigurationChange()
        change.values[["gateway", "name"]] = .text("Attic")
        let first = await Self.parses(ApplyPlan(change: change), by: scene)
        #expect(first == ["martlet.toml": 1, "50-provisioned.toml": 1])
        change.values[["gateway", "name"]] = .text("Cellar")
        let second = await Self.parses(ApplyPlan(change: change), by: scene)
        #expect(second == ["50-provisioned.toml": 1])
        #expect(scene.layer.contains("Cellar"))
    }
}
