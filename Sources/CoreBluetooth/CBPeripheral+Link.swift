// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Synchronization

extension CBCentralManager {
    /// For the gateway: the peripheral with this address, heard or not.
    package func peripheral(atDevice address: DeviceAddress) -> CBPeripheral { peripheral(at: address) }
}

extension CBPeripheral {
    /// The number that the host's log gives the link; nil without one. It is never given to another link of the process.
    package var linkNumber: UInt32? { changing.withLock { $0.link?.rawValue } }

    /// For the gateway: the values that the peripheral sends of a characteristic are taken, though it has refused the
    /// subscription.
    package func takeValues(of characteristic: CBCharacteristic) { characteristic.expectValues() }
}
