// SPDX-License-Identifier: Apache-2.0

/// The answer to `martlet read`.
package struct CharacteristicValue: Codable, Equatable, Sendable {
    package var sensor: String
    package var characteristic: String
    /// Hexadecimal digits.
    package var value: String
    /// The decoded value, for people; nil without a decoder.
    package var text: String?

    package init(sensor: String, characteristic: String, value: String, text: String? = nil) {
        (self.sensor, self.characteristic) = (sensor, characteristic)
        (self.value, self.text) = (value, text)
    }
}
