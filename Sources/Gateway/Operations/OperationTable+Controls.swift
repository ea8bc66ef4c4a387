// SPDX-License-Identifier: Apache-2.0

import Operations
import Publisher

extension OperationTable {
    /// The rows that Home Assistant shows with the gateway. A button that starts the gateway anew is a matter of its configuration.
    package static let controls: [GatewayControl] = rows.compactMap { row in
        row.control.map { control in
            GatewayControl(
                verb: row.name.rawValue, kind: control.kind == .button ? .button : .update, request: control.request,
                category: control.kind == .button && row.effect > .looks ? "config" : "diagnostic")
        }
    }
}
