// SPDX-License-Identifier: Apache-2.0

/// A client's request about the window in which phones pair.
package enum WindowAction: String, Codable, CaseIterable, Sendable {
    case open
    case close
    /// Tells how the window is.
    case status
    /// Tells the label's passkey.
    case label
    /// Takes a phone's bond away.
    case forget
}
