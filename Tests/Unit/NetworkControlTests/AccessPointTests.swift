// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetworkControl

@Suite("Access points") struct AccessPointTests {
    private func point(
        _ name: String, _ strength: Int = 50, flags: Int = 0, wpa: Int = 0, rsn: Int = 0
    ) -> AccessPoint {
        AccessPoint(name: Array(name.utf8), strength: strength, frequency: 2_412, flags: flags, wpa: wpa, rsn: rsn)
    }

    static let securities: [(flags: Int, wpa: Int, rsn: Int, WirelessNetwork.Security)] = [
        (0, 0, 0, .open), (1, 0, 0, .wep), (1, 0x108, 0, .wpa), (1, 0, 0x188, .wpa2), (1, 0x108, 0x188, .wpa2),
        (1, 0, 0x588, .wpa2), (1, 0, 0x488, .wpa3), (1, 0, 0x288, .enterprise), (1, 0x208, 0, .enterprise),
        (1, 0, 0x2088, .enterprise), (1, 0, 0x388, .wpa2), (0, 0, 0x888, .open),
    ]

    @Test("an access point's security is in its flags", arguments: securities)
    func security(flags: Int, wpa: Int, rsn: Int, security: WirelessNetwork.Security) {
        #expect(point("A", flags: flags, wpa: wpa, rsn: rsn).security == security)
    }

    @Test("each network is told once, the strongest first, and which is in use") func list() {
        var points = [point("Attic", 40, rsn: 0x188), point("Cellar", 90), point("Attic", 70, rsn: 0x188)]
        points.append(AccessPoint(name: [0xFF, 0xFE], strength: 99, frequency: 2_412, flags: 0, wpa: 0, rsn: 0))
        points.append(point("two\nlines", 98))
        let networks = points.networks(joined: Array("Attic".utf8))
        #expect(networks.map(\.ssid) == ["Cellar", "Attic"])
        #expect(networks.map(\.strength) == [90, 70])
        #expect(networks.map(\.isJoined) == [false, true])
    }

    @Test("a list has an end") func bound() {
        #expect((0..<500).map { point("network \($0)", $0 % 101) }.networks(joined: nil).count == 64)
    }

    @Test("missing properties, or properties of another type, do not end the helper") func properties() {
        #expect(AccessPoint(properties: [:]) == nil)
        #expect(AccessPoint(properties: ["Ssid": .variant(.string("text"))]) == nil)
        #expect(AccessPoint(properties: ["Ssid": .variant(.octets([]))]) == nil)
        #expect(AccessPoint(properties: ["Ssid": .variant(.octets(Array(repeating: 65, count: 33)))]) == nil)
        let point = AccessPoint(properties: [
            "Ssid": .variant(.octets([65])), "Strength": .variant(.octet(70)), "RsnFlags": .variant(.uint32(0x188)),
        ])
        #expect(point?.strength == 70)
        #expect(point?.security == .wpa2)
    }

    static let local = ["127.0.0.1", "169.254.3.4", "fe80::1", "FEBF::1", "::1"]
    static let wide = ["192.168.1.2", "10.0.0.1", "fd00::1", "2001:db8::1"]

    @Test("an address on one link alone reaches nothing") func reach() {
        #expect(Self.local.filter(NetworkManagerBus.reachesFurther) == [])
        #expect(Self.wide.filter(NetworkManagerBus.reachesFurther) == Self.wide)
    }
}

@Suite("Profiles of connections") struct ConnectionProfileTests {
    private func profile(_ ssid: String, _ password: String?, hidden: Bool = false) throws -> ConnectionProfile {
        try ConnectionProfile(
            WirelessSettings(ssid: ssid, password: password, isHidden: hidden),
            uuid: "0b0e7a5e-0000-4000-8000-000000000000")
    }

    private func point(rsn: Int, flags: Int = 1) -> AccessPoint {
        AccessPoint(name: [65], strength: 1, frequency: 2_412, flags: flags, wpa: 0, rsn: rsn)
    }

    static let wrong: [(String, String?)] = [
        ("", nil), (String(repeating: "a", count: 33), nil), (String(repeating: "ä", count: 17), nil), ("A", "seven77"),
        ("A", String(repeating: "x", count: 64)), ("A", String(repeating: "a", count: 65)), ("A", "with\u{7}bell"),
    ]

    @Test("an impossible network is refused before the manager is asked", arguments: wrong)
    func refused(ssid: String, password: String?) {
        #expect {
            try profile(ssid, password)
        } throws: { ($0 as? NetworkTrouble)?.failure == .notValid }
    }

    @Test("a profile joins by itself only after it is settled, and has its network's key management")
    func sections() throws {
        let settings = try #require(
            try profile("Attic", "correct horse").settings(for: point(rsn: 0x488)).entries)
        #expect(settings["connection"]?.entries?["autoconnect"]?.bool == false)
        #expect(settings["802-11-wireless"]?.entries?["ssid"]?.data == Array("Attic".utf8))
        #expect(settings["802-11-wireless-security"]?.entries?["key-mgmt"]?.text == "sae")
        let mixed = try profile("Attic", "correct horse").settings(for: point(rsn: 0x588)).entries
        #expect(mixed?["802-11-wireless-security"]?.entries?["key-mgmt"]?.text == "wpa-psk")
        let hidden = try profile("Attic", nil, hidden: true).settings(for: nil).entries
        #expect(hidden?["802-11-wireless-security"] == nil)
        #expect(hidden?["802-11-wireless"]?.entries?["hidden"]?.bool == true)
    }

    @Test("unsuitable credentials for a network are not tried") func unfit() throws {
        for (password, point) in [
            ("correct horse", point(rsn: 0, flags: 0)), (nil, point(rsn: 0x188)), ("correct horse", point(rsn: 0x288)),
            ("correct horse", point(rsn: 0)),
        ] as [(String?, AccessPoint)] {
            let profile = try profile("A", password)
            #expect {
                try profile.settings(for: point)
            } throws: { ($0 as? NetworkTrouble)?.failure == .notValid }
        }
    }

    @Test("a profile is ours by its id alone: people's profiles are never touched") func ours() {
        let uuid = "0b0e7a5e-0000-4000-8000-000000000000"
        #expect(ConnectionProfile.isOurs(["id": .string("martlet-\(uuid)"), "uuid": .string(uuid)]))
        #expect(!ConnectionProfile.isOurs(["id": .string("martlet-attic"), "uuid": .string(uuid)]))
        #expect(!ConnectionProfile.isOurs(["id": .string("seed"), "uuid": .string(uuid)]))
        #expect(!ConnectionProfile.isOurs([:]))
    }

    @Test("UUIDs are made and told from other texts") func uuids() {
        let one = RandomUUID.next()
        #expect(RandomUUID.isValid(one))
        #expect(one != RandomUUID.next())
        for wrong in ["", "x", one.uppercased(), one + "0", "../\(one.dropFirst(3))"] where wrong != one {
            #expect(!RandomUUID.isValid(wrong))
        }
    }
}
