// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation

/// Additive: a peripheral's delegate that confirms indicated values itself, for example when a value is on disk.
///
/// ```swift
/// func peripheral(_ peripheral: CBPeripheral, didReceive indication: CBIndication, for characteristic: CBCharacteristic) {
///     log.write(indication.value) { indication.confirm() }
/// }
/// ```
///
/// A peripheral keeps a value until the confirmation. A late confirmation therefore loses no value in a power cut. The
/// peripheral sends no other indication on the connection meanwhile; notifications, reads and writes go on. For other
/// delegates the library calls `peripheral(_:didUpdateValueFor:error:)`, and confirms the value when the call returns.
public protocol CBIndicationDelegate: CBPeripheralDelegate {
    /// The peripheral has indicated a value. Replaces `peripheral(_:didUpdateValueFor:error:)`, which still reports
    /// notified and read values. The characteristic already has the value, and so do streams.
    func peripheral(
        _ peripheral: CBPeripheral, didReceive indication: CBIndication, for characteristic: CBCharacteristic)
}

/// Additive: an indicated value without a confirmation yet.
public struct CBIndication: Sendable {
    /// The indicated value.
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

    /// Confirms the value to the peripheral; from any thread. If several managers of the process hold the connection,
    /// the peripheral gets the confirmation after the last manager's call.
    ///
    /// A second call has no effect, and neither has a call after the end of the connection. Without a confirmation
    /// within 30 seconds the peripheral gives up: it may end the connection, and sends nothing more on it (Core 5.4,
    /// Vol 3, Part F, 3.3.3).
    public func confirm() {
        controller.host.perform { [link, number, client] host in
            host.withMachine { machine, now in machine.confirm(link, number, for: client, at: now) }
        }
    }
}
