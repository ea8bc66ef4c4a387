// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Limits
import Platform
import Readings

/// The gateway's functions for a publisher. No function may wait.
package struct PublisherSurroundings: Sendable {
    /// Spreads waits and publications, so that gateways do not act together.
    package var randomness: Randomness
    /// The known sensors, and their newest values.
    package var sensors: SensorTable
    /// The state of the controller's links.
    package var slots: @Sendable () -> ConnectionSlots?
    /// The state of image updates; nil if the gateway was not flashed.
    package var update: @Sendable () -> ImageUpdate?
    /// The repairs of the radio, the oldest first.
    package var radio: @Sendable () -> [RadioHealth.Event]
    /// The gateway's account of problems; nil before its first look.
    package var problems: @Sendable () -> ProblemNews?
    /// The limits of sensors; nil without limits.
    package var limits: @Sendable () -> LimitNews?
    /// The broker has the event of a limit, by its number.
    package var limitTold: @Sendable (Int64) -> Void
    /// Carries out a command from MQTT, and answers by ``Publisher/answer(_:_:)``.
    package var perform: @Sendable (CommandRequest) -> Void
    /// Another gateway takes care of a sensor; nil: no gateway does any more.
    package var tellOwner: @Sendable (_ device: String, _ gateway: String?) -> Void
    /// The process's nonce, see ``NameClaim``; nil looks for no other gateway under the name.
    package var nonce: String?
    /// A host's addresses, in digits, if they are known without the system's name servers; nil if unknown.
    package var addresses: @Sendable (_ host: String) -> [String]?
    /// Advice names the commands of this installation.
    package var installation: Installation

    package init(
        randomness: Randomness, sensors: SensorTable = SensorTable(),
        slots: @escaping @Sendable () -> ConnectionSlots? = { nil },
        update: @escaping @Sendable () -> ImageUpdate? = { nil },
        radio: @escaping @Sendable () -> [RadioHealth.Event] = { [] },
        problems: @escaping @Sendable () -> ProblemNews? = { nil },
        limits: @escaping @Sendable () -> LimitNews? = { nil },
        limitTold: @escaping @Sendable (Int64) -> Void = { _ in },
        perform: @escaping @Sendable (CommandRequest) -> Void = { _ in },
        tellOwner: @escaping @Sendable (_ device: String, _ gateway: String?) -> Void = { _, _ in },
        nonce: String? = nil,
        addresses: @escaping @Sendable (_ host: String) -> [String]? = { _ in nil },
        installation: Installation = .package
    ) {
        self.randomness = randomness
        self.sensors = sensors
        self.slots = slots
        self.update = update
        self.radio = radio
        self.problems = problems
        self.limits = limits
        self.limitTold = limitTold
        self.perform = perform
        self.tellOwner = tellOwner
        self.nonce = nonce
        self.addresses = addresses
        self.installation = installation
    }
}
