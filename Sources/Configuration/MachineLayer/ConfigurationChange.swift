// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Publisher

/// A client's change of the machine's layer of the configuration.
package struct ConfigurationChange: Equatable, Sendable {
    /// The new value of a key; nil removes the key from the layer, so the value of the layers below holds again.
    package enum Value: Equatable, Sendable {
        case text(String)
        case integer(Int)
        case flag(Bool)
        /// A secret text, never printed.
        case secret(Secret)
    }

    /// By path, `["mqtt", "host"]`.
    package var values: [[String]: Value?] = [:]
    /// The authority's certificates for the broker, in PEM; nil leaves them, empty removes them.
    package var authority: [UInt8]?

    package init() {}

    package var isEmpty: Bool { values.isEmpty && authority == nil }

    static let discoveryPath = ["home_assistant", "discovery"]

    /// Switches the messages to Home Assistant on, in the form for its present versions, or off.
    package mutating func setHomeAssistant(_ isTold: Bool) {
        values[Self.discoveryPath] = .some(
            .text((isTold ? HomeAssistantConfiguration.Discovery.device : .off).rawValue))
    }
}
