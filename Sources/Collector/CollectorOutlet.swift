// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Where a collector's findings go; all are called on the collector's queue and, but for ``waitForRoom``, must not wait for
/// disk or network.
package struct CollectorOutlet: Sendable {
    /// Takes the readings of one wake-up, in the order of reception.
    package var append: @Sendable ([Reading]) -> Void
    /// The same, for one that has to know: called back once, with true when the readings are on disk as safely as the
    /// configuration wants it, with false when one of them was dropped.
    package var appendWhenDurable: @Sendable ([Reading], @escaping @Sendable (Bool) -> Void) -> Void
    /// Called before readings are handed over: may hold up the collector, and with it the radio, until there is room for so
    /// many, but not beyond the deadline.
    package var waitForRoom: @Sendable (_ count: Int, _ deadline: MonotonicTime) -> Void
    /// Values that never came, as their sensor's own numbering says.
    package var countGap: @Sendable (_ device: String, _ missing: Int) -> Void
    package var setAvailability: @Sendable (_ device: String, _ isOnline: Bool) -> Void
    /// Where the collector writes what is known of sensors, and their newest values.
    package var sensors: SensorTable
    /// A sensor is there, or waited for; dBm, where it was heard.
    package var noteSignal: @Sendable (_ device: String, _ rssi: Int?) -> Void
    /// Other gateways may take care of the same sensors.
    package var sharesSensors: @Sendable () -> Bool
    /// Has brokers forget what they retain of a sensor that was removed.
    package var forget: @Sendable (_ device: String) -> Void
    /// Sensors that brokers may retain something of, from this run or an earlier one.
    package var announced: @Sendable () -> Set<String>
    /// What was kept under a key, in this run or an earlier one.
    package var identifier: @Sendable (_ key: String) -> String?
    package var keep: @Sendable (_ identifier: String, _ key: String) -> Void
    /// Calls back once, at once or later, when it is known what earlier runs have kept.
    package var whenKnown: @Sendable (@escaping @Sendable () -> Void) -> Void

    package init(
        append: @escaping @Sendable ([Reading]) -> Void,
        appendWhenDurable: @escaping @Sendable ([Reading], @escaping @Sendable (Bool) -> Void) -> Void,
        waitForRoom: @escaping @Sendable (_ count: Int, _ deadline: MonotonicTime) -> Void = { _, _ in },
        countGap: @escaping @Sendable (_ device: String, _ missing: Int) -> Void,
        setAvailability: @escaping @Sendable (_ device: String, _ isOnline: Bool) -> Void,
        sensors: SensorTable = SensorTable(),
        noteSignal: @escaping @Sendable (_ device: String, _ rssi: Int?) -> Void = { _, _ in },
        sharesSensors: @escaping @Sendable () -> Bool = { false },
        forget: @escaping @Sendable (_ device: String) -> Void = { _ in },
        announced: @escaping @Sendable () -> Set<String> = { [] },
        identifier: @escaping @Sendable (_ key: String) -> String?,
        keep: @escaping @Sendable (_ identifier: String, _ key: String) -> Void,
        whenKnown: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        self.append = append
        self.appendWhenDurable = appendWhenDurable
        self.waitForRoom = waitForRoom
        self.countGap = countGap
        self.setAvailability = setAvailability
        self.sensors = sensors
        self.noteSignal = noteSignal
        self.sharesSensors = sharesSensors
        self.forget = forget
        self.announced = announced
        self.identifier = identifier
        self.keep = keep
        self.whenKnown = whenKnown
    }
}
