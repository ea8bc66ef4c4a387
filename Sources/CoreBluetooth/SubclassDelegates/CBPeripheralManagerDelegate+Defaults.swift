// SPDX-License-Identifier: Apache-2.0

import Foundation

// Swift calls these for methods that the conforming class leaves out. A subclass gets the call if the subclass conforms to
// ``CBPeripheralManagerSubclassDelegate``.
extension CBPeripheralManagerDelegate {
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManager(peripheral, willRestoreState: dict)
    }
    public func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManagerDidStartAdvertising(peripheral, error: error)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManager(peripheral, didAdd: service, error: error)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManager(peripheral, central: central, didSubscribeTo: characteristic)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManager(peripheral, central: central, didUnsubscribeFrom: characteristic)
    }
    public func peripheralManagerIsReady(
        toUpdateSubscribers peripheral: CBPeripheralManager
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        late.peripheralManager(peripheral, didReceiveRead: request)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else {
            if let first = requests.first { peripheral.respond(to: first, withResult: .writeNotPermitted) }
            return
        }
        late.peripheralManager(peripheral, didReceiveWrite: requests)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManager(peripheral, didPublishL2CAPChannel: PSM, error: error)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManager(peripheral, didUnpublishL2CAPChannel: PSM, error: error)
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        guard let late = self as? any CBPeripheralManagerSubclassDelegate else { return }
        late.peripheralManager(peripheral, didOpen: channel, error: error)
    }
}
