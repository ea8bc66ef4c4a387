// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A heard device, for a person who decides whether it is one of their sensors.
package struct HeardSensor: Codable, Equatable, Sendable {
    /// Its address, `C4:7C:8D:00:11:22`.
    package var address: String
    package var name: String?
    /// dBm, as last heard.
    package var rssi: Int?
    /// The device's kind, by its advertised services: names of the configuration like `heart_rate`; nil if no service
    /// is known.
    package var family: String?
    /// The device's id in topics, once the device is accepted.
    package var id: String?
    /// An entry of the configuration accepts the device.
    package var isAccepted: Bool
    /// The device takes connections.
    package var isConnectable: Bool
    /// Its newest values, for people: `21.4 °C`; of accepted sensors.
    package var values: [String]
    /// The trouble of the device, and the remedy.
    package var trouble: String?
    /// Milliseconds since the device was last heard.
    package var ageMs: Int64
    /// The best name of an accepted sensor for people: the operator's label, a chosen id, or the sensor's own name.
    package var title: String?

    package init(
        address: String, name: String? = nil, rssi: Int? = nil, family: String? = nil, id: String? = nil,
        isAccepted: Bool = false, isConnectable: Bool = true, values: [String] = [], trouble: String? = nil,
        ageMs: Int64 = 0, title: String? = nil
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
        self.title = title
    }
}

/// The choice of a sensor to collect from, and its settings. Prints without the passkey.
package struct SensorAcceptance: Equatable, Sendable {
    /// `C4:7C:8D:00:11:22`.
    package var address: String
    /// In topics; nil: made from the address.
    package var id: String?
    /// `"SERVICE/CHARACTERISTIC"` as in the configuration; nil: all known characteristics of the family.
    package var subscribe: [String]?
    /// Six digits.
    package var passkey: Secret?
    /// For people; nil: none.
    package var label: String?
    package var room: String?

    package init(
        address: String, id: String? = nil, subscribe: [String]? = nil, passkey: Secret? = nil, label: String? = nil,
        room: String? = nil
    ) {
        (self.label, self.room) = (label, room)
        self.address = address
        self.id = id
        self.subscribe = subscribe
        self.passkey = passkey
    }
}
