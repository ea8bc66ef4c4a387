// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The limits of a sensor's entry: the values that are too high or too low, and the silence that is too long.
package struct SensorLimits: Equatable, Sendable {
    /// The limits of one quantity, in the quantity's unit.
    package struct Bounds: Equatable, Sendable {
        /// A greater value is too high; nil: no value is.
        package var above: Double?
        /// A smaller value is too low; nil: no value is.
        package var below: Double?
        /// A value has to be beyond the limit for so long.
        package var delay: Duration = .zero
        /// A crossing is over when a value is back inside by so much: 0 or more.
        package var hysteresis = 0.0

        package init(above: Double? = nil, below: Double? = nil, delay: Duration = .zero, hysteresis: Double = 0) {
            (self.above, self.below, self.delay, self.hysteresis) = (above, below, delay, hysteresis)
        }
    }

    /// By the fields' keys in payloads: `temperature`, `temperature_2`.
    package var bounds: [String: Bounds] = [:]
    /// No value for longer than this is a crossing; nil: no silence is.
    package var silence: Duration?

    package init(_ bounds: [String: Bounds] = [:], silence: Duration? = nil) {
        (self.bounds, self.silence) = (bounds, silence)
    }

    package var isEmpty: Bool { bounds.isEmpty && silence == nil }

    /// The quantity of a field's key; nil for a key of no quantity.
    package static func quantity(ofKey key: String) -> Quantity? {
        if let quantity = Quantity(key: key) { return quantity }
        guard let bar = key.lastIndex(of: "_"), let index = UInt8(key[key.index(after: bar)...]), index > 0 else {
            return nil
        }
        return Quantity(key: String(key[..<bar]))
    }
}
