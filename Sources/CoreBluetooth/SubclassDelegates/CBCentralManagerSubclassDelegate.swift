// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Additive: the delegate of a central manager whose class inherits its conformance, and adds methods of its own.
///
/// Swift fixes the set of methods in the class that conforms to ``CBCentralManagerDelegate``. A method of a subclass is
/// never called if the conforming class does not implement the method. If the subclass conforms to this protocol, all
/// its methods are called, own and inherited ones:
///
/// ```swift
/// extension LoggingDelegate: CBCentralManagerSubclassDelegate {}
/// ```
public protocol CBCentralManagerSubclassDelegate: CBCentralManagerDelegate {
    /// See ``CBCentralManagerDelegate/centralManager(_:willRestoreState:)``.
    @_nonoverride func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])
    /// See ``CBCentralManagerDelegate/centralManager(_:didDiscover:advertisementData:rssi:)``.
    @_nonoverride func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    )
    /// See ``CBCentralManagerDelegate/centralManager(_:didConnect:)``.
    @_nonoverride func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
    /// See ``CBCentralManagerDelegate/centralManager(_:didFailToConnect:error:)``.
    @_nonoverride func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    )
    /// See ``CBCentralManagerDelegate/centralManager(_:didDisconnectPeripheral:error:)``.
    @_nonoverride func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    )
    /// See ``CBCentralManagerDelegate/centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)``.
    @_nonoverride func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    )
    /// See ``CBCentralManagerDelegate/centralManager(_:connectionEventDidOccur:for:)``.
    @_nonoverride func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    )
    /// See ``CBCentralManagerDelegate/centralManager(_:didUpdateANCSAuthorizationFor:)``.
    @_nonoverride func centralManager(
        _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    )
}

// Reached where neither the class that conforms nor one above it has the method; one below it may.
extension CBCentralManagerSubclassDelegate {
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        central.noteMissed(by: self, #function)
    }
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.noteMissed(by: self, #function)
    }
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        central.noteMissed(by: self, #function)
    }
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        central.noteMissed(by: self, #function)
    }
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        central.noteMissed(by: self, #function)
    }
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        central.noteMissed(by: self, #function)
        centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }
    public func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        central.noteMissed(by: self, #function)
    }
    public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
        central.noteMissed(by: self, #function)
    }
}
