// SPDX-License-Identifier: Apache-2.0

import Readings

extension SensorStatus {
    /// A battery with this level or less is low, in percent.
    private static let lowLevel = 10.0

    /// The newest number of a quantity; nil without one.
    package func number(_ quantity: Quantity) -> Double? {
        for field in values.lazy.flatMap({ $0.fields ?? [] }) where field.quantity == quantity.key {
            if case .number(let number) = field.value { return number }
        }
        return nil
    }

    /// How low the battery is, in words; nil where it is not, or not known.
    package var lowBattery: String? {
        guard let level = number(.battery) else { return number(.batteryLow) == 1 ? "" : nil }
        return (0...Self.lowLevel).contains(level) ? ": \(Int(level)) %" : nil
    }
}
