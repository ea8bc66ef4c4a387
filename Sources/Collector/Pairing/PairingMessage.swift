// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line of the gateway in the dialogue of `pair`, as the result of a `ControlResponse`. The last line has the kind
/// ``Kind/paired``, or is a failure. A client answers a question with a ``PairingReply`` line.
package struct PairingMessage: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// The sensor is not present; the gateway waits for the sensor.
        case connecting
        case pairing
        /// Question: may the gateway pair with the sensor without a proof that it is the right sensor?
        case consent
        /// The `digits` have to be entered on the sensor.
        case display
        /// Question: the digits on the sensor's display or label.
        case enterPasskey = "enter-passkey"
        /// Question: does the sensor show the `digits`?
        case compare
        /// The sensor is paired: `bond` describes the bond.
        case paired
    }

    package var kind: Kind
    /// The sensor's id.
    package var device: String
    package var digits: String?
    package var bond: BondStatus?

    package init(_ kind: Kind, device: String, digits: String? = nil, bond: BondStatus? = nil) {
        self.kind = kind
        self.device = device
        self.digits = digits
        self.bond = bond
    }
}

/// A line of a client in this dialogue: `yes`, `no`, or six digits.
package struct PairingReply: Codable, Equatable, Sendable {
    package var answer: String

    package init(_ answer: String) { self.answer = answer }
}

/// A bond, as `martlet bonds` shows it.
package struct BondStatus: Codable, Equatable, Sendable {
    /// The sensor's id; nil for a device that no entry of the configuration accepts now.
    package var device: String?
    package var name: String?
    package var address: String
    package var identifier: String
    package var authenticated: Bool
    package var secureConnections: Bool
    /// Octets.
    package var keySize: Int
    /// The device connected to the gateway for the pairing, as phones do.
    package var central: Bool
    /// The time of the pairing, ISO 8601, by the clock of that time.
    package var since: String
}

package struct BondList: Codable, Equatable, Sendable {
    package var bonds: [BondStatus]
    /// Faults of the bond files, in sentences.
    package var problems: [String]

    package init(bonds: [BondStatus], problems: [String]) {
        self.bonds = bonds
        self.problems = problems
    }
}
