// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A device that was heard, as somebody sees it who has to decide whether it is one of theirs.
package struct HeardSensor: Codable, Equatable, Sendable {
    /// Its address, `C4:7C:8D:00:11:22`.
    package var address: String
    package var name: String?
    /// dBm, as last heard.
    package var rssi: Int?
    /// What it is, by the services that it advertises: names of the configuration like `heart_rate`; nil when nothing of it
    /// is known here.
    package var family: String?
    /// Its id in topics, once it is accepted.
    package var id: String?
    /// An entry of the configuration accepts it.
    package var isAccepted: Bool
    /// It takes connections.
    package var isConnectable: Bool
    /// Its newest values, for people: `21.4 °C`; of accepted sensors.
    package var values: [String]
    /// What is wrong with it, and what to do.
    package var trouble: String?
    /// Milliseconds since it was heard.
    package var ageMs: Int64

    package init(
        address: String, name: String? = nil, rssi: Int? = nil, family: String? = nil, id: String? = nil,
        isAccepted: Bool = false, isConnectable: Bool = true, values: [String] = [], trouble: String? = nil,
        ageMs: Int64 = 0
    ) {
        self.address = address
        self.name = name
        self.rssi = rssi
        self.family = family
        self.id = id
        self.isAccepted = isAccepted
        self.isConnectable = isConnectable
        self.values = values
        self.trouble = trouble
        self.ageMs = ageMs
    }
}

/// Which sensor to collect from, and as what. Prints without the passkey.
package struct SensorAcceptance: Equatable, Sendable {
    /// `C4:7C:8D:00:11:22`.
    package var address: String
    /// In topics; nil makes it of the address.
    package var id: String?
    /// `"SERVICE/CHARACTERISTIC"` as in the configuration; nil collects all that is known of its family.
    package var subscribe: [String]?
    /// Six digits.
    package var passkey: Secret?

    package init(address: String, id: String? = nil, subscribe: [String]? = nil, passkey: Secret? = nil) {
        self.address = address
        self.id = id
        self.subscribe = subscribe
        self.passkey = passkey
    }
}
