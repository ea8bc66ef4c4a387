// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// The state of an adapter in the kernel. Asking changes nothing and needs no right.
package struct AdapterState: Equatable, Sendable {
    /// The kernel's own stack has powered the adapter on.
    package var isUp: Bool
    /// The kernel is setting the adapter up.
    package var isInSetup: Bool
    /// The kernel does not even know the adapter's address: the adapter is new, or its set-up has failed. The kernel
    /// does not try again. The adapter stays busy for every program until its driver lets it go (HCI_SETUP in
    /// net/bluetooth/hci_core.c).
    package var isUnfinished: Bool

    package init(isUp: Bool, isInSetup: Bool, isUnfinished: Bool = false) {
        (self.isUp, self.isInSetup, self.isUnfinished) = (isUp, isInSetup, isUnfinished)
    }

    /// Nil if the adapter does not exist, or the kernel gives no information.
    package init?(index: UInt16) {
        guard let information = AdapterHolder.deviceInformation(index: index) else { return nil }
        isUp = information.flags & 1 << UInt32(HCI_UP) != 0
        isInSetup = information.flags & 1 << UInt32(HCI_INIT) != 0
        let isNameless = withUnsafeBytes(of: information.bdaddr) { $0.allSatisfy { $0 == 0 } }
        isUnfinished = isNameless && !isUp && !isInSetup
    }

    /// Whether the kernel supports Bluetooth sockets; nil if the kernel refuses the question.
    package static var kernelKnowsBluetooth: Bool? {
        let descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor < 0 else {
            close(descriptor)
            return true
        }
        return errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT ? false : nil
    }
}
