// SPDX-License-Identifier: Apache-2.0

/// Small facts that outlive the process, by their keys.
package protocol FactSource {
    /// The last stored value, of this run or an earlier run.
    func identifier(for key: String) -> String?
    /// All values under keys with this prefix, by the rest of the key. Empty values are left out.
    func identifiers(withPrefix prefix: String) -> [String: String]
}

/// The store of such facts.
package protocol FactStore: FactSource, Sendable {
    /// Stores soon. An unchanged value changes nothing.
    func setIdentifier(_ value: String, for key: String)
}
