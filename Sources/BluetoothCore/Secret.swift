// SPDX-License-Identifier: Apache-2.0

/// Text that must not reach a log: printing the secret, or any value that holds it, shows `<redacted>`.
package struct Secret: Equatable, Sendable {
    /// The text itself, for the one place that uses it.
    package let revealed: String

    package init(_ text: String) { revealed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
