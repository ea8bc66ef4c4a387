// SPDX-License-Identifier: Apache-2.0

import Foundation

// Reached where the class that conforms does not implement a method. A subclass that adds it may say so, by
// ``CBPeripheralManagerSubclassDelegate``; else it is noticed.
extension CBPeripheralManagerDelegate {
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, willRestoreState: dict)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManagerDidStartAdvertising(peripheral, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, didAdd: service, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, central: central, didSubscribeTo: characteristic)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, central: central, didUnsubscribeFrom: characteristic)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManagerIsReady(
        toUpdateSubscribers peripheral: CBPeripheralManager
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, didReceiveRead: request)
        } else {
            peripheral.noteMissed(by: self, #function)
            peripheral.respond(to: request, withResult: .readNotPermitted)
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, didReceiveWrite: requests)
        } else {
            peripheral.noteMissed(by: self, #function)
            if let first = requests.first { peripheral.respond(to: first, withResult: .writeNotPermitted) }
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, didPublishL2CAPChannel: PSM, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, didUnpublishL2CAPChannel: PSM, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralManagerSubclassDelegate {
            late.peripheralManager(peripheral, didOpen: channel, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
}
