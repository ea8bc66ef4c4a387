// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Gateway

/// What is kept for a connected central.
struct Phone {
    /// Not held: the manager lets go of it when it is gone.
    weak var central: CBCentral?
    /// Its identity address once it is bonded, as on its next connections; else what stands for this connection.
    var identity: String
    /// It was looked up whether this identity is that of a sensor.
    var isAdmitted = false
    /// What it read last of each value, so that the parts of a long read are of one value.
    var snapshots: [ProvisioningTable.Item: [UInt8]] = [:]
    var lastError = ""
}

/// The centrals that are there, a few at most.
struct PhoneList {
    private var phones: [Phone] = []

    /// Changes what is kept for a central, which is new, or known with `identity`. Those that are gone are forgotten.
    ///
    /// - Returns: what `body` gives, and the identity that it had before, where that is another one.
    mutating func with<Result>(
        _ central: CBCentral, identity: String, limit: Int, _ body: (inout Phone) -> Result
    ) -> (result: Result, former: String?) {
        phones.removeAll { $0.central == nil }
        var phone = Phone(central: central, identity: identity)
        var former: String?
        if let index = phones.firstIndex(where: { $0.central === central }) {
            phone = phones.remove(at: index)
            if phone.identity != identity {
                // The phone of now may not be shown what the former one read.
                former = phone.identity
                phone = Phone(central: central, identity: identity)
            }
        }
        let result = body(&phone)
        // The one that was used last is the last to go.
        phones = phones.suffix(max(0, limit - 1)) + [phone]
        return (result, former)
    }

    func isConnected(_ identity: String) -> Bool {
        phones.contains { $0.identity == identity && $0.central != nil }
    }

    mutating func removeAll() { phones = [] }

    var count: Int { phones.count { $0.central != nil } }
}
