// SPDX-License-Identifier: Apache-2.0

import Readings

/// Names an entity of a sensor: a quantity, and its number if the sensor sends several.
struct EntityKey: Hashable, Comparable, Sendable {
    var quantity: Quantity
    /// From 1; 0 for a single value.
    var index: UInt8

    init(_ field: Field) {
        quantity = field.quantity
        index = field.index
    }

    /// As in payloads: `temperature`, `temperature_2`.
    init?(_ text: some StringProtocol) {
        if let quantity = Quantity(key: String(text)) {
            self.quantity = quantity
            index = 0
            return
        }
        guard let bar = text.lastIndex(of: "_"), let index = UInt8(text[text.index(after: bar)...]), index > 0,
            let quantity = Quantity(key: String(text[..<bar]))
        else { return nil }
        self.quantity = quantity
        self.index = index
    }

    var text: String { index == 0 ? quantity.key : "\(quantity.key)_\(index)" }

    /// For people: `Temperature 2`.
    var name: String { index == 0 ? quantity.details.name : "\(quantity.details.name) \(index)" }

    static func < (one: EntityKey, other: EntityKey) -> Bool { one.text < other.text }
}
