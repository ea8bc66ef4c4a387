// SPDX-License-Identifier: Apache-2.0

/// The settings for pairings with all sensors.
package struct SensorSecurity: Equatable, Sendable {
    /// Pair with sensors that ask for a pairing.
    package var pairs = true
    /// No Just Works: every pairing must have protection against a man in the middle.
    package var requiresAuthentication = false
    /// Octets of a key, 7…16.
    package var minimumKeySize = 16

    package init() {}
}
