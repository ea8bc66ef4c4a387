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

/// The step that puts a changed key into effect.
package enum ConfigurationEffect: String, Codable, CaseIterable, Comparable, Sendable {
    /// None: the value is used from now on.
    case live
    /// A new connection to the broker, made at once.
    case reconnect
    /// A restart of the gateway.
    case restart

    package static func < (left: Self, right: Self) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}

/// The configuration in use, as far as clients may see it.
package struct GatewaySettings: Codable, Equatable, Sendable {
    /// For people; the gateway advertises this name, too.
    package var name: String
    /// `<gw>` in topics.
    package var gateway: String
    package var host: String
    package var port: Int
    package var usesTLS: Bool
    package var username: String?
    package var hasPassword: Bool
    /// SHA-256 of the provisioned authority's certificates, as hexadecimal digits.
    package var authorityHash: String?
    /// Some layer names a broker: a person has set this gateway up.
    package var isProvisioned: Bool
    /// The network, kept with these settings.
    package var network: String?
    /// Home Assistant is told of the sensors.
    package var homeAssistant: Bool
    /// ``GatewayOperations/undo()`` can restore a former state.
    package var canUndo: Bool

    package init(
        name: String, gateway: String, host: String, port: Int, usesTLS: Bool, username: String?, hasPassword: Bool,
        authorityHash: String?, isProvisioned: Bool, network: String?, canUndo: Bool, homeAssistant: Bool = false
    ) {
        self.homeAssistant = homeAssistant
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
