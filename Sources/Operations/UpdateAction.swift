// SPDX-License-Identifier: Apache-2.0

/// A client's request about updates of the flashed image.
package enum UpdateAction: String, Codable, CaseIterable, Sendable {
    /// Reads the version at `[update] url`, and reports it.
    case check
    /// Installs the update, and restarts the machine.
    case install
}
