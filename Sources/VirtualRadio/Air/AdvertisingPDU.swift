// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An advertiser's PDU in one advertising event, with its scan response.
struct AdvertisingPDU {
    /// The advertiser's set; nil for the set of the legacy commands, and for sensors.
    var set: UInt8?
    /// Nil when the advertisement is anonymous.
    var advertiser: DeviceAddress?
    /// The addressee of a directed advertisement.
    var target: DeviceAddress?
    var isConnectable: Bool
    var isScannable: Bool
    /// Fits the advertising physical channel PDUs of Bluetooth 4, which every scanner hears.
    var isLegacy: Bool
    var data: [UInt8]
    var scanResponse: [UInt8] = []
    var setID: UInt8 = 0xFF
    /// 1 for LE 1M, 3 for LE Coded.
    var primaryPHY: UInt8 = 1
    var secondaryPHY: UInt8 = 0
    /// In dBm; 0x7F when not given.
    var txPower: Int8 = 0x7F
}
