// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Health
import Readings

/// An entry of the configuration without a sensor, and the devices in the air that the entry may be about.
package struct AwaitedSensor: Codable, Equatable, Sendable {
    /// A device from a scan. The device chooses its name freely.
    package struct Heard: Codable, Equatable, Sendable {
        package enum Likeness: String, Codable, CaseIterable, Sendable {
            /// The device meets the whole entry. It is not connectable; otherwise the collector would collect from it.
            case all
            /// The device's address differs from the entry's in one or two digits.
            case address
            /// A name with a few other letters.
            case name
            /// The device has the entry's service, under another name or address.
            case service
        }

        /// Why the collector takes nothing from the device of the entry.
        package enum Refusal: String, Codable, CaseIterable, Sendable {
            /// No known family of sensors advertises like this, and the entry names nothing to read on a link.
            case notUnderstood = "not-understood"
            /// The device takes no link, and its values are read on a link only.
            case noConnection = "no-connection"
        }

        package var name: String?
        package var address: String?
        /// dBm.
        package var rssi: Int?
        package var connectable: Bool
        package var likeness: Likeness
        /// Milliseconds since a scan last reported the device: about once a minute.
        package var ageMs: Int64
        /// Nil if the entry is not about this device.
        package var refusal: Refusal?
        /// The advertised octets, if they are the reason why nothing is collected.
        package var octets: HeardOctets?
    }

    /// The name of the entry: its `id`, or else its first condition.
    package var entry: String
    package var id: String?
    package var name: String?
    package var address: String?
    /// The operator's name for the sensor, and its room.
    package var label: String?
    package var room: String?
    /// The entry's conditions, in words.
    package var wants: String
    /// The most alike first, three at most.
    package var nearest: [Heard]
    /// Other gateways share sensors with this gateway. This gateway does not hear a sensor that has a link with another
    /// gateway. Nil if no gateway shares sensors.
    package var mayBeElsewhere: Bool?

    /// The device of the entry, if it is in the air and nothing can be collected from it.
    package var refused: Heard? { nearest.first { $0.refusal != nil } }

    /// The sensor's future id in topics; nil for an entry that is not about one sensor.
    package var device: String? { id ?? address.map { $0.lowercased().filter { $0 != ":" } } }

    /// As of sensors: no value has come.
    package var health: SensorState { refused?.refusal == .notUnderstood ? .notUnderstood : .neverHeard }

    /// The sensor's state in a few words: `not seen yet`.
    package var state: String {
        switch refused?.refusal {
        case .notUnderstood: "heard, but its advertisements are not understood"
        case .noConnection: "heard, but takes no connection"
        case nil: "not seen yet"
        }
    }

    /// ``state``, for a column of a table.
    package var shortState: String {
        switch refused?.refusal {
        case .notUnderstood: "not understood"
        case .noConnection: "no connection"
        case nil: "not seen yet"
        }
    }

    /// The advice about a device that is heard, but gives no values.
    package func refusalAdvice(on installation: Installation) -> String? {
        guard let refused, let refusal = refused.refusal else { return nil }
        let octets = refused.octets.map { " For a decoder of your own: \($0.words)." } ?? ""
        switch refusal {
        case .notUnderstood:
            guard refused.connectable else {
                return "The device takes no connection, and no decoder here knows its data." + octets
            }
            let advice: Advice =
                "If the device gives its values on a link, name the values in the entry: "
                + "\(.martlet(.inspect, refused.address ?? "ADDRESS")) shows the values of the device."
            return advice.text(on: installation) + octets
        case .noConnection:
            return
                "The entry names values of a link. If the device only advertises at present, wake the device, or press "
                + "its button." + octets
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
        (label, room) = (rule.facts.label, rule.facts.room)
    }
}
