// SPDX-License-Identifier: Apache-2.0

import Gateway
import Operations

/// Functions of the program for the page, in addition to ``GatewayOperations``; nil for an absent function.
package struct PageExtras: Sendable {
    /// The window in which phones set the gateway up.
    package struct Window: Sendable {
        package struct State: Codable, Equatable, Sendable {
            package var open: Bool
            package var secondsLeft: Int?

            package init(open: Bool, secondsLeft: Int?) { (self.open, self.secondsLeft) = (open, secondsLeft) }
        }

        package var state: @Sendable () async -> State
        /// The label with the passkey, as SVG.
        package var label: @Sendable () async throws(OperationError) -> [UInt8]

        package init(
            state: @escaping @Sendable () async -> State,
            label: @escaping @Sendable () async throws(OperationError) -> [UInt8]
        ) {
            (self.state, self.label) = (state, label)
        }
    }

    package var window: Window?

    package init(window: Window? = nil) { self.window = window }
}
