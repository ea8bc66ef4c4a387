// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Publisher

/// The settings of a simulation.
package struct SimulationPlan: Sendable {
    /// Broker, user, TLS, topics, window and keep-alive, equal for every gateway.
    package var mqtt: MQTTConfiguration
    /// The number of gateways.
    package var gateways: Int
    /// The number of the first gateway, so that several machines can share the work: 1 is `sim-000001`.
    package var first = 1
    /// Sensors of each gateway, 1…1,000.
    package var sensors = 10
    /// Time from one reading of a sensor to its next reading, more than 0.
    package var interval: Duration = .seconds(60)
    /// Gateways that connect in a second, at the beginning.
    package var ramp = 100
    /// Equal seeds give equal values and moments.
    package var seed: UInt64 = 1
    /// False leaves the retained messages at the broker.
    package var clears = true
    /// How long the end waits for a broker that acknowledges nothing.
    package var drainTime: Duration = .seconds(10)

    package init(_ mqtt: MQTTConfiguration, gateways: Int) {
        self.mqtt = mqtt
        self.gateways = gateways
        // A load test leaves no sessions behind.
        self.mqtt.sessionExpirySeconds = 0
    }

    /// Time from one reading of a gateway to its next reading.
    var gap: Duration { max(interval / sensors, .nanoseconds(1)) }

    /// Readings a second of all gateways together, as planned.
    package var rate: Double { Double(gateways) * Double(sensors) / max(interval / .seconds(1), 1e-9) }

    /// When the last gateway begins to connect, counted from the start.
    package var rampTime: Duration { .seconds(1) * (Double(gateways) / Double(ramp)) }
}

/// A gateway's place in the simulation, and the names that follow from the place. No two gateways share a sensor.
struct SimulatedIdentity: Equatable, Sendable {
    /// 1…999,999.
    let number: Int

    /// `sim-000001`.
    var gateway: String { "sim-\(Self.padded(number, 6))" }
    var clientID: String { "martlet-\(gateway)" }

    /// The `<dev>` of a sensor: a static random address that no device has, made of the gateway's number and the
    /// sensor's number.
    ///
    /// - Parameter sensor: From 0.
    func device(_ sensor: Int) -> String {
        let value = 0xF5_0000_000000 as UInt64 | UInt64(number & 0xFF_FFFF) << 16 | UInt64(sensor & 0xFFFF)
        return Self.padded(value, 12, radix: 16)
    }

    /// The name of a sensor.
    func name(of sensor: Int) -> String { "Simulated \(sensor + 1)" }

    /// The boot id of the gateway, 8 hexadecimal digits.
    func boot(seed: UInt64) -> String {
        Self.padded(SeededNumbers(seed: seed)[UInt64(number), 0] >> 32, 8, radix: 16)
    }

    private static func padded(_ number: some BinaryInteger, _ count: Int, radix: Int = 10) -> String {
        let digits = String(number, radix: radix)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
}

/// Numbers that look random and follow from a seed and a place: they need no memory to come again.
struct SeededNumbers: Sendable {
    let seed: UInt64

    subscript(_ first: UInt64, _ second: UInt64) -> UInt64 { Self.mix(Self.mix(seed &+ first) &+ second) }

    /// The finalizer of SplitMix64.
    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
