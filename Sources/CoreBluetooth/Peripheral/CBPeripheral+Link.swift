// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Synchronization

extension CBCentralManager {
    /// For the gateway: the peripheral with this address, heard or not.
    package func peripheral(atDevice address: DeviceAddress) -> CBPeripheral { peripheral(at: address) }
}

extension CBPeripheral {
    /// The link's number in the host's log; nil without a link. The process never uses the number for another link.
    package var linkNumber: UInt32? { changing.withLock { $0.link?.rawValue } }

    /// For the gateway: accepts the peripheral's values of a characteristic although the peripheral has refused the
    /// subscription.
    package func expectValues(of characteristic: CBCharacteristic) { characteristic.expectValues() }
}
