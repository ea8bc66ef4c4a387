// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// What a publisher asks of the gateway around it, and has it do. None of it may wait.
package struct PublisherSurroundings: Sendable {
    /// What is known of sensors, and their newest values.
    package var sensors: SensorTable
    /// What the controller's links are.
    package var slots: @Sendable () -> ConnectionSlots?
    /// How updates of the image stand; nil where the gateway was not flashed.
    package var update: @Sendable () -> ImageUpdate?
    /// What was done about the radio, the oldest first.
    package var radio: @Sendable () -> [RadioHealth.Event]
    /// Carries a command out that came over MQTT, and has it answered by ``Publisher/answer(_:_:)``.
    package var perform: @Sendable (CommandRequest) -> Void
    /// Another gateway takes care of a sensor; nil: none does any more.
    package var tellOwner: @Sendable (_ device: String, _ gateway: String?) -> Void
    /// The addresses of a host, in digits, where somebody knows them without the system's name servers; nil: nobody does.
    package var addresses: @Sendable (_ host: String) -> [String]?

    package init(
        sensors: SensorTable = SensorTable(),
        slots: @escaping @Sendable () -> ConnectionSlots? = { nil },
        update: @escaping @Sendable () -> ImageUpdate? = { nil },
        radio: @escaping @Sendable () -> [RadioHealth.Event] = { [] },
        perform: @escaping @Sendable (CommandRequest) -> Void = { _ in },
        tellOwner: @escaping @Sendable (_ device: String, _ gateway: String?) -> Void = { _, _ in },
        addresses: @escaping @Sendable (_ host: String) -> [String]? = { _ in nil }
    ) {
        self.sensors = sensors
        self.slots = slots
        self.update = update
        self.radio = radio
        self.perform = perform
        self.tellOwner = tellOwner
        self.addresses = addresses
    }
}
