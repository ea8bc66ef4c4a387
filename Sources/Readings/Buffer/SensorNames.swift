// SPDX-License-Identifier: Apache-2.0

/// The names that sensors advertise, kept in the journal over restarts: a reading that is sent again has the words of the first
/// time, also before its sensor is heard again.
package struct SensorNames: Sendable {
    private static let prefix = "name:"

    private let store: any FactStore

    package init(_ store: any FactStore) { self.store = store }

    /// To be called before the first reading of `device`, so that no reading is on disk without it. Nil changes nothing.
    package func keep(_ name: String?, of device: String) {
        guard let name else { return }
        store.setIdentifier(name, for: Self.key(of: device))
    }

    package static func name(of device: String, in facts: any FactSource) -> String? {
        facts.identifier(for: key(of: device))
    }

    /// Under which a name is kept.
    package static func key(of device: String) -> String { prefix + device }
}
