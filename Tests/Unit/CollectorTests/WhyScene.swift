// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import CoreBluetooth
import Foundation
import Platform
import StateFiles
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench
@testable import Platform

/// A collector among simulated sensors, for questions about them.
final class WhyScene {
    let radio = VirtualRadio(seed: 23)
    let lines = LogLines()
    let controller: CBController
    let collector: Collector
    private let folder: TestFolder

    init(
        _ rules: [SensorRule], silenceLimits: SilenceLimits = SilenceLimits(),
        liveness: LivenessLimits = LivenessLimits(), readsInformation: Bool = false,
        settings: ControllerSettings = ControllerSettings()
    ) throws {
        folder = try TestFolder()
        controller = CBController(
            transport: .descriptor(
                try radio.makeController(
                    address: DeviceAddress(kind: .public, value: 2), settings: settings)),
            stateDirectory: folder.path("state"), privacy: .off, liveness: liveness, files: DiskFileSystem(),
            logger: lines.logger)
        let outlet = CollectorOutlet(
            append: { _ in }, appendWhenDurable: { _, done in done(true) }, countGap: { _, _ in },
            setAvailability: { _, _ in }, identifier: { _ in nil }, keep: { _, _ in })
        collector = Collector(
            controller: controller, rules: rules, readsInformation: readsInformation, silenceLimits: silenceLimits,
            clock: SystemClock(requireSynchronization: false), time: DispatchTime.now, randomness: .system,
            outlet: outlet,
            logger: lines.logger)
        collector.start()
    }

    deinit {
        collector.stop(timeout: .seconds(2))
        controller.shutdown()
        radio.stop()
    }

    var log: String { lines.all.joined(separator: "\n") }

    static func rule(_ id: String?, name: String) -> SensorRule {
        var rule = SensorRule()
        (rule.id, rule.name) = (id, name)
        rule.subscribe = [.init(service: CounterService.service, characteristic: CounterService.value)]
        return rule
    }

    func add(_ name: String, at place: UInt64, dropEvery: Int? = nil, strength: Int8 = -60) -> AirNodeID {
        radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .public, value: 0xC0_0000_0000 + place), name: name, kind: .counter,
                rate: 40, dropEvery: dropEvery, advertisingInterval: .milliseconds(30), signalStrength: strength))
    }

    /// Temperature and humidity, with the sensor's oddities.
    @discardableResult
    func addEnvironment(_ name: String, at place: UInt64, _ oddities: Set<SensorOddity>) -> AirNodeID {
        var sensor = VirtualSensor.Configuration(
            address: DeviceAddress(kind: .public, value: 0xC0_0000_0000 + place), name: name, kind: .environment,
            rate: 20, advertisingInterval: .milliseconds(30))
        sensor.oddities = oddities
        return radio.addSensor(sensor)
    }

    func status(_ id: String) -> SensorStatus? { collector.status.sensors.first { $0.id == id } }

    /// The last number of the sensor's sequence.
    func sequence(of id: String) -> String? {
        collector.queue.sync { collector.linked.values.first { $0.device == id }?.plan.numbers }
    }

    func why(_ text: String) async -> SensorExplanation? { try? await answer(text)?.get() }

    func answer(_ text: String) async -> Result<SensorExplanation, SensorUnknown>? {
        await collector.explain(text, within: hangLimit)
    }

    /// Asks until `condition` holds.
    func why(_ text: String, when condition: (SensorExplanation) -> Bool) async -> SensorExplanation? {
        await firstAnswer(where: condition) { await why(text) }
    }
}
