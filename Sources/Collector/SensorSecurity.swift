// SPDX-License-Identifier: Apache-2.0

/// What holds for pairing with every sensor.
package struct SensorSecurity: Equatable, Sendable {
    /// Pair with sensors that ask for it.
    package var pairs = true
    /// No Just Works: every pairing must be protected against somebody in the middle.
    package var requiresAuthentication = false
    /// Octets of a key, 7…16.
    package var minimumKeySize = 16

    package init() {}
}
