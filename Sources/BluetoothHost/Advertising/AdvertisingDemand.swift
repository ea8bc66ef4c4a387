// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// How often to advertise: fast while a peer probably waits, then slowly.
package struct AdvertisingTiming: Hashable, Sendable {
    package var fast: AdvertisingIntervals
    package var fastPeriod: Duration
    package var slow: AdvertisingIntervals

    package init(fast: AdvertisingIntervals, fastPeriod: Duration, slow: AdvertisingIntervals) {
        self.fast = fast
        self.fastPeriod = fastPeriod
        self.slow = slow
    }

    /// 20–30 ms for 30 s, then 152.5–160 ms, as Apple's Accessory Design Guidelines ask of a good accessory. GAP names
    /// the 30 s: Core 5.4, Vol 3, Part C, Appendix A.
    package static let standard = Self(fast: .fast, fastPeriod: .seconds(30), slow: .relaxed)
}

/// A client's wish to advertise.
package struct AdvertisingDemand: Equatable, Sendable {
    /// AD structures, the flags among them. More than 31 octets need a controller with extended advertising.
    package var data: [UInt8]
    /// AD structures for scanners that send a scan request.
    package var scanResponse: [UInt8]
    package var kind: AdvertisingKind
    package var timing: AdvertisingTiming
    /// Nil: until told otherwise. Limited discoverable mode ends after 180 s, Core 5.4, Vol 3, Part C, 9.2.3.
    package var duration: Duration?
    /// A PHY other than LE 1M makes the advertisement an extended one. Fewer scanners hear extended advertisements.
    package var secondaryPHY: LEPHY

    package init(
        data: [UInt8], scanResponse: [UInt8] = [], kind: AdvertisingKind = .connectable,
        timing: AdvertisingTiming = .standard, duration: Duration? = nil,
        secondaryPHY: LEPHY = .le1M
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.kind = kind
        self.timing = timing
        self.duration = duration
        self.secondaryPHY = secondaryPHY
    }

    /// Octets of a legacy advertisement. Core 5.4, Vol 6, Part B, 2.3.1.1.
    static let legacyCapacity = 31

    /// The PDUs of Bluetooth 4 are enough. They are preferred, because every scanner hears them.
    var fitsLegacyPDUs: Bool {
        data.count <= Self.legacyCapacity && scanResponse.count <= Self.legacyCapacity && secondaryPHY == .le1M
    }

    /// Legacy advertisements to everybody, which any controller can send.
    var isForAnyController: Bool {
        if case .directed = kind { return false }
        return fitsLegacyPDUs
    }
}

/// The parameters and data of one advertiser, as the controller gets them.
package struct AdvertisingSetup: Equatable, Sendable {
    package var parameters: AdvertisingParameters
    /// The advertiser's address on the air.
    package var address: DeviceAddress
    package var data: [UInt8]
    package var scanResponse: [UInt8]

    package init(parameters: AdvertisingParameters, address: DeviceAddress, data: [UInt8], scanResponse: [UInt8]) {
        self.parameters = parameters
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
    }

    /// `intervals` and `kind` may differ from `demand`: intervals become longer with time, and some controllers cannot
    /// be connectable beside links.
    init(
        _ demand: AdvertisingDemand, kind: AdvertisingKind, intervals: AdvertisingIntervals, address: DeviceAddress,
        setID: UInt8
    ) {
        let isLegacy = demand.fitsLegacyPDUs
        parameters = AdvertisingParameters(
            kind: kind, usesLegacyPDUs: isLegacy, intervals: intervals, ownAddress: address.kind,
            secondaryPHY: demand.secondaryPHY, setID: setID)
        self.address = address
        (data, scanResponse) = (demand.data, demand.scanResponse)
        if isLegacy {
            // ADV_DIRECT_IND carries no data. Controllers differ in their answers to a command that sets data for it.
            if case .directed = kind { (data, scanResponse) = ([], []) }
        } else if kind == .scannable {
            // Scannable extended advertisements carry data in the scan response alone, all other kinds in the
            // advertisement alone. Core 5.4, Vol 4, Part E, 7.8.53.
            (data, scanResponse) = ([], data + scanResponse)
        } else {
            (data, scanResponse) = (data + scanResponse, [])
        }
    }
}
