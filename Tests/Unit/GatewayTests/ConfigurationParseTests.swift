// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import Foundation
import Testing

@testable import Gateway
@testable import GatewayBench

/// How often an operation parses the texts of the configuration.
struct ConfigurationParseTests {
    private static let layer = "50-provisioned.toml"
    private static let subscribe = ["180d/2a37"]

    private static func scene() throws -> OperationsScene {
        try OperationsScene { folder in
            try folder.write(
                "conf.d/10-sensors.toml", "[[sensor]]\nid = \"one\"\nname = \"Heart 1\"\nprofile = \"heart_rate\"\n")
        }
    }

    /// The parses of each file in an operation, by the last part of the file's path.
    private static func parses(
        _ scene: OperationsScene, in operation: () async throws -> Void
    ) async throws -> [String: Int] {
        let before = scene.source.texts.parses
        try await operation()
        var parses: [String: Int] = [:]
        for (file, count) in scene.source.texts.parses where count > before[file, default: 0] {
            parses[String(file.split(separator: "/").last ?? ""), default: 0] += count - before[file, default: 0]
        }
        return parses
    }

    @Test func `one accept parses the new layer once, and each file that a person has changed once`() async throws {
        let scene = try Self.scene()
        let operations = scene.operations
        let first = try await Self.parses(scene) {
            _ = try await operations.accept(
                SensorAcceptance(address: "C0:00:00:00:00:02", id: "two", subscribe: Self.subscribe))
        }
        #expect(first == [Self.layer: 1])
        try scene.write("# a new line")
        let second = try await Self.parses(scene) {
            _ = try await operations.accept(
                SensorAcceptance(address: "C0:00:00:00:00:03", id: "three", subscribe: Self.subscribe))
        }
        #expect(second == [Self.layer: 1, "martlet.toml": 1])
        let key = try await Self.parses(scene) {
            try await operations.setPasskey(Secret("019655"), of: "two")
        }
        #expect(key == [Self.layer: 1])
        // The file is as the gateway has read it.
        let found = try scene.source.load().sensors.map(\.id)
        #expect(found == ["one", "two", "three"])
    }

    @Test func `a key of the configuration is checked, tried out and kept with one parse`() async throws {
        let scene = try Self.scene()
        let operations = scene.operations
        try scene.write("# a new line")
        let change = OperationsScene.broker("127.0.0.1")
        let parses = try await Self.parses(scene) {
            _ = try await operations.check(change)
            try await operations.tryOut(change)
            try await operations.keep(network: nil)
        }
        #expect(parses == [Self.layer: 1, "martlet.toml": 1])
        #expect(scene.layer.contains("127.0.0.1"))
    }

    @Test func `a text is parsed anew when it differs, and when it is long`() throws {
        let texts = ConfigurationTexts()
        for text in ["a = 1", "a = 1", "a = 2", "a = 1"] {
            #expect(try texts.document(of: text, file: "f").root == TOMLDocument(text, file: "f").root)
        }
        #expect(texts.parses == ["f": 3])
        let long = "a = \"" + String(repeating: "x", count: ConfigurationTexts.limit) + "\""
        for _ in 0..<2 { _ = try texts.document(of: long, file: "long") }
        #expect(texts.parses["long"] == 2)
        let half = "a = \"" + String(repeating: "x", count: ConfigurationTexts.limit / 2) + "\""
        for file in ["one", "two", "two", "one"] { _ = try texts.document(of: half, file: file) }
        #expect(texts.parses["one"] == 2 && texts.parses["two"] == 1, "there is room for one of them")
        #expect(throws: ConfigurationError.self) { try texts.document(of: "a = ", file: "f") }
    }
}
