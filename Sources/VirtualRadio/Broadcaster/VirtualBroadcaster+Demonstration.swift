// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension VirtualBroadcaster {
    /// Three advertising sensors for a demonstration: the name that people use, and the model.
    package static let demonstration: [(name: String, model: SimulatedFamily, configuration: Configuration)] = [
        ("Kitchen", .bthome, SimulatedFamily.bthome.configuration(at: 0xA4_C138_00_11_21, signalStrength: -58)),
        ("Sauna", .ruuvi, SimulatedFamily.ruuvi.configuration(at: 0xCB_B833_00_11_22, signalStrength: -71)),
        ("Cellar", .atc, SimulatedFamily.atc.configuration(at: 0xA4_C138_00_11_23, signalStrength: -83)),
    ]
}
