// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Gateway
@testable import GatewayBench

@Suite("The gateway's name")
struct GatewayNameTests {
    private static let nothing: [String?] = [
        nil, "", "\n", "uninitialized\n", String(repeating: "0", count: 32), "abcdef",
    ]

    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func load(
        machine: String?, state: String? = nil, freshName: String?, more: String = ""
    ) throws -> GatewayConfiguration {
        let state = state ?? folder.path("state")
        try folder.write("martlet.toml", "[bluetooth]\nstate_directory = \"\(state)\"\n\(more)")
        try? FileManager.default.removeItem(atPath: folder.path("machine-id"))
        if let machine { try folder.write("machine-id", machine) }
        return try GatewayConfiguration.load(
            path: folder.path("martlet.toml"), environment: [:], freshName: freshName,
            machineIDFile: folder.path("machine-id"))
    }

    @Test func `a machine with an id gives its gateway the name, and nothing is kept`() throws {
        let configuration = try load(machine: "0123456789abcdef0123456789ABCDEF\n", freshName: "gw-111111")
        #expect(configuration.gateway == "gw-abcdef")
        #expect(configuration.warnings.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
    }

    @Test(arguments: nothing)
    func `a machine without an id gives it a name of its own, which outlives restarts`(_ machine: String?) throws {
        let first = try load(machine: machine, freshName: "gw-111111")
        #expect(first.gateway == "gw-111111")
        let place = folder.path("state/gateway-id")
        #expect(first.warnings.count == 1 && first.warnings[0].contains(place), "\(first.warnings)")
        // The next start, and a reload, make another one in vain.
        let second = try load(machine: machine, freshName: "gw-222222")
        #expect(second.gateway == "gw-111111")
        #expect(second.warnings.count == 1 && second.warnings[0].contains(place), "\(second.warnings)")
        // A name that somebody has chosen goes before it.
        let chosen = try load(machine: machine, freshName: "gw-222222", more: "[gateway]\nid = \"attic\"\n")
        #expect(chosen.gateway == "attic" && chosen.warnings.isEmpty)
    }

    @Test func `a name is kept behind a link, and the folder there stays as it is`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("data"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("state"), withDestinationPath: folder.path("data"))
        _ = try load(machine: nil, freshName: "gw-111111")
        #expect(try load(machine: nil, freshName: "gw-222222").gateway == "gw-111111")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("data"))
        #expect(attributes[.posixPermissions] as? Int == 0o750)
    }

    @Test func `two gateways without an id do not have the same name`() {
        let names = (0..<8).map { _ in GatewayName.random() }
        #expect(Set(names).count > 1)
        #expect(names.allSatisfy { identifierComplaint($0) == nil && $0.utf8.count == 9 && $0.hasPrefix("gw-") })
    }

    @Test func `where nothing can be kept, that is said, and the names still differ`() throws {
        // Below a file nobody can make a folder, not even root.
        try folder.write("file", "")
        for name in ["gw-111111", "gw-222222"] {
            let configuration = try load(machine: nil, state: folder.path("file"), freshName: name)
            #expect(configuration.gateway == name)
            #expect(configuration.warnings.count == 1 && configuration.warnings[0].contains("cannot be written"))
        }
    }

    @Test func `a kept name that is damaged is replaced, and who only looks writes nothing`() throws {
        try folder.write("state/gateway-id", "Kitchen/#\n")
        let looked = try load(machine: nil, freshName: nil)
        #expect(looked.gateway == GatewayName.unnamed)
        #expect(looked.warnings.first?.contains("is damaged: the next start makes another one") == true)
        // What a power cut has left of an earlier try does not stand in the way.
        try folder.write("state/gateway-id.new", "gw-3")
        let replaced = try load(machine: nil, freshName: "gw-333333")
        #expect(replaced.gateway == "gw-333333")
        let words = "what was kept of one is damaged, so the gateway is gw-333333"
        #expect(replaced.warnings.first?.contains(words) == true)
        #expect(try load(machine: nil, freshName: nil).gateway == "gw-333333")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("state"))
        #expect(names == ["gateway-id"])
    }
}
