// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// A collector and sensors whose attribute servers depart from the specification.
@Suite(.timeLimit(.minutes(10)))
struct OddSensorTests {
    private static func rule(_ characteristics: [UInt16]) -> SensorRule {
        var rule = SensorRule()
        (rule.id, rule.name) = ("odd", "Odd")
        rule.subscribe = characteristics.map {
            .init(service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID($0))
        }
        return rule
    }

    /// The names of the characteristics that values came from.
    private func names(_ scene: WhyScene) -> Set<String> {
        Set(scene.status("odd")?.values.map(\.characteristic) ?? [])
    }

    @Test func `two characteristics of one UUID are two values`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [.declares(0x2A6F, as: 0x2A6E)])
        try await waitFor("both values: \(scene.log)") { names(scene) == ["2a6e", "2a6e_2"] }
        let keys = scene.status("odd")?.values.flatMap { $0.fields?.map(\.quantity) ?? [] } ?? []
        #expect(Set(keys) == ["temperature", "temperature_2"])
    }

    @Test func `the values that can be had come, and why names what cannot`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E, 0x2A6F])])
        scene.addEnvironment("Odd", at: 1, [.misplacesValue(0x2A6F), .lacksConfigurations])
        let answer = try #require(
            await scene.why("odd") {
                $0.state == .collecting && $0.peculiarities?.count == 2 && $0.lastValueAgeMs != nil
            },
            "\(scene.log)")
        #expect(names(scene) == ["2a6e"])
        let text = answer.peculiarities?.joined(separator: "; ") ?? ""
        #expect(text.contains("0xFFF0") && text.contains("no descriptor"))
        #expect(scene.lines.all.contains { $0.hasPrefix("the sensor departs from the specification") })
    }

    @Test func `after three links that ended over the exchange of MTUs values come, and why says so`() async throws {
        let scene = try WhyScene([Self.rule([0x2A6E])])
        scene.addEnvironment("Odd", at: 1, [.hangsUp(.exchangeMTU)])
        let answer = try #require(
            await scene.why("odd") { $0.state == .collecting && $0.peculiarities != nil }, "\(scene.log)")
        #expect(answer.peculiarities?.contains { $0.hasPrefix("the exchange of MTUs is left out") } == true)
        #expect(answer.ends.reduce(0) { $0 + $1.count } == 3)
    }
}
