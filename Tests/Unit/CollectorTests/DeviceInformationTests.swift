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
@testable import GatewayBench
@testable import Platform
@testable import Readings

/// Sensors' own descriptions of their make.
@Suite("Device information", .serialized, .ownThread)
struct DeviceInformationTests {
    @Test(
        "a text is taken without padding and control characters, and no longer than is good for every message",
        arguments: [
            ("Xiaomi", "Xiaomi"), ("Mi\u{0}\u{0}", "Mi"), (" a b\n", "a b"), ("", nil), ("\u{0}x", nil), (" ", nil),
            (String(repeating: "x", count: 200), String(repeating: "x", count: 64)),
        ] as [(String, String?)])
    func texts(text: String, expected: String?) throws {
        let (manufacturer, model) = (DeviceInformation.feeds[0], DeviceInformation.feeds[1])
        var information = DeviceInformation()
        information.record(Array(text.utf8), of: manufacturer)
        #expect(information.manufacturer == expected && information.model == nil && !information.isComplete)
        information.record(Array("M".utf8), of: model)
        #expect(information.model == "M" && information.isComplete == (expected != nil))
        // An empty value removes nothing.
        information.record(
            [0x41], of: SensorRule.Feed(service: manufacturer.service, characteristic: .init(0x2A25 as UInt16)))
        information.record([], of: model)
        #expect(information.model == "M")
    }

    private final class Findings: Sendable {
        let descriptions = Mutex<[SensorDescription]>([])
        let readings = Mutex<[Reading]>([])
    }

    @Test("device information is read when values flow, and reported; it is no reading, and optional")
    func collected() throws {
        for wants in [true, false] {
            let folder = try TestFolder()
            let radio = VirtualRadio(seed: 7)
            defer { radio.stop() }
            _ = radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor", kind: .environment,
                    rate: 50, advertisingInterval: .milliseconds(30)))
            let controller = CBController(
                transport: .descriptor(
                    try radio.makeController(address: DeviceAddress(kind: .public, value: 0x02_0000_0000_01))),
                stateDirectory: folder.path("state"))
            defer { controller.shutdown() }
            var rule = SensorRule()
            rule.id = "one"
            rule.name = "Sensor"
            rule.subscribe = [
                SensorRule.Feed(service: .init(0x181A as UInt16), characteristic: .init(0x2A6E as UInt16))
            ]
            let findings = Findings()
            let outlet = CollectorOutlet(
                append: { readings in findings.readings.withLock { $0 += readings } },
                appendWhenDurable: { _, done in done(true) }, countGap: { _, _ in }, setAvailability: { _, _ in },
                sensors: SensorTable { _, description in findings.descriptions.withLock { $0.append(description) } },
                identifier: { _ in nil }, keep: { _, _ in })
            let collector = Collector(
                controller: controller, rules: [rule], readsInformation: wants,
                clock: SystemClock(requireSynchronization: false), time: DispatchTime.now, randomness: .system,
                outlet: outlet,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            collector.start()
            defer { collector.stop(timeout: .seconds(2)) }
            let flows = blockingEventually { findings.readings.withLock { $0.count } >= 20 }
            try #require(flows)
            let makers = { findings.descriptions.withLock { Set($0.compactMap(\.manufacturer)) } }
            if wants {
                let isTold = blockingEventually { makers() == ["Martlet"] }
                #expect(isTold)
                let isComplete = blockingEventually {
                    findings.descriptions.withLock { $0.last?.model } == "environment"
                }
                #expect(isComplete)
            } else {
                #expect(makers().isEmpty)
            }
            let readings = findings.readings.withLock { $0 }
            #expect(readings.allSatisfy { $0.characteristic == "2a6e" && $0.source == .notify })
            #expect(collector.status.unexpected == 0)
        }
    }
}
