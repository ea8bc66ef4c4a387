// SPDX-License-Identifier: Apache-2.0

/// The step that puts a changed key into effect.
package enum ConfigurationEffect: String, Codable, CaseIterable, Comparable, Sendable {
    /// None: the value is used from now on.
    case live
    /// A new connection to the broker, made at once.
    case reconnect
    /// A restart of the gateway.
    case restart

    package static func < (left: Self, right: Self) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}

/// The result of a check or a change of settings.
package struct SettingsEffect: Codable, Equatable, Sendable {
    package var effect: ConfigurationEffect

    package init(_ effect: ConfigurationEffect) { self.effect = effect }
}
