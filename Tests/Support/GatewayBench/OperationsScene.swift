// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import VirtualRadio

@testable import Configuration
@testable import Gateway
@testable import Operations

/// A running gateway with configuration files, and clients that change them.
final class OperationsScene {
    let folder: TestFolder
    let radio = VirtualRadio(seed: 17)
    let lines = LogLines()
    private(set) var gateway: GatewayService
    let source: ConfigurationSource

    var operations: any GatewayOperations { gateway.operations }
    var layerFile: String { folder.path("state/config.d/50-provisioned.toml") }
    var layer: String { (try? String(contentsOfFile: layerFile, encoding: .utf8)) ?? "" }

    private static let address = DeviceAddress(kind: .public, value: 0x02_0000_0000_01)

    /// - Parameters:
    ///   - person: A person's lines in martlet.toml, after the test's own lines.
    ///   - prepare: Receives the folder before the gateway exists.
    init(_ person: String = "", prepare: (TestFolder) throws -> Void = { _ in }) throws {
        folder = try TestFolder()
        try Self.write(person, in: folder)
        try prepare(folder)
        source = .files(path: folder.path("martlet.toml"), environment: [:], freshName: "gw-000000")
        gateway = try GatewayService(
            try source.load(), transport: .descriptor(try radio.makeController(address: Self.address)), source: source,
            logger: lines.logger)
        gateway.start()
    }

    /// Ends the gateway, and starts another one on its files.
    func startAgain() throws {
        gateway.stop()
        gateway = try GatewayService(
            try source.load(), transport: .descriptor(try radio.makeController(address: Self.address)), source: source,
            logger: lines.logger)
        gateway.start()
    }

    deinit {
        gateway.stop()
        radio.stop()
    }

    func write(_ person: String) throws { try Self.write(person, in: folder) }

    private static func write(_ person: String, in folder: TestFolder) throws {
        try folder.write(
            "martlet.toml",
            """
            [gateway]
            id = "gw-test"
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder.path("state"))"
            [journal]
            path = "\(folder.path("journal.db"))"
            durability = "fast"
            [clock]
            require_sync = false
            [control]
            socket = "\(folder.path("control.sock"))"
            \(person)
            """)
    }

    /// A change of the broker.
    static func broker(_ host: String, port: UInt16 = 1, _ more: [String: ConfigurationChange.Value?] = [:])
        -> ConfigurationChange
    {
        var change = ConfigurationChange()
        change.values[["mqtt", "host"]] = .text(host)
        change.values[["mqtt", "port"]] = .integer(Int(port))
        for (key, value) in more { change.values[["mqtt", key]] = value }
        return change
    }
}

/// The operation's refusal.
func refusal(_ body: () async throws(OperationError) -> Void) async -> OperationError? {
    do {
        try await body()
        return nil
    } catch {
        return error
    }
}
