// SPDX-License-Identifier: Apache-2.0

import Foundation

// Swift calls these for methods that the conforming class leaves out. A subclass gets the call if the subclass conforms to
// ``CBPeripheralSubclassDelegate``.
extension CBPeripheralDelegate {
    public func peripheralDidUpdateName(
        _ peripheral: CBPeripheral
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheralDidUpdateName(peripheral)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didModifyServices: invalidatedServices)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didReadRSSI: RSSI, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didDiscoverServices: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
    }
    public func peripheralIsReady(
        toSendWriteWithoutResponse peripheral: CBPeripheral
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralSubclassDelegate else { return }
        late.peripheral(peripheral, didOpen: channel, error: error)
    }
}
