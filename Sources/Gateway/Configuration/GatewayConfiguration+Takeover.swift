// SPDX-License-Identifier: Apache-2.0

import Publisher

extension GatewayConfiguration {
    /// What a running gateway does to use another configuration.
    struct Takeover: Equatable, Sendable {
        /// What it then runs with: everything but the keys that need a restart.
        var merged: GatewayConfiguration
        /// The changed keys that need a restart, like `journal.path`.
        var waiting: [String] = []
        var reconnects: Bool
        var changesSensors: Bool
    }

    func takeover(of new: GatewayConfiguration) -> Takeover {
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
        // With what was made of several keys, and of files: the password, the options of TLS.
        merged.mqtt = new.mqtt
        merged.sensors = new.sensors
        merged.warnings = new.warnings
        merged.isProvisioned = new.isProvisioned
        merged.leftOut = new.leftOut
        merged.layerProblems = new.layerProblems
        return Takeover(
            merged: merged, waiting: waiting, reconnects: new.mqtt != mqtt,
            changesSensors: new.sensors != sensors || new.security != security
                || new.mqtt.namesMakers != mqtt.namesMakers)
    }
}
