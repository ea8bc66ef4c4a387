// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Gateway

/// The gateway's memory of a connected central.
struct Phone {
    /// Weak: the manager releases a central that is gone.
    weak var central: CBCentral?
    /// The identity address of a bonded central, equal on later connections; else an identifier of this connection.
    var identity: String
    /// A lookup has shown that the identity is not a sensor's.
    var isAdmitted = false
    /// The last value read of each item, so that all parts of a long read are from one value.
    var snapshots: [ProvisioningTable.Item: [UInt8]] = [:]
    var lastError = ""
}

/// The connected centrals, up to a limit.
struct PhoneList {
    private var phones: [Phone] = []

    /// Changes the memory of a central, which is new or known. Removes centrals that are gone.
    ///
    /// - Returns: the result of `body`, and the central's former identity if it has changed.
    mutating func with<Result>(
        _ central: CBCentral, identity: String, limit: Int, _ body: (inout Phone) -> Result
    ) -> (result: Result, former: String?) {
        phones.removeAll { $0.central == nil }
        var phone = Phone(central: central, identity: identity)
        var former: String?
        if let index = phones.firstIndex(where: { $0.central === central }) {
            phone = phones.remove(at: index)
            if phone.identity != identity {
                // The present phone must not see the former phone's reads.
                former = phone.identity
                phone = Phone(central: central, identity: identity)
            }
        }
        let result = body(&phone)
        // The least recently used phone is removed first.
        phones = phones.suffix(max(0, limit - 1)) + [phone]
        return (result, former)
    }

    func isConnected(_ identity: String) -> Bool {
        phones.contains { $0.identity == identity && $0.central != nil }
    }

    mutating func removeAll() { phones = [] }

    var count: Int { phones.count { $0.central != nil } }
}
