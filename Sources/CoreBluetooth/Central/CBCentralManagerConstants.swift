// SPDX-License-Identifier: Apache-2.0

// Options of managers.
/// Taken and ignored: what is wrong with the controller is in the log and in ``CBManager/stateReason``.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// `String`: preserves what the manager does for the next run, under this name. Needs a controller with a state directory.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Taken and ignored: media access is an affair of iPhones.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"

// Keys of restored state.
/// `[CBPeripheral]`: peripherals with a connection or a pending connection; the manager connects to them again.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// `[String: Any]`, as given to `scanForPeripherals`.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

// Options of scans.
/// `NSNumber`, a Boolean: reports each advertisement. Without the option a device is reported once, and again when its
/// advertisement changes, at most once a second.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// `[CBUUID]`: also finds devices that solicit one of these services.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"
/// Additive, `NSNumber`, a Boolean: a scan without hurry. The radio listens for 11.25 ms of each 2.56 s, unless another scan
/// of the process needs more.
public let CBCentralManagerScanOptionBackgroundKey = "MartletScanOptionBackground"

/// `NSNumber`, a Boolean: reports a device once, also if its advertisement changes later. For programs without interest
/// in changes.
package let CBCentralManagerScanOptionIgnoresChangesKey = "MartletScanOptionIgnoresChanges"

// Options of connections.
/// `NSNumber`, a Boolean: a notice in the log when the connection is there.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// `NSNumber`, a Boolean: a notice in the log when the connection is gone.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// `NSNumber`, a Boolean: a notice in the log when values come, every 10 s at most.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// `NSNumber`, seconds: the delay before the connection attempt begins.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// `NSNumber`, a Boolean: connects again by itself when the connection is lost.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// Taken and ignored: there is no classic Bluetooth here.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Taken and ignored: notification centre services are an affair of iPhones.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"

// Keys of advertisement data.
/// `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// `Data`, the company identifier first.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// `[CBUUID]`: never present here, because only Apple's own advertisers send the list.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// `NSNumber`, dBm.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// `NSNumber`, a Boolean.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"
/// Additive, `Double`: when it was heard, in seconds since 1 January 2001.
public let CBAdvertisementDataTimestampKey = "kCBAdvDataTimestamp"
/// Additive, `NSNumber`, a ``CBPHY``: the PHY of the advertiser's first packet, LE 1M or LE Coded.
public let CBAdvertisementDataPrimaryPHYKey = "kCBAdvDataRxPrimaryPHY"
/// Additive, `NSNumber`, a ``CBPHY``: the PHY of the advertisement's data; missing if both PHYs are the same.
public let CBAdvertisementDataSecondaryPHYKey = "kCBAdvDataRxSecondaryPHY"
/// Additive, `NSNumber`, 0…15: the number of the advertising set; missing without advertising sets.
public let CBAdvertisementDataSetIDKey = "MartletAdvDataSetID"
/// Additive, `NSNumber`, seconds: the interval of periodic advertising; missing without periodic advertising.
public let CBAdvertisementDataPeriodicIntervalKey = "MartletAdvDataPeriodicInterval"
