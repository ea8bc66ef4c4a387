// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

extension CBPeripheral {
    /// The number that the host's log gives the link; nil without one. It is never given to another link of the process.
    package var linkNumber: UInt32? { changing.withLock { $0.link?.rawValue } }
}
