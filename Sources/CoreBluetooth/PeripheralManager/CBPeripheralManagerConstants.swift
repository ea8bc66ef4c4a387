// SPDX-License-Identifier: Apache-2.0

// Options of managers.
/// Taken and ignored: what is wrong with the controller is in the log and in ``CBManager/stateReason``.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// `String`: preserves what the manager publishes for the next run, under this name. Needs a controller with a state
/// directory.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Additive option: the ``CBController`` to use.
public let CBPeripheralManagerOptionControllerKey = CBCentralManagerOptionControllerKey

/// Additive key of ``CBPeripheralManager/startAdvertising(_:)``: `NSNumber`, seconds from one advertisement to the
/// next, 0.02…10.24. Without the key, 20–30 ms for half a minute, then 152.5–160 ms.
public let CBPeripheralManagerAdvertisingIntervalKey = "MartletAdvertisingInterval"

// Keys of restored state.
/// `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// `[String: Any]`, the dictionary given to ``CBPeripheralManager/startAdvertising(_:)``.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

/// How often host and central exchange packets.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// The shortest delay, at the cost of energy.
    case low = 0
    /// A compromise of delay and energy.
    case medium = 1
    /// The least energy on both sides.
    case high = 2
}

/// Old form of ``CBManagerAuthorization``.
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
    /// No manager has tried yet.
    case notDetermined = 0
    /// Never the case here.
    case restricted = 1
    /// CAP_NET_ADMIN is missing.
    case denied = 2
    /// The process may use the controller.
    case authorized = 3
}
