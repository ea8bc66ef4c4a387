// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A service to publish with ``CBPeripheralManager/add(_:)``. Later changes to the object have no effect on the
/// published service.
open class CBMutableService: CBService, @unchecked Sendable {
    // Sound: what changes is behind a Mutex, here or in the superclass.

    /// A service without characteristics yet.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(local: UUID, isPrimary: isPrimary)
    }

    /// Each has to be published before.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { super.includedServices = newValue }
    }

    /// Its characteristics, in their order in the database.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            for characteristic in super.characteristics ?? [] { characteristic.setService(nil) }
            for characteristic in newValue ?? [] { characteristic.setService(self) }
            super.characteristics = newValue
        }
    }
}
