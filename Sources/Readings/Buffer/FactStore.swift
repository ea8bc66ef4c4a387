// SPDX-License-Identifier: Apache-2.0

/// Small facts that outlive the process, by their keys.
package protocol FactSource {
    /// What was stored last, in this run or an earlier one.
    func identifier(for key: String) -> String?
    /// Everything stored under keys that begin so, by the rest of the key; without what was stored as empty.
    func identifiers(withPrefix prefix: String) -> [String: String]
}

/// Where such facts are kept.
package protocol FactStore: FactSource, Sendable {
    /// Stores soon; the same value again changes nothing.
    func setIdentifier(_ value: String, for key: String)
}
