// SPDX-License-Identifier: Apache-2.0

import Collector
import Journal
import MQTT
import Platform
import Publisher

/// The complete configuration of a gateway, validated; its source is martlet.toml.
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

    /// When the gateway's addresses on the air change.
    package enum Privacy: String, Sendable {
        case off, advertising, always
    }

    /// The strongest step against a radio that does not work.
    package enum RecoveryLimit: String, Sendable {
        case reopen, power, rebind, process, reboot
    }

    /// The `[mqtt.tls]` table. ``isEnabled`` decides whether the options are used.
    package struct TLS: Equatable, Sendable {
        package var isEnabled = false
        package var options = MQTTConfiguration.TLS()
    }

    /// The `<gw>` of topics and payloads.
    package var gateway: String
    /// For people; nil: `gateway` is the name.
    package var name: String?
    /// The gateway's site, a label of metrics; nil: no label.
    package var site: String?
    package var bluetooth = Bluetooth()
    package var journal = JournalConfiguration(path: "/var/lib/martlet/journal.db")
    /// Complete: with the password from its file, and with the TLS options if TLS is enabled.
    package var mqtt = MQTTConfiguration()
    package var passwordFile: String?
    package var tls = TLS()
    package var clock = ClockConfiguration()
    /// The longest wait of an indicated value for the disk; then the value stays unconfirmed. ATT's own limit is 30 s.
    package var confirmationLimit: Duration = .seconds(20)
    package var controlSocket = "/run/martlet/control.sock"
    package var security = SensorSecurity()
    package var provisioning = ProvisioningConfiguration()
    package var page = PageConfiguration()
    package var update = UpdateConfiguration()
    /// Complete: with the secrets from their files.
    package var webhook = WebhookConfiguration()
    package var sensors: [SensorRule] = []
    /// Faults that are no mistakes; in sentences.
    package var warnings: [String] = []
    /// Some layer names a broker: a person has set this gateway up.
    package var isProvisioned = false
    /// The configuration names the gateway.
    package var isNamed = false
    /// Sensors of the gateway's own file that are left out, and why. Each sentence is a warning, too.
    package var leftOut: [String] = []
    /// Problems of the gateway's own file. Each sentence is a warning, too.
    package var layerProblems: [String] = []
    /// The gateway on the original of this copied card; nil for no copy, and when the operator has told them apart. The sentence is a
    /// warning, too.
    package var copiedFrom: String?

    package init(gateway: String) { self.gateway = gateway }

    /// The name that people see.
    package var displayName: String { name ?? gateway }
}
