// SPDX-License-Identifier: Apache-2.0

import Publisher

extension GatewayConfiguration {
    /// The actions of a running gateway that takes a new configuration.
    package struct Takeover: Equatable, Sendable {
        /// The configuration to run with: the new configuration without the keys that need a restart.
        package var merged: GatewayConfiguration
        /// Changed keys that need a restart, like `journal.path`.
        package var waiting: [String] = []
        package var reconnects: Bool
        package var changesSensors: Bool
    }

    package func takeover(of new: GatewayConfiguration) -> Takeover {
        var merged = self
        var waiting: [String] = []
        for section in Self.sections {
            for key in section.keys where !key.isSame(self, new) {
                if key.effect == .restart {
                    waiting.append("\(section.name).\(key.name)")
                } else {
                    key.copy(new, &merged)
                }
            }
        }
        // These values are made of several keys and of files, such as the password and the TLS options.
        merged.mqtt = new.mqtt
        merged.sensors = new.sensors
        merged.webhook = new.webhook
        merged.warnings = new.warnings
        merged.isProvisioned = new.isProvisioned
        merged.leftOut = new.leftOut
        merged.layerProblems = new.layerProblems
        merged.copiedFrom = new.copiedFrom
        return Takeover(
            merged: merged, waiting: waiting, reconnects: new.mqtt != mqtt,
            changesSensors: new.sensors != sensors || new.security != security
                || new.mqtt.namesMakers != mqtt.namesMakers)
    }
}
