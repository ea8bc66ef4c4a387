// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// docs/architecture.md, "The host".
@Suite("The host's machine")
struct HostMachineTests {
    private static let folder = "Sources/BluetoothHost"

    private func properties(of type: String) throws -> [StoredProperties.Property] {
        let text = try Repository.source(type, below: Self.folder)
        return try #require(StoredProperties(text).types[type], "no file has \(type)")
    }

    @Test("has at most 20 stored properties of its own: related properties form a part")
    func count() throws {
        let names = try properties(of: "HostMachine").map(\.name)
        #expect(names.contains("links") && names.contains("advertising"), "\(names)")
        #expect(names.count <= 20, "\(names.count): \(names)")
    }

    /// Parts with private state: other parts call their functions.
    private static let parts = [
        "AdvertisingMachine", "ConnectionWishes", "HostLife", "LinkTable", "OutboundMachine", "OwnAddresses",
        "PairingRules", "PeerMemory", "RadioMachine", "ServerDatabase",
    ]

    /// Settings for callers to choose.
    private static let settings: Set = ["PairingRules.policy", "PairingRules.peripheralPolicy"]

    @Test("parts of the host have private state", arguments: parts)
    func privacy(part: String) throws {
        #expect(try Repository.source("HostMachine", below: Self.folder).contains(part))
        let properties = try properties(of: part)
        #expect(!properties.isEmpty)
        let open = properties.filter { !$0.isKept && !Self.settings.contains("\(part).\($0.name)") }.map(\.name)
        #expect(open.isEmpty, "\(part): \(open)")
    }
}
