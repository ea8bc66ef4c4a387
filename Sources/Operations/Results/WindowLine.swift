// SPDX-License-Identifier: Apache-2.0

/// A line of the dialogue, as the result of a `ControlResponse`.
package struct WindowLine: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case state, began, compare, paired, failed
    }

    package var kind: Kind
    package var window: WindowReport?
    /// For `compare`.
    package var digits: String?
    package var text: String?

    package init(kind: Kind, window: WindowReport? = nil, digits: String? = nil, text: String? = nil) {
        (self.kind, self.window, self.digits, self.text) = (kind, window, digits, text)
    }
}
