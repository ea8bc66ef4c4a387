// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Synchronization

/// A central's request to read or write a value. Answer each call of the delegate once, with its first request, by
/// ``CBPeripheralManager/respond(to:withResult:)``.
open class CBATTRequest: NSObject, @unchecked Sendable {
    // Sound: the Mutex protects all mutable state.

    /// The answer that the central waits for: all requests of one call share a transaction.
    final class Transaction: Sendable {
        let id: ServerRequest
        let isRead: Bool
        private let isAnswered = Mutex(false)

        init(_ id: ServerRequest, isRead: Bool) {
            self.id = id
            self.isRead = isRead
        }

        /// False if the transaction was answered before.
        func claim() -> Bool {
            isAnswered.withLock { answered in
                defer { answered = true }
                return !answered
            }
        }
    }

    private let asker: CBCentral
    private let subject: CBCharacteristic
    private let start: Int
    private let changing: Mutex<Data?>
    /// Nil for a write without response.
    let transaction: Transaction?

    init(
        central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?, transaction: Transaction?
    ) {
        asker = central
        subject = characteristic
        start = offset
        changing = Mutex(value)
        self.transaction = transaction
    }

    /// The central that sent the request.
    open var central: CBCentral { asker }
    /// The characteristic that the central reads or writes; the manager has published it.
    open var characteristic: CBCharacteristic { subject }
    /// The place in the value where the read or the write begins, in octets.
    open var offset: Int { start }

    /// The octets to write. For a read, set the property to the value's octets from ``offset`` on.
    open var value: Data? {
        get { changing.withLock { $0 } }
        set { changing.withLock { $0 = newValue } }
    }
}
