// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

@testable import Collector
@testable import GatewayBench

@Suite("How a person names a device", .serialized)
struct DeviceNameTests {
    @Test func `a label names its sensor, after ids and before advertised names`() throws {
        let known = [
            DeviceName.Known(identifier: UUID(), id: "a", name: "Fridge", given: "Cellar"),
            DeviceName.Known(identifier: UUID(), id: "Cellar", name: "Cellar"),
            DeviceName.Known(identifier: UUID(), id: "c", name: "Tag", given: "Fridge"),
            DeviceName.Known(identifier: UUID(), id: "d", name: "Tag", given: "Fridge door"),
        ]
        #expect(try DeviceName("Cellar").pick(known).id == "Cellar")
        #expect(try DeviceName("Fridge").pick(known).id == "c")
        #expect(try DeviceName("Fridge door").pick(known).id == "d")
        let twins = #expect(throws: DeviceName.Unclear.self) { _ = try DeviceName("Tag").pick(known) }
        #expect(twins?.labels == ["c", "d"])
    }

    @Test func `an entry and a status are found by the label`() throws {
        var rule = SensorRule()
        (rule.id, rule.name, rule.facts.label) = ("tag", "Tag", "Sauna")
        #expect(DeviceName("Sauna").isAwaited(by: rule) && !DeviceName("sauna").isAwaited(by: rule))
        var status = CollectorStatus()
        status.awaited = [AwaitedSensor(rule)]
        #expect(try status.named("Sauna") == .awaited(AwaitedSensor(rule)))
    }

    @Test func `a running gateway takes a label in place of the id`() async throws {
        var rule = WhyScene.rule("counter", name: "Counter")
        rule.facts.label = "In the deep cellar"
        let scene = try WhyScene([rule])
        _ = scene.add("Counter", at: 1)
        let working = try #require(await scene.why("In the deep cellar") { $0.lastValueAgeMs != nil }, "\(scene.log)")
        #expect(working.sensor == "counter" && working.name == "In the deep cellar")
        guard case .present(let device, _) = await scene.collector.link(of: "In the deep cellar", within: hangLimit)
        else { return #expect(Bool(false), "\(scene.log)") }
        #expect(device == "counter")
        guard case .failure(let refusal) = await scene.collector.unpair("In the deep cellar", within: hangLimit) else {
            return #expect(Bool(false), "\(scene.log)")
        }
        #expect("\(refusal)" == "In the deep cellar is not paired")
    }
}
