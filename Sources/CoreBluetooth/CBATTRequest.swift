// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Synchronization

/// A central's wish to read or write a value. Answer each call of the delegate once, with its first request, by
/// ``CBPeripheralManager/respond(to:withResult:)``.
open class CBATTRequest: NSObject, @unchecked Sendable {
    // Sound: what changes is behind the Mutex.

    /// What the central waits for: one for all requests of one call.
    final class Transaction: Sendable {
        let id: ServerRequest
        let isRead: Bool
        private let isAnswered = Mutex(false)

        init(_ id: ServerRequest, isRead: Bool) {
            self.id = id
            self.isRead = isRead
        }

        /// False when it was answered before.
        func take() -> Bool {
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

    /// Who asks.
    open var central: CBCentral { asker }
    /// What it asks for: one of those that the manager has published.
    open var characteristic: CBCharacteristic { subject }
    /// Where in the value reading begins, or where what is written goes, in octets.
    open var offset: Int { start }

    /// What is written; for a reading, set it to what is read, from ``offset`` on.
    open var value: Data? {
        get { changing.withLock { $0 } }
        set { changing.withLock { $0 = newValue } }
    }
}
