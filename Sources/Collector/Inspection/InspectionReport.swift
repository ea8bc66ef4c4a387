// SPDX-License-Identifier: Apache-2.0

/// What a look at one sensor has found.
package struct InspectionReport: Codable, Equatable, Sendable {
    package struct Characteristic: Codable, Equatable, Sendable {
        package var uuid: String
        package var name: String?
        /// Of several with this UUID in services with one UUID: which one, from 1; nil where there is one alone.
        package var instance: Int?
        package var properties: [String]
        /// Its value, for people.
        package var text: String?
        /// Its octets, hexadecimal.
        package var value: String?
        /// Why it could not be read.
        package var trouble: String?
    }

    package struct Service: Codable, Equatable, Sendable {
        package var uuid: String
        package var name: String?
        package var characteristics: [Characteristic]
        /// Why its characteristics are not known.
        package var trouble: String?
    }

    package var address: String
    package var name: String?
    /// dBm.
    package var rssi: Int?
    package var family: String?
    /// What it advertises, for people.
    package var values: String?
    /// The advertised octets, where no decoder understands them.
    package var octets: HeardOctets?
    /// Its values are encrypted: its entry needs a key.
    package var needsKey = false
    package var services: [Service] = []
    /// Points in which its attribute server departs from the specification, as sentences without full stops; nil: none.
    package var peculiarities: [String]?
    /// As it is written into martlet.toml.
    package var entry = ""
    /// Its id in topics, where the gateway that has looked collects from it already.
    package var acceptedAs: String?

    package init(address: String, name: String? = nil, rssi: Int? = nil) {
        self.address = address
        self.name = name
        self.rssi = rssi
    }
}
