// SPDX-License-Identifier: Apache-2.0

/// How two devices make sure of each other. Core 5.4, Vol 3, Part H, 2.3.5.
package enum AssociationModel: String, CaseIterable, Codable, Sendable {
    /// Without any check of the peer: no protection against an attacker in the middle.
    case justWorks
    /// Six digits go from one device to the other through people, or are known beforehand.
    case passkeyEntry
    /// Both devices show six digits; people compare them. Secure Connections only.
    case numericComparison
    /// The devices exchanged data by other means.
    case outOfBand
}
