// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Advertising that a host has set up, by the legacy commands or as an extended set.
struct AdvertisingSet {
    var isEnabled = false
    var isConnectable = true
    var isScannable = true
    var isDirected = false
    var isHighDuty = false
    var isLegacy = true
    var isAnonymous = false
    var includesTxPower = false
    /// In units of 0.625 ms.
    var minimumInterval: UInt32 = 0x0800
    var maximumInterval: UInt32 = 0x0800
    var ownAddressType: UInt8 = 0
    var peer = DeviceAddress(kind: .public, value: 0)
    /// Bit 0: scan requests, bit 1: connection requests, from devices in the Filter Accept List only.
    var filterPolicy: UInt8 = 0
    var setID: UInt8 = 0xFF
    /// 1 for LE 1M, 3 for LE Coded.
    var primaryPHY: UInt8 = 1
    var secondaryPHY: UInt8 = 0
    /// The address of an extended set.
    var randomAddress: DeviceAddress?
    var data = AdvertisingPayload()
    var scanResponse = AdvertisingPayload()
    var events = AdvertisingEvents()

    /// Nanoseconds between two events at least, without the random delay.
    func interval(choosing random: inout SplitMix64) -> Duration {
        if isHighDuty { return .microseconds(3750) }
        let span = Int64(max(maximumInterval, minimumInterval) - minimumInterval)
        let units = Int64(minimumInterval) + random.below(span + 1)
        // Vol 6, Part B, 4.4.2.2.1: advDelay of up to 10 ms keeps two advertisers from meeting again and again.
        return .microseconds(units * 625 + random.below(10_000))
    }
}
