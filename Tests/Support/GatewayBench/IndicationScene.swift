// SPDX-License-Identifier: Apache-2.0

import Dispatch
import BluetoothCore
import CoreBluetooth
import Logging
import Platform
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import Platform
@testable import Readings

/// The target of a collector's readings; it reports them durable when the test says so.
final class SlowDisk: Sendable {
    private struct State {
        var values: [[UInt8]] = []
        var sources: [Reading.Source] = []
        var callbacks: [@Sendable (Bool) -> Void] = []
        var gaps: [String: Int] = [:]
        var facts: [String: String] = [:]
    }

    private let state = Mutex(State())

    var values: [[UInt8]] { state.withLock { $0.values } }
    var sources: [Reading.Source] { state.withLock { $0.sources } }
    var gaps: [String: Int] { state.withLock { $0.gaps } }
    /// Indicated readings.
    var asked: Int { state.withLock { $0.callbacks.count } }

    func answer(_ index: Int, _ isDurable: Bool) { state.withLock { $0.callbacks[index] }(isDurable) }

    func fact(_ key: String) -> String? { state.withLock { $0.facts[key] } }
    func keep(_ fact: String, _ key: String) { state.withLock { $0.facts[key] = fact } }

    private func record(_ readings: [Reading], _ callback: (@Sendable (Bool) -> Void)? = nil) {
        state.withLock { state in
            state.values += readings.map(\.value)
            state.sources += readings.map(\.source)
            if let callback { state.callbacks.append(callback) }
        }
    }

    var outlet: CollectorOutlet {
        CollectorOutlet(
            append: { [self] in record($0) }, appendWhenDurable: { [self] in record($0, $1) },
            countGap: { [self] device, missing in state.withLock { $0.gaps[device, default: 0] += missing } },
            setAvailability: { _, _ in }, identifier: { [self] in fact($0) }, keep: { [self] in keep($0, $1) })
    }
}

/// Counts the readings of another sensor on the same radio as a measure of time.
private final class Ruler: Sendable {
    static let device = "ruler"
    private let values = Mutex(0)

    var count: Int { values.withLock { $0 } }

    /// Takes the ruler's readings out of a collector's output.
    func measuring(_ outlet: CollectorOutlet) -> CollectorOutlet {
        var measured = outlet
        measured.append = { [self] readings in
            let others = readings.filter { $0.device != Self.device }
            values.withLock { $0 += readings.count - others.count }
            if !others.isEmpty { outlet.append(others) }
        }
        return measured
    }
}

/// A collector with one simulated sensor that sends up to fifty values a second by indication, and a second sensor without that limit.
final class IndicationScene {
    let radio = VirtualRadio(seed: 7)
    let sensor: AirNodeID
    private let ruler = Ruler()
    let collector: Collector
    private let folder: TestFolder
    private let controller: CBController

    init(
        _ kind: VirtualSensor.Kind = .thermometer, limit: Duration = .seconds(20), outlet: CollectorOutlet,
        _ change: (inout SensorRule) -> Void = { _ in }
    ) throws {
        folder = try TestFolder()
        sensor = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor", kind: kind, rate: 50,
                advertisingInterval: .milliseconds(30)))
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0002), name: "Ruler", kind: .counter, rate: 50,
                advertisingInterval: .milliseconds(30)))
        controller = CBController(
            transport: .descriptor(
                try radio.makeController(address: DeviceAddress(kind: .public, value: 0x02_0000_0000_01))),
            stateDirectory: folder.path("state"))
        var rule = SensorRule()
        rule.id = "one"
        rule.name = "Sensor"
        let value = kind == .counter ? CounterService.value : BluetoothUUID(0x2A1C as UInt16)
        rule.subscribe = [SensorRule.Feed(service: kind.service, characteristic: value)]
        change(&rule)
        var other = SensorRule()
        other.id = Ruler.device
        other.name = "Ruler"
        other.subscribe = [
            SensorRule.Feed(service: CounterService.service, characteristic: CounterService.value)
        ]
        collector = Collector(
            controller: controller, rules: [rule, other], confirmationLimit: limit,
            clock: SystemClock(requireSynchronization: false), time: DispatchTime.now, randomness: .system,
            outlet: ruler.measuring(outlet),
            logger: Logger(label: "test") { _ in
                SwiftLogNoOpLogHandler()
            })
        collector.start()
    }

    deinit {
        collector.stop(timeout: .seconds(2))
        controller.shutdown()
        radio.stop()
    }

    var status: SensorStatus? { collector.status.sensors.first { $0.id == "one" } }
    /// The sensor's values so far.
    var sent: [[UInt8]] { radio.ledger(of: sensor)?.entries.map(\.value) ?? [] }
    /// Waits for the time of ten values, and for the arrival of all earlier values.
    func wait() throws {
        let count = ruler.count
        let goesOn = blockingEventually { ruler.count >= count + 10 }
        try #require(goesOn)
    }
}
