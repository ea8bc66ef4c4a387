// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Gateway
import NetworkControl

/// The actions for the staged changes. Holds secrets, prints none.
package struct ApplyPlan: Equatable, Sendable {
    package var country: String?
    package var wireless: StagedChanges.Wireless?
    package var change: ConfigurationChange
    /// The way to the broker may change, and a broker is named.
    package var checksBroker: Bool

    package init(
        country: String? = nil, wireless: StagedChanges.Wireless? = nil,
        change: ConfigurationChange = ConfigurationChange(), checksBroker: Bool = false
    ) {
        self.country = country
        self.wireless = wireless
        self.change = change
        self.checksBroker = checksBroker
    }
}

extension StagedChanges {
    /// The plan for the changes in a gateway with these settings; throws if the changes do not fit together. The first
    /// step of applying, the gateway's own check, decides whether a stored password may go the new way.
    package func plan(for settings: GatewaySettings) throws(WriteRefusal) -> ApplyPlan {
        if let authority, !authority.isComplete {
            throw WriteRefusal(
                .notValid,
                "The CA certificate has \(authority.data.count) of \(authority.size) octets so far: write the rest.")
        }
        let changesBroker = !broker.isEmpty || authority != nil
        let isProvisioned = settings.isProvisioned || broker.host != nil
        return ApplyPlan(
            country: country, wireless: wireless, change: change,
            checksBroker: isProvisioned && (changesBroker || wireless != nil))
    }

    /// The change, by the keys of the machine's layer.
    private var change: ConfigurationChange {
        var change = ConfigurationChange()
        if let name { change.values[["gateway", "name"]] = .some(.text(name)) }
        if let host = broker.host { change.values[["mqtt", "host"]] = .some(.text(host)) }
        if let port = broker.port { change.values[["mqtt", "port"]] = .some(.integer(port)) }
        if let homeAssistant = broker.homeAssistant { change.setHomeAssistant(homeAssistant) }
        if let usesTLS = broker.usesTLS { change.values[["mqtt", "tls", "enabled"]] = .some(.flag(usesTLS)) }
        if let username = broker.username {
            change.values.updateValue(username.isEmpty ? nil : .text(username), forKey: ["mqtt", "username"])
        }
        if let password = broker.password {
            change.values.updateValue(
                password.revealed.isEmpty ? nil : .secret(password), forKey: ["mqtt", "password"])
        }
        change.authority = authority?.data
        return change
    }
}
