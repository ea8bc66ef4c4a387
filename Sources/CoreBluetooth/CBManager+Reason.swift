// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

extension CBManager {
    /// Additive: the cause of ``state`` and the remedy, in words for people: «hci0 is busy: bluetoothd has it powered
    /// on. Run …».
    public var stateReason: String {
        if client != nil { return controller.statusDescription }
        return controller.isEnded
            ? "the controller was shut down; make a new one"
            : "\(BluetoothHost.clientLimit) managers use the controller already; let go of one, and make this one again"
    }
}
