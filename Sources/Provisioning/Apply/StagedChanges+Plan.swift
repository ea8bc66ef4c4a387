// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Gateway
import Operations

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

    private var change: ConfigurationChange {
        var settings = OperationTable.Settings()
        (settings.name, settings.host, settings.port) = (name, broker.host, broker.port)
        (settings.username, settings.password) = (broker.username, broker.password?.revealed)
        (settings.usesTls, settings.homeAssistant) = (broker.usesTLS, broker.homeAssistant)
        var change = settings.change
        change.authority = authority?.data
        return change
    }
}
