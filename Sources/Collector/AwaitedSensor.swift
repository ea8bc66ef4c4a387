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

        /// Why nothing is collected from the device that the entry is about.
        package enum Refusal: String, Codable, Sendable {
            /// No family of sensors that is known here advertises so, and the entry names nothing to be read on a link.
            case notUnderstood = "not-understood"
            /// The device takes no link, and its values have to be read on one.
            case noConnection = "no-connection"
        }

        package var name: String?
        package var address: String?
        /// dBm.
        package var rssi: Int?
        package var connectable: Bool
        package var likeness: Likeness
        /// Milliseconds since a scan last told of it: about once a minute.
        package var ageMs: Int64
        /// Nil where it is not the device that the entry is about.
        package var refusal: Refusal?
        /// The advertised octets, where they are the reason why nothing is collected.
        package var octets: HeardOctets?
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

    /// The device that the entry is about, where it is in the air and nothing can be collected from it.
    package var refused: Heard? { nearest.first { $0.refusal != nil } }

    /// As of sensors: no value has come.
    package var health: SensorState { refused?.refusal == .notUnderstood ? .notUnderstood : .neverHeard }

    /// The sensor's state in a few words: `not seen yet`.
    package var state: String {
        switch refused?.refusal {
        case .notUnderstood: "heard, but its advertisements are not understood"
        case .noConnection: "heard, but it takes no connection"
        case nil: "not seen yet"
        }
    }

    /// The same, for a column of a table.
    package var shortState: String {
        switch refused?.refusal {
        case .notUnderstood: "not understood"
        case .noConnection: "no connection"
        case nil: "not seen yet"
        }
    }

    /// The advice about a device that is heard and gives nothing.
    package var refusalAdvice: String? {
        guard let refused, let refusal = refused.refusal else { return nil }
        let octets = refused.octets.map { " For a decoder of your own: \($0.words)." } ?? ""
        switch refusal {
        case .notUnderstood:
            return
                (refused.connectable
                ? "If it gives its values on a link, name them in its entry: martlet inspect \(refused.address ?? "ADDRESS") shows "
                    + "what it has."
                : "It does not let itself be connected to, and no decoder here knows what it sends.") + octets
        case .noConnection:
            return
                "Its entry names values that have to be read on a link. If it is in a mode that only advertises, wake it, or "
                + "press its button." + octets
        }
    }
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
