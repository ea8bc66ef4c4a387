// SPDX-License-Identifier: Apache-2.0

/// The advertised names of sensors, kept in the journal over restarts. A repeated reading has the words of its first
/// time, even before its sensor is heard again.
package struct SensorNames: Sendable {
    private static let prefix = "name:"

    private let store: any FactStore

    package init(_ store: any FactStore) { self.store = store }

    /// Call this method before the first reading of `device`, so that no reading is on disk without its name. Nil
    /// changes nothing.
    package func keep(_ name: String?, of device: String) {
        guard let name else { return }
        store.setIdentifier(name, for: Self.key(of: device))
    }

    package static func name(of device: String, in facts: any FactSource) -> String? {
        facts.identifier(for: key(of: device))
    }

    /// The key of a device's name.
    package static func key(of device: String) -> String { prefix + device }
}
