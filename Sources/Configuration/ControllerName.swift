// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// A value of `bluetooth.controller` or `--controller`.
package enum ControllerName: Equatable, Sendable {
    /// Simulated sensors inside the program.
    case virtual
    /// A controller that the Bluetooth host can open itself.
    case transport(String)

    package init?(_ text: String) {
        if text == "virtual" {
            self = .virtual
        } else if CBController.Transport(text) != nil {
            self = .transport(text)
        } else {
            return nil
        }
    }
}
