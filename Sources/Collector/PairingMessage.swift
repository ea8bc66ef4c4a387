// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One line of the gateway in the dialogue that `pair` begins, as the result of a `ControlResponse`. The last line has
/// the kind ``Kind/paired``, or is a failure. A client answers a question with a ``PairingReply`` line.
package struct PairingMessage: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable {
        /// The sensor is not there yet; the gateway waits for it.
        case connecting
        case pairing
        /// Question: may the sensor be paired with, though nobody makes sure that it is the right one?
        case consent
        /// The `digits` have to be entered on the sensor.
        case display
        /// Question: the digits that the sensor shows, or has on its label.
        case enterPasskey = "enter-passkey"
        /// Question: does the sensor show the `digits`?
        case compare
        /// It is done: `bond` says what it is worth.
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

/// One line of a client in that dialogue: `yes`, `no`, or six digits.
package struct PairingReply: Codable, Equatable, Sendable {
    package var answer: String

    package init(_ answer: String) { self.answer = answer }
}

/// A bond as `martlet bonds` shows it.
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
    /// It connected to the gateway when it was paired, as phones do.
    package var central: Bool
    /// When it was made, ISO 8601, by the clock of that moment.
    package var since: String
}

package struct BondList: Codable, Equatable, Sendable {
    package var bonds: [BondStatus]
    /// What is not in order with the files, in sentences.
    package var problems: [String]

    package init(bonds: [BondStatus], problems: [String]) {
        self.bonds = bonds
        self.problems = problems
    }
}
