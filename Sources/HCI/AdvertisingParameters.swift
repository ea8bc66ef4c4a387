// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How often an advertiser is heard: N × 0.625 ms, 32…16,384 (20 ms … 10.24 s). Core 5.4, Vol 4, Part E, 7.8.5.
package struct AdvertisingIntervals: Hashable, Sendable {
    package static let range: ClosedRange<UInt16> = 0x20...0x4000
    package let minimum: UInt16
    package let maximum: UInt16

    /// Nil outside the range, or when `minimum` is above `maximum`.
    package init?(minimum: UInt16, maximum: UInt16) {
        guard Self.range.contains(minimum), Self.range.contains(maximum), minimum <= maximum else { return nil }
        self.minimum = minimum
        self.maximum = maximum
    }

    private init(trusted minimum: UInt16, _ maximum: UInt16) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// 20–30 ms: scanners find the advertiser at once.
    package static let fast = Self(trusted: 32, 48)
    /// 152.5–160 ms: the shortest of the intervals that Apple's Accessory Design Guidelines give for endless
    /// advertising. An iPhone in the background scans often enough to find this interval.
    package static let relaxed = Self(trusted: 244, 256)

    /// At least `units` between two events, as Bluetooth 4 asks of non-connectable advertisers.
    package func atLeast(_ units: UInt16) -> Self {
        let floor = max(Self.range.lowerBound, min(units, Self.range.upperBound))
        return Self(trusted: max(minimum, floor), max(maximum, floor))
    }
}

/// The uses of an advertisement: connection, scan request, or only its data.
package enum AdvertisingKind: Hashable, Sendable {
    /// Any peer may connect, and ask for the scan response.
    case connectable
    /// Any peer may ask for the scan response.
    case scannable
    case nonConnectable
    /// This peer alone may connect; high duty cycle lasts 1.28 s. Core 5.4, Vol 6, Part B, 4.4.2.4.
    case directed(DeviceAddress, isHighDuty: Bool)

    package var isConnectable: Bool {
        switch self {
        case .connectable, .directed: true
        case .scannable, .nonConnectable: false
        }
    }

    package var isHighDuty: Bool { if case .directed(_, isHighDuty: true) = self { true } else { false } }
}

/// All properties of an advertiser except its data.
package struct AdvertisingParameters: Hashable, Sendable {
    package var kind: AdvertisingKind
    /// The PDUs of Bluetooth 4, which every scanner hears; the legacy commands have no others.
    package var usesLegacyPDUs: Bool
    package var intervals: AdvertisingIntervals
    package var ownAddress: DeviceAddress.Kind
    /// The PHY of the data with extended PDUs. With LE Coded, the announcement uses LE Coded too.
    package var secondaryPHY: LEPHY
    /// 0…15; tells the sets of one advertiser apart.
    package var setID: UInt8

    package init(
        kind: AdvertisingKind, usesLegacyPDUs: Bool = true, intervals: AdvertisingIntervals,
        ownAddress: DeviceAddress.Kind, secondaryPHY: LEPHY = .le1M, setID: UInt8 = 0
    ) {
        self.kind = kind
        self.usesLegacyPDUs = usesLegacyPDUs
        self.intervals = intervals
        self.ownAddress = ownAddress
        self.secondaryPHY = secondaryPHY
        self.setID = setID & 0x0F
    }
}

/// One PHY, as events name it. Core 5.4, Vol 4, Part E, 7.7.65.12.
public enum LEPHY: UInt8, Sendable {
    case le1M = 1
    case le2M = 2
    case leCoded = 3
}
