// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// How the kernel has an adapter. Asking changes nothing and needs no right.
package struct AdapterState: Equatable, Sendable {
    /// The kernel's own stack has it powered on.
    package var isUp: Bool
    /// The kernel is setting it up.
    package var isInSetup: Bool
    /// The kernel knows nothing of it, not even its address: it was just found, or its set-up has failed. The kernel does not try
    /// again, and gives it to nobody: it stays busy until its driver lets it go (HCI_SETUP in net/bluetooth/hci_core.c).
    package var isUnfinished: Bool

    package init(isUp: Bool, isInSetup: Bool, isUnfinished: Bool = false) {
        (self.isUp, self.isInSetup, self.isUnfinished) = (isUp, isInSetup, isUnfinished)
    }

    /// Nil where there is no such adapter, or the kernel does not tell.
    package init?(index: UInt16) {
        guard let information = AdapterHolder.deviceInformation(index: index) else { return nil }
        isUp = information.flags & 1 << UInt32(HCI_UP) != 0
        isInSetup = information.flags & 1 << UInt32(HCI_INIT) != 0
        let isNameless = withUnsafeBytes(of: information.bdaddr) { $0.allSatisfy { $0 == 0 } }
        isUnfinished = isNameless && !isUp && !isInSetup
    }

    /// Whether the kernel knows Bluetooth sockets; nil where it does not let us ask.
    package static var kernelKnowsBluetooth: Bool? {
        let descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor < 0 else {
            close(descriptor)
            return true
        }
        return errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT ? false : nil
    }
}
