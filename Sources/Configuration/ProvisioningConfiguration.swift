// SPDX-License-Identifier: Apache-2.0

/// How phones set the gateway up: the `[provisioning]` table.
package struct ProvisioningConfiguration: Equatable, Sendable {
    /// Whether the configuration service exists.
    package var isEnabled = true
    /// How long a button press, or `martlet provision open`, lets phones pair.
    package var window: Duration = .seconds(600)
    /// The kernel's input device of the button, like `/dev/input/by-path/platform-button-event`; nil for none.
    package var button: String?
    /// The LED of `/sys/class/leds` that `Identify` and failures blink; nil takes the board's own LED.
    package var led: String?
    /// Bonded phones find the gateway while the window is closed, too.
    package var admitsKnownPhones = true
    /// Whether the window also offers the Improv service. Clear text!
    package var offersImprov = false
    /// The socket of the network helper.
    package var networkSocket = "/run/martlet/network.sock"
    /// The network from ``GatewayOperations/keep(network:)``, kept in the file of the settings.
    package var network: String?

    package init() {}
}
