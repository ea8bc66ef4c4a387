// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The places for a collector's findings. The collector calls them on its queue. All but ``waitForRoom`` must return
/// without waiting for disk or network.
package struct CollectorOutlet: Sendable {
    /// Before a sensor's id in the key of the fact with its events.
    package static let eventsPrefix = KeptEvents.prefix

    /// Takes the readings of a wake-up, in the order of reception.
    package var append: @Sendable ([Reading]) -> Void
    /// Like ``append``, with an answer: calls back once, with true when the readings are on disk as safely as
    /// configured, with false when a reading was dropped.
    package var appendWhenDurable: @Sendable ([Reading], @escaping @Sendable (Bool) -> Void) -> Void
    /// Called before readings are handed over. May hold up the collector and the radio until `count` readings have
    /// room, but not beyond the deadline.
    package var waitForRoom: @Sendable (_ count: Int, _ deadline: MonotonicTime) -> Void
    /// Counts values that never came, by the sensor's own numbers.
    package var countGap: @Sendable (_ device: String, _ missing: Int) -> Void
    package var setAvailability: @Sendable (_ device: String, _ isOnline: Bool) -> Void
    /// The table for the collector's knowledge of sensors and their newest values.
    package var sensors: SensorTable
    /// A sensor is there, or waited for; dBm, where it was heard.
    package var recordSignal: @Sendable (_ device: String, _ rssi: Int?) -> Void
    /// True if other gateways may take care of this gateway's sensors.
    package var sharesSensors: @Sendable () -> Bool
    /// Makes brokers forget the retained data of a removed sensor.
    package var forget: @Sendable (_ device: String) -> Void
    /// Sensors of this run and earlier runs for which brokers may retain data.
    package var announced: @Sendable () -> Set<String>
    /// The text that this run or an earlier run has kept under a key.
    package var identifier: @Sendable (_ key: String) -> String?
    package var keep: @Sendable (_ identifier: String, _ key: String) -> Void
    /// All kept texts under keys with this prefix, by the rest of the key; empty texts are left out.
    package var facts: @Sendable (_ prefix: String) -> [String: String]
    /// Whether the entry of a sensor, by its id or its address, is the gateway's own, and no file of a person has it.
    package var ownsEntry: @Sendable (_ device: String) -> Bool
    /// Calls back once, at once or later, when the facts of earlier runs are known.
    package var whenKnown: @Sendable (@escaping @Sendable () -> Void) -> Void

    package init(
        append: @escaping @Sendable ([Reading]) -> Void,
        appendWhenDurable: @escaping @Sendable ([Reading], @escaping @Sendable (Bool) -> Void) -> Void,
        waitForRoom: @escaping @Sendable (_ count: Int, _ deadline: MonotonicTime) -> Void = { _, _ in },
        countGap: @escaping @Sendable (_ device: String, _ missing: Int) -> Void,
        setAvailability: @escaping @Sendable (_ device: String, _ isOnline: Bool) -> Void,
        sensors: SensorTable = SensorTable(),
        recordSignal: @escaping @Sendable (_ device: String, _ rssi: Int?) -> Void = { _, _ in },
        sharesSensors: @escaping @Sendable () -> Bool = { false },
        forget: @escaping @Sendable (_ device: String) -> Void = { _ in },
        announced: @escaping @Sendable () -> Set<String> = { [] },
        identifier: @escaping @Sendable (_ key: String) -> String?,
        keep: @escaping @Sendable (_ identifier: String, _ key: String) -> Void,
        facts: @escaping @Sendable (_ prefix: String) -> [String: String] = { _ in [:] },
        ownsEntry: @escaping @Sendable (_ device: String) -> Bool = { _ in true },
        whenKnown: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        self.append = append
        self.appendWhenDurable = appendWhenDurable
        self.waitForRoom = waitForRoom
        self.countGap = countGap
        self.setAvailability = setAvailability
        self.sensors = sensors
        self.recordSignal = recordSignal
        self.sharesSensors = sharesSensors
        self.forget = forget
        self.announced = announced
        self.identifier = identifier
        self.keep = keep
        self.facts = facts
        self.ownsEntry = ownsEntry
        self.whenKnown = whenKnown
    }
}
