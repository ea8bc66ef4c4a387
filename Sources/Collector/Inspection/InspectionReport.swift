// SPDX-License-Identifier: Apache-2.0

/// The findings about an inspected sensor.
package struct InspectionReport: Codable, Equatable, Sendable {
    package struct Characteristic: Codable, Equatable, Sendable {
        package var uuid: String
        package var name: String?
        /// Counts, from 1, the characteristics of this UUID in services of equal UUID; nil for a single characteristic.
        package var instance: Int?
        /// The sensor's own name (User Description) of a numbered characteristic, fit for a line of text.
        package var ownName: String?
        package var properties: [String]
        /// Its value, for people.
        package var text: String?
        /// Its octets, hexadecimal.
        package var value: String?
        /// Why the characteristic could not be read.
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
    /// The advertised values, for people.
    package var values: String?
    /// The advertised octets, if no decoder understands them.
    package var octets: HeardOctets?
    /// Its values are encrypted: its entry needs a key.
    package var needsKey = false
    package var services: [Service] = []
    /// Points in which its attribute server departs from the specification, as sentences without full stops; nil: none.
    package var peculiarities: [String]?
    /// As written in martlet.toml.
    package var entry = ""
    /// The sensor's id in topics, if the inspecting gateway already collects from the sensor.
    package var acceptedAs: String?

    package init(address: String, name: String? = nil, rssi: Int? = nil) {
        self.address = address
        self.name = name
        self.rssi = rssi
    }
}
