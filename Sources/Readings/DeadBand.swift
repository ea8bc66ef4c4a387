// SPDX-License-Identifier: Apache-2.0

/// How far a value may move before it is news.
package enum DeadBand: Equatable, Sendable {
    /// One width for every number.
    case all(Double)
    /// Widths by quantity. For other quantities, any difference is news.
    case fields([Quantity: Double])

    /// Whether all `fields` are close enough to the fields `sent` last.
    package func covers(_ fields: [Field], sent: [Field]) -> Bool {
        guard fields.count == sent.count, !fields.isEmpty else { return false }
        return zip(fields, sent).allSatisfy { new, old in
            guard new.quantity == old.quantity else { return false }
            if new.value == old.value { return true }
            guard let width = width(of: new.quantity), let new = new.value.number, let old = old.value.number else {
                return false
            }
            return abs(new - old) < width
        }
    }

    private func width(of quantity: Quantity) -> Double? {
        switch self {
        case .all(let width): width
        case .fields(let widths): widths[quantity]
        }
    }
}
