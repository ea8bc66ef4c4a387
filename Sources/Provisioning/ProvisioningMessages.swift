// SPDX-License-Identifier: Apache-2.0

// The JSON of docs/provisioning.md: keys in snake case, absent keys keep what was there. Who reads takes `ControlCoding`.

/// Of `Wi-Fi`. Written: `ssid` and what goes with it; read: `ssid` and `password_set`.
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

/// Of `Wi-Fi networks`, a line each; the last line has `end`.
package struct NetworkMessage: Codable, Equatable, Sendable {
    package var ssid: String?
    /// Per cent.
    package var strength: Int?
    /// `open`, `wep`, `wpa`, `wpa2`, `wpa3`, `enterprise`.
    package var security: String?
    package var joined: Bool?
    package var end: Bool?
    /// Why there is no list: a reason of docs/provisioning.md.
    package var reason: String?
    /// The same in words.
    package var text: String?

    package init() {}
}

/// Of `Broker`. An empty `username` or `password` removes it.
package struct BrokerMessage: Codable, Equatable, Sendable {
    package var host: String?
    package var port: Int?
    package var tls: Bool?
    package var username: String?
    package var password: String?
    package var passwordSet: Bool?

    package init() {}
}

/// Of `CA certificate`. Written: `size` and `sha256` of what will come, 0 octets to remove it; read: what has come.
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

/// Of `Time`, read. Written is RFC 3339 in UTC: `2026-06-30T21:40:12.480Z`.
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

/// Of `Sensors heard`, a line each, again when something of it has changed.
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

/// Of `Accept a sensor`, and with `passkey` of `Passkey of a sensor`. `Forget a sensor` is written as plain text: an id or
/// an address.
package struct AcceptMessage: Codable, Equatable, Sendable {
    package var address: String
    package var id: String?
    package var subscribe: [String]?
    package var passkey: String?

    package init(address: String, id: String? = nil, subscribe: [String]? = nil, passkey: String? = nil) {
        self.address = address
        self.id = id
        self.subscribe = subscribe
        self.passkey = passkey
    }
}

/// Of `Status`, a line when something has changed, once a second at most.
package struct StatusMessage: Codable, Equatable, Sendable {
    /// That of `State`.
    package var state: String
    package var connected: Bool
    package var ssid: String?
    package var addresses: [String]?
    package var broker: String?
    package var brokerConnected: Bool
    package var brokerError: String?
    package var sensors: Int
    package var collecting: Int
    package var received: Int
    package var buffered: Int
    package var problem: String?

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

/// Of `Apply`: written `apply`, it tells each step; the last line has the step `done`, or a step that has failed followed
/// by `rolled-back`.
package struct ProgressMessage: Codable, Equatable, Sendable {
    /// In this order; those that the change does not need are left out.
    package enum Step: String, Codable, Sendable, CaseIterable {
        case check, country, associate, address, name, connect, tls, broker, keep
        case done
        case rolledBack = "rolled-back"
    }

    package enum State: String, Codable, Sendable {
        case running, done, failed
    }

    package var step: Step
    package var state: State
    /// A reason of docs/provisioning.md; of what has failed.
    package var reason: String?
    /// The same for a person.
    package var text: String?
    /// Seconds that this step may still take.
    package var limit: Int?

    package init(_ step: Step, _ state: State, reason: String? = nil, text: String? = nil, limit: Int? = nil) {
        self.step = step
        self.state = state
        self.reason = reason
        self.text = text
        self.limit = limit
    }
}

/// Of `Pairing window`. Written is plain text: `open` or `close`.
package struct WindowMessage: Codable, Equatable, Sendable {
    package var open: Bool
    /// Until it closes by itself; nil while nothing was provisioned.
    package var seconds: Int?
    /// What the next phone is asked for; nil while nobody may pair.
    package var passkey: String?

    package init(open: Bool, seconds: Int?, passkey: String?) {
        self.open = open
        self.seconds = seconds
        self.passkey = passkey
    }
}
