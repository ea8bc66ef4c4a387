// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension VirtualSensor {
    /// A few believable sensors for a demonstration.
    package static let demonstration: [Configuration] = [
        configuration(
            0xC4_7C8D_00_11_01, "Fridge", .thermometer, rate: 0.5,
            .smooth(mean: 4.2, swing: 1.4, period: .seconds(240)), strength: -62),
        configuration(
            0xC4_7C8D_00_11_02, "Living room", .environment, rate: 1,
            .smooth(mean: 21.4, swing: 0.8, period: .seconds(600)), strength: -51),
        configuration(
            0xC4_7C8D_00_11_03, "Heart-rate strap", .heartRate, rate: 1,
            .smooth(mean: 74, swing: 14, period: .seconds(90)), strength: -70),
        configuration(
            0xC4_7C8D_00_11_04, "Greenhouse", .environment, rate: 2,
            .smooth(mean: 26.5, swing: 4.5, period: .seconds(300)), strength: -78),
        configuration(0xC4_7C8D_00_11_05, "Flow counter", .counter, rate: 5, .counting, strength: -66),
    ]

    private static func configuration(
        _ address: UInt64, _ name: String, _ kind: Kind, rate: Double, _ signal: Signal, strength: Int8
    ) -> Configuration {
        Configuration(
            address: DeviceAddress(kind: .random, value: address), name: name, kind: kind, rate: rate, signal: signal,
            signalStrength: strength)
    }
}
