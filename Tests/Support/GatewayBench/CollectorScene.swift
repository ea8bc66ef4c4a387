// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Platform
import Testing
import VirtualRadio

@testable import Collector
@testable import Platform

/// A collector without the rest of the gateway, and a sensor that accepts pairings.
final class CollectorScene {
    let radio = VirtualRadio(seed: 5)
    let sensor: PairingSensor
    let lines = LogLines()
    private let folder: TestFolder
    let controller: CBController
    let collector: Collector

    private static let gatewayAddress = DeviceAddress(kind: .public, value: 0x02_0000_0000_01)

    /// `passkey`: the sensor's passkey, which makes a passkey compulsory. `isPlain`: the sensor's values need no pairing.
    /// `facts`: the collector's persistent facts.
    init(
        _ rule: SensorRule, passkey: String?, isPlain: Bool = false, facts: LateFacts? = nil,
        silenceLimits: SilenceLimits = SilenceLimits()
    ) throws {
        folder = try TestFolder()
        var policy = CBPairingPolicy()
        policy.incoming = .open
        if let passkey {
            policy.requiresAuthentication = true
            policy.addressPasskeys[Self.gatewayAddress.description] = CBPasskey(passkey)
        } else {
            policy.capability = .none
        }
        sensor = try PairingSensor(
            on: radio, policy: policy, needs: passkey == nil ? [] : .authenticationRequired, isPlain: isPlain)
        let sensor = sensor
        let isReady = blockingEventually { sensor.isAdvertising }
        try #require(isReady)
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.gatewayAddress)),
            stateDirectory: folder.path("state"))
        let outlet = CollectorOutlet(
            append: { _ in }, appendWhenDurable: { _, done in done(true) }, countGap: { _, _ in },
            setAvailability: { _, _ in }, identifier: { facts?.value(for: $0) },
            keep: { facts?.keep($0, for: $1) },
            whenKnown: { body in if let facts { facts.whenKnown(body) } else { body() } })
        collector = Collector(
            controller: controller, rules: [rule], pairingPauses: .milliseconds(100)...(.milliseconds(200)),
            silenceLimits: silenceLimits, clock: SystemClock(requireSynchronization: false), time: DispatchTime.now,
            randomness: .system,
            outlet: outlet,
            logger: lines.logger)
        collector.start()
    }

    deinit {
        collector.stop(timeout: .seconds(2))
        controller.shutdown()
        radio.stop()
    }

    var status: SensorStatus? { collector.status.sensors.first { $0.id == "thermo" } }
    var log: String { lines.all.joined(separator: "\n") }
}
