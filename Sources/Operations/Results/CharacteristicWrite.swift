// SPDX-License-Identifier: Apache-2.0

/// The answer to `martlet write`.
package struct CharacteristicWrite: Codable, Equatable, Sendable {
    package var sensor: String
    package var characteristic: String
    /// The sensor has confirmed the write; false for a write without response.
    package var response: Bool

    package init(sensor: String, characteristic: String, response: Bool) {
        (self.sensor, self.characteristic, self.response) = (sensor, characteristic, response)
    }
}
