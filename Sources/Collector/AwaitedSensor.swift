// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// An entry of the configuration that no sensor has answered to, and what is in the air that it may be about.
package struct AwaitedSensor: Codable, Equatable, Sendable {
    /// A device that a scan told of. Its name is what it claims: anything.
    package struct Heard: Codable, Equatable, Sendable {
        package enum Likeness: String, Codable, Sendable {
            /// Everything that the entry asks for; so it is not connectable.
            case all
            /// An address with one or two other digits.
            case address
            /// A name with a few other letters.
            case name
            /// A service that the entry asks for, under another name or address.
            case service
        }

        package var name: String?
        package var address: String?
        /// dBm.
        package var rssi: Int?
        package var connectable: Bool
        package var likeness: Likeness
        /// Milliseconds since a scan last told of it: about once a minute.
        package var ageMs: Int64
    }

    /// What to call the entry: its `id`, else what it asks for.
    package var entry: String
    package var id: String?
    package var name: String?
    package var address: String?
    /// What it asks for, in words.
    package var wants: String
    /// The most alike first, three at most.
    package var nearest: [Heard]
    /// Other gateways share sensors with this one: one that has a link with another is not to be heard. Nil where none do.
    package var mayBeElsewhere: Bool?
}

extension AwaitedSensor {
    init(_ rule: SensorRule, nearest: [Heard] = []) {
        let address = rule.address.map { DeviceAddress(kind: .public, value: $0).description }
        let parts: [(String, String?)] = [
            ("the name", rule.name.map(quoted)), ("the address", address),
            ("the identifier", rule.identifier?.uuidString), ("the service", rule.service?.description),
            ("the family", rule.family),
        ]
        let named = rule.id ?? rule.name ?? address ?? rule.identifier?.uuidString
        entry = named ?? rule.service?.description ?? rule.family ?? ""
        id = rule.id
        name = rule.name
        self.address = address
        wants = parts.compactMap { what, value in value.map { "\(what) \($0)" } }.joined(separator: " and ")
        self.nearest = nearest
    }
}
