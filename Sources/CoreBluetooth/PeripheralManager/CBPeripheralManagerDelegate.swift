// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The events of a peripheral manager. Only the state update must be implemented.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The state has changed, or is known for the first time.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
    /// Comes before the first state update, when there is something to restore.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
    /// The advertisement is on the air, or `error` says why not.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)
    /// A service is published, or `error` says why not.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)
    /// A central has subscribed to a characteristic.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)
    /// A central has unsubscribed, or is gone.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)
    /// Follows an ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` that returned false.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
    /// A central reads: set the request's value, and respond.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
    /// The central wants all writes or none: answer the first request.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
    /// A PSM is published, or `error` says why not.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
    /// A PSM is no longer published.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
    /// A central opened a channel. Keep a reference: the channel closes with its last reference.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}
