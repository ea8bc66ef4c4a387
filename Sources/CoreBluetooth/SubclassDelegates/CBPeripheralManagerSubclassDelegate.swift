// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Additive: the delegate of a peripheral manager whose class inherits its conformance, and adds methods of its own.
///
/// Swift fixes the set of methods in the class that conforms to ``CBPeripheralManagerDelegate``. A method of a subclass
/// is never called if the conforming class does not implement the method. If the subclass conforms to this protocol,
/// all its methods are called, own and inherited ones:
///
/// ```swift
/// extension LoggingDelegate: CBPeripheralManagerSubclassDelegate {}
/// ```
public protocol CBPeripheralManagerSubclassDelegate: CBPeripheralManagerDelegate {
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:willRestoreState:)``.
    @_nonoverride func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
    /// See ``CBPeripheralManagerDelegate/peripheralManagerDidStartAdvertising(_:error:)``.
    @_nonoverride func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:didAdd:error:)``.
    @_nonoverride func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    )
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:central:didSubscribeTo:)``.
    @_nonoverride func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    )
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:central:didUnsubscribeFrom:)``.
    @_nonoverride func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    )
    /// See ``CBPeripheralManagerDelegate/peripheralManagerIsReady(toUpdateSubscribers:)``.
    @_nonoverride func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:didReceiveRead:)``.
    @_nonoverride func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:didReceiveWrite:)``.
    @_nonoverride func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:didPublishL2CAPChannel:error:)``.
    @_nonoverride func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    )
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:didUnpublishL2CAPChannel:error:)``.
    @_nonoverride func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    )
    /// See ``CBPeripheralManagerDelegate/peripheralManager(_:didOpen:error:)``.
    @_nonoverride func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    )
}

// For the methods that neither the conforming class nor a class above it has.
extension CBPeripheralManagerSubclassDelegate {
    public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {}
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {}
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
    ) {
        peripheral.respond(to: request, withResult: .readNotPermitted)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
    ) {
        if let first = requests.first { peripheral.respond(to: first, withResult: .writeNotPermitted) }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {}
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {}
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {}
}
