// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Additive: the delegate of a peripheral whose class inherits its conformance, and adds methods of its own.
///
/// Swift fixes the set of methods in the class that conforms to ``CBPeripheralDelegate``. A method of a subclass is
/// never called if the conforming class does not implement the method. If the subclass conforms to this protocol, all
/// its methods are called, own and inherited ones:
///
/// ```swift
/// extension LoggingDelegate: CBPeripheralSubclassDelegate {}
/// ```
public protocol CBPeripheralSubclassDelegate: CBPeripheralDelegate {
    /// See ``CBPeripheralDelegate/peripheralDidUpdateName(_:)``.
    @_nonoverride func peripheralDidUpdateName(_ peripheral: CBPeripheral)
    /// See ``CBPeripheralDelegate/peripheral(_:didModifyServices:)``.
    @_nonoverride func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
    /// See ``CBPeripheralDelegate/peripheral(_:didReadRSSI:error:)``.
    @_nonoverride func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)
    /// See ``CBPeripheralDelegate/peripheral(_:didDiscoverServices:)``.
    @_nonoverride func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)
    /// See ``CBPeripheralDelegate/peripheral(_:didDiscoverIncludedServicesFor:error:)``.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    )
    /// See ``CBPeripheralDelegate/peripheral(_:didDiscoverCharacteristicsFor:error:)``.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    )
    /// The method of ``CBPeripheralDelegate`` for a characteristic whose value was read or told.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    )
    /// The method of ``CBPeripheralDelegate`` for a characteristic whose value was written.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    )
    /// See ``CBPeripheralDelegate/peripheral(_:didUpdateNotificationStateFor:error:)``.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    )
    /// See ``CBPeripheralDelegate/peripheral(_:didDiscoverDescriptorsFor:error:)``.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    )
    /// The method of ``CBPeripheralDelegate`` for a descriptor whose value was read or told.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    )
    /// The method of ``CBPeripheralDelegate`` for a descriptor whose value was written.
    @_nonoverride func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
    )
    /// See ``CBPeripheralDelegate/peripheralIsReady(toSendWriteWithoutResponse:)``.
    @_nonoverride func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)
    /// See ``CBPeripheralDelegate/peripheral(_:didOpen:error:)``.
    @_nonoverride func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

// For the methods that neither the conforming class nor a class above it has.
extension CBPeripheralSubclassDelegate {
    public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
    public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
    public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {}
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {}
    public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
    public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}
}
