// SPDX-License-Identifier: Apache-2.0

import Foundation

// On Apple's systems most methods of these protocols are optional requirements, and mocks and wrappers call them by
// `delegate?.peripheral?(peripheral, didDiscoverServices: nil)`. Swift has no optional requirements without Objective-C
// ("Objective-C interoperability is disabled"). So each name is a property as well, which is never nil, and which is called with the
// methods' labels. It gives way to everything else of that name: a delegate with a property `peripheral` of its own has that.

/// The methods of a ``CBPeripheralDelegate``, to be called as optional ones.
public struct CBPeripheralDelegateCalls {
    let delegate: any CBPeripheralDelegate

    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheral) {
        delegate.peripheralDidUpdateName(peripheral)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        delegate.peripheral(peripheral, didModifyServices: invalidatedServices)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        delegate.peripheral(peripheral, didReadRSSI: RSSI, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        delegate.peripheral(peripheral, didDiscoverServices: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {
        delegate.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        delegate.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        delegate.peripheral(peripheral, didOpen: channel, error: error)
    }
}

extension CBPeripheralDelegate {
    /// Calls the delegate's methods of this name; never nil.
    @_disfavoredOverload
    public var peripheralDidUpdateName: CBPeripheralDelegateCalls? { CBPeripheralDelegateCalls(delegate: self) }
    /// Calls the delegate's methods of this name; never nil.
    @_disfavoredOverload
    public var peripheral: CBPeripheralDelegateCalls? { CBPeripheralDelegateCalls(delegate: self) }
    /// Calls the delegate's methods of this name; never nil.
    @_disfavoredOverload
    public var peripheralIsReady: CBPeripheralDelegateCalls? { CBPeripheralDelegateCalls(delegate: self) }
}

/// The methods of a ``CBCentralManagerDelegate``, to be called as optional ones.
public struct CBCentralManagerDelegateCalls {
    let delegate: any CBCentralManagerDelegate

    /// The delegate's method with these labels.
    public func callAsFunction(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        delegate.centralManager(central, willRestoreState: dict)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        delegate.centralManager(central, didDiscover: peripheral, advertisementData: advertisementData, rssi: RSSI)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        delegate.centralManager(central, didConnect: peripheral)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        delegate.centralManager(central, didFailToConnect: peripheral, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        delegate.centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        delegate.centralManager(
            central, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: isReconnecting,
            error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        delegate.centralManager(central, connectionEventDidOccur: event, for: peripheral)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
        delegate.centralManager(central, didUpdateANCSAuthorizationFor: peripheral)
    }
}

extension CBCentralManagerDelegate {
    /// Calls the delegate's methods of this name; never nil.
    @_disfavoredOverload
    public var centralManager: CBCentralManagerDelegateCalls? { CBCentralManagerDelegateCalls(delegate: self) }
}

/// The methods of a ``CBPeripheralManagerDelegate``, to be called as optional ones.
public struct CBPeripheralManagerDelegateCalls {
    let delegate: any CBPeripheralManagerDelegate

    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        delegate.peripheralManager(peripheral, willRestoreState: dict)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        delegate.peripheralManagerDidStartAdvertising(peripheral, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        delegate.peripheralManager(peripheral, didAdd: service, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        delegate.peripheralManager(peripheral, central: central, didSubscribeTo: characteristic)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        delegate.peripheralManager(peripheral, central: central, didUnsubscribeFrom: characteristic)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(toUpdateSubscribers peripheral: CBPeripheralManager) {
        delegate.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        delegate.peripheralManager(peripheral, didReceiveRead: request)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        delegate.peripheralManager(peripheral, didReceiveWrite: requests)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        delegate.peripheralManager(peripheral, didPublishL2CAPChannel: PSM, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        delegate.peripheralManager(peripheral, didUnpublishL2CAPChannel: PSM, error: error)
    }
    /// The delegate's method with these labels.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
    {
        delegate.peripheralManager(peripheral, didOpen: channel, error: error)
    }
}

extension CBPeripheralManagerDelegate {
    /// Calls the delegate's methods of this name; never nil.
    @_disfavoredOverload
    public var peripheralManager: CBPeripheralManagerDelegateCalls? { CBPeripheralManagerDelegateCalls(delegate: self) }
    /// Calls the delegate's methods of this name; never nil.
    @_disfavoredOverload
    public var peripheralManagerDidStartAdvertising: CBPeripheralManagerDelegateCalls? {
        CBPeripheralManagerDelegateCalls(delegate: self)
    }
    /// Calls the delegate's methods of this name; never nil.
    @_disfavoredOverload
    public var peripheralManagerIsReady: CBPeripheralManagerDelegateCalls? {
        CBPeripheralManagerDelegateCalls(delegate: self)
    }
}
