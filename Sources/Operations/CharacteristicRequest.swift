// SPDX-License-Identifier: Apache-2.0

/// A characteristic of a sensor, as `martlet read` and `write` and the command `write` name it.
package struct CharacteristicRequest: Equatable, Sendable {
    /// The sensor's id, address, identifier or name.
    package var sensor: String
    /// A UUID, or a name of the Assigned Numbers in the form `battery_service`.
    package var service: String
    /// A UUID or a name, as in `service`; `2a6e#2` is the second of several characteristics with this UUID.
    package var characteristic: String

    package init(sensor: String, service: String, characteristic: String) {
        (self.sensor, self.service, self.characteristic) = (sensor, service, characteristic)
    }
}
