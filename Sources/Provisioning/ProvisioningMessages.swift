// SPDX-License-Identifier: Apache-2.0

// The JSON of docs/provisioning-protocol.md: keys in snake case; absent keys leave present values. Readers use `ControlCoding`.

/// `Wi-Fi`. A write has `ssid` and its settings; a read has `ssid` and `password_set`.
package struct WirelessMessage: Codable, Equatable, Sendable {
    package var ssid: String?
    package var password: String?
    package var passwordSet: Bool?
    package var hidden: Bool?

    package init(ssid: String? = nil, password: String? = nil, passwordSet: Bool? = nil, hidden: Bool? = nil) {
        self.ssid = ssid
        self.password = password
        self.passwordSet = passwordSet
        self.hidden = hidden
    }
}

/// `Wi-Fi networks`, a line each; the last line has `end`.
package struct NetworkMessage: Codable, Equatable, Sendable {
    package var ssid: String?
    /// Per cent.
    package var strength: Int?
    /// `open`, `wep`, `wpa`, `wpa2`, `wpa3`, `enterprise`.
    package var security: String?
    package var joined: Bool?
    package var end: Bool?
    /// Why the list is missing: a reason of docs/provisioning-protocol.md.
    package var reason: String?
    /// The reason in words.
    package var text: String?

    package init() {}
}

/// `Broker`. An empty `username` or `password` removes the value.
package struct BrokerMessage: Codable, Equatable, Sendable {
    package var host: String?
    package var port: Int?
    package var tls: Bool?
    package var username: String?
    package var password: String?
    package var passwordSet: Bool?
    /// Home Assistant is told of the sensors.
    package var homeAssistant: Bool?

    package init() {}
}

/// `CA certificate`. A write has `size` and `sha256` of the coming certificates, 0 octets to remove them; a read shows
/// the received part.
package struct AuthorityMessage: Codable, Equatable, Sendable {
    package var size: Int
    /// 64 hexadecimal digits.
    package var sha256: String?
    package var received: Int?
    /// `none`, `partial`, `complete`, `in-use`.
    package var state: String?

    package init(size: Int, sha256: String? = nil, received: Int? = nil, state: String? = nil) {
        self.size = size
        self.sha256 = sha256
        self.received = received
        self.state = state
    }
}

/// `Time`, as read. A write is RFC 3339 in UTC: `2026-06-30T21:40:12.480Z`.
package struct TimeMessage: Codable, Equatable, Sendable {
    package var time: String?
    /// `synced`, `holdover`, `unsynced`.
    package var clock: String
    package var source: String?
    package var errorMs: Int64?

    package init(time: String?, clock: String, source: String?, errorMs: Int64?) {
        self.time = time
        self.clock = clock
        self.source = source
        self.errorMs = errorMs
    }
}

/// `Sensors heard`, a line each, again after each change of the sensor.
package struct SensorMessage: Codable, Equatable, Sendable {
    package var address: String
    package var name: String?
    package var rssi: Int?
    package var family: String?
    package var id: String?
    package var accepted: Bool
    package var values: [String]?
    package var trouble: String?

    package init(address: String, accepted: Bool) {
        self.address = address
        self.accepted = accepted
    }
}

/// `Accept a sensor`, and with `passkey` also `Passkey of a sensor`. `Forget a sensor` is plain text: an id or an
/// address.
package struct AcceptMessage: Codable, Equatable, Sendable {
    package var address: String
    package var id: String?
    package var subscribe: [String]?
    package var passkey: String?
    /// The name for people, and the room. Both alone rename an accepted sensor; an empty text takes the name back.
    package var label: String?
    package var room: String?

    /// The message only names the sensor.
    var isRenaming: Bool {
        (label != nil || room != nil) && id == nil && subscribe == nil && passkey == nil
    }

    package init(
        address: String, id: String? = nil, subscribe: [String]? = nil, passkey: String? = nil, label: String? = nil,
        room: String? = nil
    ) {
        (self.label, self.room) = (label, room)
        self.address = address
        self.id = id
        self.subscribe = subscribe
        self.passkey = passkey
    }
}

/// `Status`: a line after each change, once a second at most.
package struct StatusMessage: Codable, Equatable, Sendable {
    /// The value of `State`.
    package var state: String
    package var connected: Bool
    package var ssid: String?
    package var addresses: [String]?
    package var broker: String?
    package var brokerConnected: Bool
    package var brokerError: String?
    package var sensors: Int
    /// The sensors that bring values.
    package var collecting: Int
    /// The numbers of the other sensors, by their states; nil without any.
    package var states: [String: Int]?
    package var received: Int
    package var buffered: Int
    package var problem: String?
    /// The problem's code, for readers in another language.
    package var problemCode: String?
    /// The name of the problem's sensor; nil for a problem of the gateway.
    package var problemAbout: String?

    package init(
        state: String, connected: Bool, brokerConnected: Bool, sensors: Int, collecting: Int, received: Int,
        buffered: Int
    ) {
        self.state = state
        self.connected = connected
        self.brokerConnected = brokerConnected
        self.sensors = sensors
        self.collecting = collecting
        self.received = received
        self.buffered = buffered
    }
}

/// `Pairing window`. A write is plain text: `open` or `close`.
package struct WindowMessage: Codable, Equatable, Sendable {
    package var open: Bool
    /// Seconds until the window closes by itself; nil while nothing was provisioned.
    package var seconds: Int?
    /// The passkey for the next phone; nil while phones cannot pair.
    package var passkey: String?

    package init(open: Bool, seconds: Int?, passkey: String?) {
        self.open = open
        self.seconds = seconds
        self.passkey = passkey
    }
}
