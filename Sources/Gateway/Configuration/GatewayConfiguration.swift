// SPDX-License-Identifier: Apache-2.0

import Collector
import Journal
import MQTT
import Platform
import Publisher

/// Everything a gateway needs to know, validated: what a person writes into martlet.toml.
package struct GatewayConfiguration: Equatable, Sendable {
    package struct Bluetooth: Equatable, Sendable {
        package var controller = "hci0"
        package var stateDirectory = "/var/lib/martlet"
        package var privacy = Privacy.advertising
        package var capture: String?
        package var flightRecorderKiB = 512
        package var recoverUpTo = RecoveryLimit.process

        package init() {}
    }

    /// When the gateway is on the air with addresses that change.
    package enum Privacy: String, Sendable {
        case off, advertising, always
    }

    /// The strongest step that is taken against a radio that does not do its work.
    package enum RecoveryLimit: String, Sendable {
        case reopen, power, rebind, process, reboot
    }

    /// What the `[mqtt.tls]` table says, before it is known whether TLS is wanted at all.
    package struct TLS: Equatable, Sendable {
        package var isEnabled = false
        package var options = MQTTConfiguration.TLS()
    }

    /// The `<gw>` of topics and payloads.
    package var gateway: String
    /// For people; nil: as `gateway`.
    package var name: String?
    package var bluetooth = Bluetooth()
    package var journal = JournalConfiguration(path: "/var/lib/martlet/journal.db")
    /// Complete: with the password that was read and the TLS options, if TLS is enabled.
    package var mqtt = MQTTConfiguration()
    package var passwordFile: String?
    package var tls = TLS()
    package var clock = ClockConfiguration()
    /// How long an indicated value may wait for the disk before it is left unconfirmed. ATT's own limit is 30 s.
    package var confirmationLimit: Duration = .seconds(20)
    package var controlSocket = "/run/martlet/control.sock"
    package var security = SensorSecurity()
    package var provisioning = ProvisioningConfiguration()
    package var page = PageConfiguration()
    package var update = UpdateConfiguration()
    package var sensors: [SensorRule] = []
    /// What is no mistake, but not in order either; in sentences.
    package var warnings: [String] = []
    /// Some layer names a broker: somebody has set this gateway up.
    package var isProvisioned = false
    /// The configuration itself names the gateway.
    package var isNamed = false
    /// Sensors of the gateway's own file that are not taken, and why, in sentences that are warnings, too.
    package var leftOut: [String] = []
    /// What is not in order with the file that the gateway writes itself; in sentences, which are warnings, too.
    package var layerProblems: [String] = []

    package init(gateway: String) { self.gateway = gateway }

    /// What people see.
    package var displayName: String { name ?? gateway }
}
