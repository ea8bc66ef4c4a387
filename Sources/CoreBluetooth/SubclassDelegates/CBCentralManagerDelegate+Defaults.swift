// SPDX-License-Identifier: Apache-2.0

import Foundation

// Reached where the class that conforms does not implement a method. A subclass that adds it may say so, by
// ``CBCentralManagerSubclassDelegate``; else it is noticed.
extension CBCentralManagerDelegate {
    public func centralManager(
        _ central: CBCentralManager, willRestoreState dict: [String: Any]
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(central, willRestoreState: dict)
        } else {
            central.noteMissed(by: self, #function)
        }
    }
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(central, didDiscover: peripheral, advertisementData: advertisementData, rssi: RSSI)
        } else {
            central.noteMissed(by: self, #function)
        }
    }
    public func centralManager(
        _ central: CBCentralManager, didConnect peripheral: CBPeripheral
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(central, didConnect: peripheral)
        } else {
            central.noteMissed(by: self, #function)
        }
    }
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(central, didFailToConnect: peripheral, error: error)
        } else {
            central.noteMissed(by: self, #function)
        }
    }
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(central, didDisconnectPeripheral: peripheral, error: error)
        } else {
            central.noteMissed(by: self, #function)
        }
    }
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(
                central, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: isReconnecting,
                error: error
            )
        } else {
            central.noteMissed(by: self, #function)
            centralManager(central, didDisconnectPeripheral: peripheral, error: error)
        }
    }
    public func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(central, connectionEventDidOccur: event, for: peripheral)
        } else {
            central.noteMissed(by: self, #function)
        }
    }
    public func centralManager(
        _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    ) {
        if let late = self as? any CBCentralManagerSubclassDelegate {
            late.centralManager(central, didUpdateANCSAuthorizationFor: peripheral)
        } else {
            central.noteMissed(by: self, #function)
        }
    }
}
