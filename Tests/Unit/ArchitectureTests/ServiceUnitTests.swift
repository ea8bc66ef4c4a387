// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The rights of the package's services, as docs/security.md tells them.
@Suite("The rights of the services")
struct ServiceUnitTests {
    struct Unit: Sendable {
        var name: String
        /// Nil: root.
        var user: String?
        var capabilities: Set<String> = []
        var hasNetwork = true
        /// Folders out of its sight.
        var hidden: Set<String> = []
    }

    private static let everything: Set = ["/var/lib/martlet", "/etc/martlet", "/etc/credstore"]

    static let units = [
        Unit(name: "martlet.service", user: "martlet", hidden: ["/run/dbus/system_bus_socket"]),
        Unit(name: "martlet-audit.service", user: "martlet", hasNetwork: false),
        Unit(name: "martlet-vacuum.service", user: "martlet", hasNetwork: false),
        Unit(
            name: "martlet-controller@.service", user: "dynamic", capabilities: ["CAP_NET_ADMIN"], hasNetwork: false,
            hidden: ["/run/dbus/system_bus_socket", "/var/lib/martlet"]),
        Unit(name: "martlet-network@.service", hasNetwork: false, hidden: everything),
        Unit(name: "martlet-radio@.service", hasNetwork: false, hidden: everything),
        Unit(
            name: "martlet-wifi-country.service",
            capabilities: ["CAP_NET_ADMIN", "CAP_CHOWN", "CAP_FOWNER", "CAP_DAC_OVERRIDE"], hasNetwork: false,
            hidden: everything),
        Unit(
            name: "martlet-update@.service",
            capabilities: ["CAP_SYS_ADMIN", "CAP_DAC_OVERRIDE", "CAP_SETUID", "CAP_SETGID"],
            hidden: ["/var/lib/martlet"]),
    ]

    /// The values of each key, in the order of the file.
    private static func keys(_ file: String) throws -> [String: [String]] {
        var keys: [String: [String]] = [:]
        for line in try Repository.text("systemd/\(file)").split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { keys[String(parts[0]), default: []].append(String(parts[1])) }
        }
        return keys
    }

    private static func words(_ values: [String]?) -> [String] {
        (values ?? []).flatMap { $0.split(separator: " ") }.map { $0.trimmingPrefix("-") }.map(String.init)
    }

    @Test("each service has the rights of the table, and no others", arguments: units)
    func rights(_ unit: Unit) throws {
        let keys = try Self.keys(unit.name)
        #expect(keys["CapabilityBoundingSet"]?.count == 1, "all capabilities are there")
        #expect(Set(Self.words(keys["CapabilityBoundingSet"])) == unit.capabilities)
        #expect(Set(Self.words(keys["AmbientCapabilities"])).isSubset(of: unit.capabilities))
        #expect(keys["NoNewPrivileges"] == ["yes"])
        #expect((keys["User"]?.first ?? (keys["DynamicUser"] == ["yes"] ? "dynamic" : nil)) == unit.user)
        #expect((keys["IPAddressDeny"] == ["any"]) == !unit.hasNetwork)
        #expect(Set(Self.words(keys["InaccessiblePaths"])) == unit.hidden)
        // The broker's secrets are for the gateway alone.
        #expect((keys["LoadCredential"] != nil) == (unit.name == "martlet.service"))
    }

    @Test("the table has each service, and none may send packets of its own making") func complete() throws {
        let files = try Repository.files(below: "systemd").filter { $0.hasSuffix(".service") }
        #expect(Set(files) == Set(Self.units.map { "systemd/\($0.name)" }))
        for unit in Self.units { #expect(!unit.capabilities.contains("CAP_NET_RAW")) }
    }

    @Test(
        "root and the gateway alone may ask the helpers",
        arguments: ["martlet-controller", "martlet-network", "martlet-radio", "martlet-update"])
    func sockets(name: String) throws {
        let keys = try Self.keys("\(name).socket")
        #expect(keys["SocketUser"] == ["martlet"] && keys["SocketMode"] == ["0600"])
    }

    @Test("the group of the control socket may ask the gateway, and nobody else") func control() throws {
        let keys = try Self.keys("martlet.socket")
        #expect(keys["SocketGroup"] == ["martlet"] && keys["SocketMode"] == ["0660"])
    }

    @Test("other users read neither the gateway's state nor what it writes") func state() throws {
        for name in ["martlet.service", "martlet-audit.service", "martlet-vacuum.service"] {
            let keys = try Self.keys(name)
            #expect(keys["StateDirectoryMode"] == ["0700"] && keys["UMask"] == ["0077"], "\(name)")
        }
    }
}
