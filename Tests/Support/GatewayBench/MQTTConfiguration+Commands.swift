// SPDX-License-Identifier: Apache-2.0

import Gateway
import Operations
import Publisher

extension MQTTConfiguration {
    /// Allows commands over MQTT as a gateway does: Home Assistant gets the controls of the table of operations.
    mutating func allow(_ commands: [String]) {
        allowedCommands = commands
        controls = OperationTable.controls
    }
}
