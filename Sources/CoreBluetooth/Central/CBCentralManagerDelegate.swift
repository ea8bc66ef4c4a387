// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The events of a central manager. Only the state update must be implemented.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The state has changed, or is known for the first time. Below ``CBManagerState/poweredOn`` the scan has ended and every
    /// peripheral is disconnected.
    func centralManagerDidUpdateState(_ central: CBCentralManager)
    /// Comes before the first state update, when there is something to restore.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])
    /// The scan has heard a device. `RSSI`: dBm, 127 if unknown. Keep a reference to the peripheral to connect to it.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber)
    /// The peripheral is connected.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
    /// The connection attempt failed; the manager does not try again.
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)
    /// The connection, or the pending connection, has ended. `error`: nil if this manager ended the connection.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)
    /// Replaces the shorter form: a class with this form gets no call of the shorter form.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?)
    /// Asked for by ``CBCentralManager/registerForConnectionEvents(options:)``.
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)
    /// Never called: notification centre services are an affair of iPhones.
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}
