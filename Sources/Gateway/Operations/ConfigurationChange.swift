// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What a client wants to have otherwise in the machine's layer of the configuration.
package struct ConfigurationChange: Equatable, Sendable {
    /// What is written for a key; nil removes it from the layer, so that what the layers below say holds again.
    package enum Value: Equatable, Sendable {
        case text(String)
        case integer(Int)
        case flag(Bool)
        /// Text that nobody may see. Prints without it.
        case secret(Secret)
    }

    /// By path, `["mqtt", "host"]`.
    package var values: [[String]: Value?] = [:]
    /// The authority's certificates for the broker, in PEM; nil leaves them, empty removes them.
    package var authority: [UInt8]?

    package init() {}

    package var isEmpty: Bool { values.isEmpty && authority == nil }
}

/// What a changed key needs to take effect.
package enum ConfigurationEffect: String, Codable, CaseIterable, Comparable, Sendable {
    /// Nothing: it is used from now on.
    case live
    /// A new connection to the broker, which is made at once.
    case reconnect
    /// A restart of the gateway.
    case restart

    package static func < (left: Self, right: Self) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}

/// What a client may know of the configuration in use.
package struct GatewaySettings: Codable, Equatable, Sendable {
    /// For people; also what the gateway advertises.
    package var name: String
    /// `<gw>` in topics.
    package var gateway: String
    package var host: String
    package var port: Int
    package var usesTLS: Bool
    package var username: String?
    package var hasPassword: Bool
    /// SHA-256 of the authority's certificates that were provisioned, as hexadecimal digits.
    package var authorityHash: String?
    /// A broker is named somewhere: somebody has set this gateway up.
    package var isProvisioned: Bool
    /// The network that was kept with these settings.
    package var network: String?
    /// There is something to go back to.
    package var canUndo: Bool

    package init(
        name: String, gateway: String, host: String, port: Int, usesTLS: Bool, username: String?, hasPassword: Bool,
        authorityHash: String?, isProvisioned: Bool, network: String?, canUndo: Bool
    ) {
        self.name = name
        self.gateway = gateway
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
        self.username = username
        self.hasPassword = hasPassword
        self.authorityHash = authorityHash
        self.isProvisioned = isProvisioned
        self.network = network
        self.canUndo = canUndo
    }
}
