// SPDX-License-Identifier: Apache-2.0

/// Where a collector's findings go; all are called on the collector's queue and must not wait for disk or network.
package struct CollectorOutlet: Sendable {
    /// Takes the readings of one wake-up, in the order of reception.
    package var append: @Sendable ([Reading]) -> Void
    package var setAvailability: @Sendable (_ device: String, _ isOnline: Bool) -> Void
    /// Tells what is known of a sensor, before its readings.
    package var describe: @Sendable (_ device: String, _ description: SensorDescription) -> Void
    /// What was kept under a key, in this run or an earlier one.
    package var identifier: @Sendable (_ key: String) -> String?
    package var keep: @Sendable (_ identifier: String, _ key: String) -> Void

    package init(
        append: @escaping @Sendable ([Reading]) -> Void,
        setAvailability: @escaping @Sendable (_ device: String, _ isOnline: Bool) -> Void,
        describe: @escaping @Sendable (_ device: String, _ description: SensorDescription) -> Void = { _, _ in },
        identifier: @escaping @Sendable (_ key: String) -> String?,
        keep: @escaping @Sendable (_ identifier: String, _ key: String) -> Void
    ) {
        self.append = append
        self.setAvailability = setAvailability
        self.describe = describe
        self.identifier = identifier
        self.keep = keep
    }
}
