// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation

/// Additive: a peripheral's delegate that says itself when it has taken care of an indicated value, say, when it is on
/// disk.
///
/// ```swift
/// func peripheral(_ peripheral: CBPeripheral, didReceive indication: CBIndication, for characteristic: CBCharacteristic) {
///     log.write(indication.value) { indication.confirm() }
/// }
/// ```
///
/// A peripheral keeps a value until it is confirmed, so that what is confirmed late is not lost where power is. It sends
/// no other indication on the connection meanwhile; notifications, reads and writes go on. Other delegates have
/// `peripheral(_:didUpdateValueFor:error:)` called, and when that returns the value is confirmed.
public protocol CBIndicationDelegate: CBPeripheralDelegate {
    /// A value was indicated: called instead of `peripheral(_:didUpdateValueFor:error:)`, which still tells of notified
    /// and read ones. It is the characteristic's value, and streams have got it, too.
    func peripheral(
        _ peripheral: CBPeripheral, didReceive indication: CBIndication, for characteristic: CBCharacteristic)
}

/// Additive: an indicated value that the peripheral waits to have confirmed.
public struct CBIndication: Sendable {
    /// What was indicated.
    public let value: Data

    private let link: LinkID
    private let number: IndicationNumber
    private let client: ClientID
    private let controller: CBController

    init(value: Data, link: LinkID, number: IndicationNumber, client: ClientID, controller: CBController) {
        self.value = value
        self.link = link
        self.number = number
        self.client = client
        self.controller = controller
    }

    /// Tells the peripheral that the value is taken care of; from any thread. Where several managers of the process hold
    /// the connection, the last one of them does.
    ///
    /// It has no effect the second time, nor when the connection has ended. What is not confirmed for 30 seconds, the
    /// peripheral gives up: it may end the connection, and sends no more on it (Core 5.4, Vol 3, Part F, 3.3.3).
    public func confirm() {
        controller.host.perform { [link, number, client] host in
            host.withMachine { machine, now in machine.confirm(link, number, for: client, at: now) }
        }
    }
}
