// SPDX-License-Identifier: Apache-2.0

/// The direction in which a limit is crossed.
package enum LimitSide: String, Codable, CaseIterable, Sendable {
    /// The value is too high.
    case above
    /// The value is too low.
    case below
    /// No value has come for too long.
    case silent
}

/// Names a limit of one sensor: `temperature above`, or `silent`.
package struct LimitName: Hashable, Comparable, Sendable {
    /// The field's key in payloads; empty for silence.
    package var quantity: String
    package var side: LimitSide

    package init(_ quantity: String, _ side: LimitSide) { (self.quantity, self.side) = (quantity, side) }

    package static let silence = LimitName("", .silent)

    /// As facts and topics have it: `temperature-above`, `silent`.
    package var text: String { quantity.isEmpty ? side.rawValue : "\(quantity)-\(side.rawValue)" }

    /// Nil for a text that names no limit.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.last, let side = LimitSide(rawValue: last) else { return nil }
        guard (side == .silent) == (parts.count == 1), parts.count <= 2, parts.first?.isEmpty == false else {
            return nil
        }
        self.init(parts.count == 2 ? parts[0] : "", side)
    }

    package static func < (one: LimitName, other: LimitName) -> Bool { one.text < other.text }
}
