// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// docs/architecture.md, "The host".
@Suite("The host's machine")
struct HostMachineTests {
    private static let folder = "Sources/BluetoothHost"

    private struct Property {
        let name: String
        let type: String
        /// Only its own type changes it.
        let isKept: Bool
    }

    /// The stored properties of the type that has a file of its own: extensions have none.
    private func properties(of type: String, in file: String) throws -> [Property] {
        let lines = try Repository.text(file).split(separator: "\n")
        let start = try #require(
            lines.firstIndex { $0.contains("struct \(type)") && !$0.hasPrefix("/") && !$0.hasPrefix(" ") },
            "\(file) has no struct \(type)")
        let body = lines[(start + 1)...].prefix { $0 != "}" }
        return body.compactMap { line in
            guard
                let match = line.firstMatch(
                    of:
                        /^    ((?:package |private |internal |\(set\) ?|private\(set\) |internal\(set\) )*)(var|let) (\w+)(.*)$/
                ),
                !match.4.hasSuffix("{"), !match.4.contains(" { ")
            else { return nil }
            let type = match.4.firstMatch(of: /[A-Z]\w+/).map { String($0.0) } ?? ""
            return Property(
                name: String(match.3), type: type,
                isKept: match.1.contains("private") || match.2 == "let")
        }
    }

    @Test("has at most 20 stored properties of its own: what belongs together is a part")
    func count() throws {
        let names = try properties(of: "HostMachine", in: Self.folder + "/HostMachine.swift").map(\.name)
        #expect(names.contains("links") && names.contains("advertising"), "\(names)")
        #expect(names.count <= 20, "\(names.count): \(names)")
    }

    /// Parts that keep their state to themselves: others call their functions.
    private static let parts = [
        "AdvertisingMachine", "ConnectionWishes", "HostLife", "LinkTable", "OutboundMachine", "OwnAddresses",
        "PairingRules", "PeerMemory", "RadioMachine", "ServerDatabase",
    ]

    /// Settings that somebody outside chooses.
    private static let settings: Set = ["PairingRules.policy", "PairingRules.peripheralPolicy"]

    @Test("parts of it keep their state to themselves", arguments: parts)
    func privacy(part: String) throws {
        let used = try properties(of: "HostMachine", in: Self.folder + "/HostMachine.swift").map(\.type)
        #expect(used.contains(part), "\(used)")
        let folder = part == "PairingRules" ? Self.folder + "/Security" : Self.folder
        let properties = try properties(of: part, in: "\(folder)/\(part).swift")
        #expect(!properties.isEmpty)
        let open = properties.filter { !$0.isKept && !Self.settings.contains("\(part).\($0.name)") }.map(\.name)
        #expect(open.isEmpty, "\(part): \(open)")
    }
}
