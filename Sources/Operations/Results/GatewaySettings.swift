// SPDX-License-Identifier: Apache-2.0

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
    /// The operation `settings-undo` can restore a former state.
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
