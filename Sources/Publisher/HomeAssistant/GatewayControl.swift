// SPDX-License-Identifier: Apache-2.0

/// An entity of the gateway in Home Assistant that asks for an operation. The rows of the table of operations describe it.
package struct GatewayControl: Equatable, Sendable {
    package enum Kind: Sendable {
        /// Home Assistant's button. The operation's name is Home Assistant's device class, too.
        case button
        /// Home Assistant's entity for updates, which also shows their state. The operation's name is the platform.
        case update
    }

    /// The operation's name.
    package var verb: String
    package var kind: Kind
    /// A JSON object: the arguments of the request.
    package var request: String
    /// `config` for a control that changes the gateway, or `diagnostic`.
    package var category: String

    package init(verb: String, kind: Kind, request: String, category: String) {
        (self.verb, self.kind, self.request, self.category) = (verb, kind, request, category)
    }
}
