// SPDX-License-Identifier: Apache-2.0

// Options of managers.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Additive option: the ``CBController`` to use.
public let CBPeripheralManagerOptionControllerKey = CBCentralManagerOptionControllerKey

/// Additive key of ``CBPeripheralManager/startAdvertising(_:)``: `NSNumber`, seconds from one advertisement to the next,
/// 0.02…10.24. Without it, 20–30 ms for half a minute, then 152.5–160 ms.
public let CBPeripheralManagerAdvertisingIntervalKey = "MartletAdvertisingInterval"

// Keys of what is restored.
/// `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// `[String: Any]`, as it was given to ``CBPeripheralManager/startAdvertising(_:)``.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

/// How often a central is to be met.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// Data goes soonest, at the cost of energy.
    case low = 0
    case medium = 1
    case high = 2
}

/// Old form of ``CBManagerAuthorization``.
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case authorized = 3
}
