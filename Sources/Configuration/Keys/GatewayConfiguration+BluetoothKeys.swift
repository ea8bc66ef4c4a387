// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The keys of `[bluetooth]`.
extension GatewayConfiguration {
    static let bluetoothSection = ConfigurationSection<GatewayConfiguration>(
        path: ["bluetooth"], help: "The Bluetooth controller.", effect: .restart,
        keys: [
            .text(
                "controller", \.bluetooth.controller, check: controllerComplaint,
                "`hci0`, `unix:PATH`, `tcp:HOST:PORT`, `serial:DEVICE,BAUD`, or `virtual` for simulated sensors."),
            .text(
                "state_directory", \.bluetooth.stateDirectory, check: pathComplaint,
                "The folder for the host's identifiers and knowledge of sensors, and for the gateway's name."
            ),
            .choice(
                "privacy", \.bluetooth.privacy, [.off, .advertising, .always],
                "When the gateway hides its own address behind one that changes every 15 minutes: never, while it "
                    + "advertises for bonded phones, or `\"always\"`, for sensors that let in whoever is bonded, "
                    + "not an address."),
            .choice(
                "recover_up_to", \.bluetooth.recoverUpTo, [.reopen, .power, .rebind, .process, .reboot],
                "The strongest step against a radio that does not do its work: `\"reopen\"` closes and opens the "
                    + "controller, `\"power\"` takes its power, `\"rebind\"` its driver, `\"process\"` restarts the "
                    + "gateway, `\"reboot\"` the machine. See [Reliability](reliability.md)."),
            .integer(
                "flight_recorder_kib", \.bluetooth.flightRecorderKiB, 0...16_384,
                "Memory for the newest HCI packets, keys left out: what went before a fault of the radio is kept, and goes into "
                    + "a support bundle. 0 keeps nothing; 128 is the least that is taken otherwise."),
            .text(
                "capture", \.bluetooth.capture, check: pathComplaint,
                "Write every HCI packet to this file, in the btsnoop format; keys are redacted."),
        ])
}
