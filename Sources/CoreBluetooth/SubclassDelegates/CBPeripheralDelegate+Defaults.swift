// SPDX-License-Identifier: Apache-2.0

import Foundation

// Reached where the class that conforms does not implement a method. A subclass that adds it may say so, by
// ``CBPeripheralSubclassDelegate``; else it is noticed.
extension CBPeripheralDelegate {
    public func peripheralDidUpdateName(
        _ peripheral: CBPeripheral
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheralDidUpdateName(peripheral)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didModifyServices: invalidatedServices)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didReadRSSI: RSSI, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didDiscoverServices: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        } else {
            peripheral.noteMissed(by: self, #function, about: CBCharacteristic.self)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
        } else {
            peripheral.noteMissed(by: self, #function, about: CBCharacteristic.self)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
        } else {
            peripheral.noteMissed(by: self, #function, about: CBCharacteristic.self)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        } else {
            peripheral.noteMissed(by: self, #function, about: CBCharacteristic.self)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        } else {
            peripheral.noteMissed(by: self, #function, about: CBDescriptor.self)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
        } else {
            peripheral.noteMissed(by: self, #function, about: CBDescriptor.self)
        }
    }
    public func peripheralIsReady(
        toSendWriteWithoutResponse peripheral: CBPeripheral
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
    public func peripheral(
        _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        if let late = self as? any CBPeripheralSubclassDelegate {
            late.peripheral(peripheral, didOpen: channel, error: error)
        } else {
            peripheral.noteMissed(by: self, #function)
        }
    }
}
