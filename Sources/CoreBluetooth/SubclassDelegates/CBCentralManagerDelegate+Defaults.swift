// SPDX-License-Identifier: Apache-2.0

import Foundation

// Swift calls these for methods that the conforming class leaves out. A subclass gets the call if the subclass conforms to
// ``CBCentralManagerSubclassDelegate``.
extension CBCentralManagerDelegate {
    public func centralManager(
        _ central: CBCentralManager, willRestoreState dict: [String: Any]
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else { return }
        late.centralManager(central, willRestoreState: dict)
    }
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else { return }
        late.centralManager(central, didDiscover: peripheral, advertisementData: advertisementData, rssi: RSSI)
    }
    public func centralManager(
        _ central: CBCentralManager, didConnect peripheral: CBPeripheral
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else { return }
        late.centralManager(central, didConnect: peripheral)
    }
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else { return }
        late.centralManager(central, didFailToConnect: peripheral, error: error)
    }
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else { return }
        late.centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else {
            return centralManager(central, didDisconnectPeripheral: peripheral, error: error)
        }
        late.centralManager(
            central, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: isReconnecting,
            error: error
        )
    }
    public func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else { return }
        late.centralManager(central, connectionEventDidOccur: event, for: peripheral)
    }
    public func centralManager(
        _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    ) {
        guard let late = self as? any CBCentralManagerSubclassDelegate else { return }
        late.centralManager(central, didUpdateANCSAuthorizationFor: peripheral)
    }
}
