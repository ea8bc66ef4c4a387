// SPDX-License-Identifier: Apache-2.0

/// The activities that the link layer can do at once: 42 combinations, one bit each. Core 5.4, Vol 4, Part E, 7.8.27.
package struct LEStates: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let passiveScanningAndInitiating = Self(rawValue: 1 << 22)
    package static let activeScanningAndInitiating = Self(rawValue: 1 << 23)
    package static let passiveScanningAndPeripheral = Self(rawValue: 1 << 26)
    package static let activeScanningAndPeripheral = Self(rawValue: 1 << 27)
    package static let initiatingAndCentral = Self(rawValue: 1 << 28)
    package static let initiatingAndPeripheral = Self(rawValue: 1 << 41)

    /// An activity that can run beside advertising.
    package enum Activity: Int, Sendable {
        case passiveScanning, activeScanning, initiating, central, peripheral
    }

    /// Advertising of `kind` together with `activity`.
    package static func advertising(_ kind: AdvertisingKind, and activity: Activity) -> Self {
        let bits: [UInt64]
        switch kind {
        case .nonConnectable: bits = [8, 12, 16, 18, 20]
        case .scannable: bits = [9, 13, 17, 19, 21]
        case .connectable: bits = [10, 14, 32, 35, 38]
        case .directed(_, isHighDuty: true): bits = [11, 15, 33, 36, 39]
        case .directed(_, isHighDuty: false): bits = [30, 31, 34, 37, 40]
        }
        return Self(rawValue: 1 << bits[activity.rawValue])
    }
}
