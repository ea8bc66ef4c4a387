// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// What `bluetooth.controller` and `--controller` may name.
package enum ControllerName: Equatable, Sendable {
    /// Simulated sensors inside the program.
    case virtual
    /// What the Bluetooth host can open by itself.
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
