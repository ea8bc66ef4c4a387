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

// For the methods that neither the conforming class nor a class above it has.
extension CBCentralManagerSubclassDelegate {
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {}
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {}
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {}
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }
    public func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {}
    public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
