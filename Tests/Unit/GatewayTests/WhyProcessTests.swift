// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations

/// `martlet why` as a process that asks a running gateway.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WhyProcessTests {
    private static let entries = """
        [[sensor]]
        id = "counter"
        name = "Counter"
        subscribe = ["\(CounterService.service)/\(CounterService.value)"]
        [[sensor]]
        id = "fridge"
        address = "C4:7C:8D:00:11:22"
        subscribe = ["environmental_sensing/temperature"]
        """

    private static func run(_ arguments: String...) async throws -> (status: Int32?, output: String, errors: String) {
        let process = try MartletProcess(["why"] + arguments)
        let status = try await process.end()
        // Output is read by another thread.
        _ = await eventually { !(process.output + process.errors).isEmpty }
        return (status, process.output, process.errors)
    }

    @Test func `the command answers in sentences and as JSON, and says what it does not know`() async throws {
        let scene = try OperationsScene(Self.entries)
        let socket = scene.folder.path("control.sock")
        let id = scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .public, value: 0xC0_0000_0001), name: "Counter", kind: .counter, rate: 20,
                advertisingInterval: .milliseconds(30)))
        let collects = await eventually {
            (scene.gateway.status.collector.sensors.first { $0.id == "counter" }?.readings ?? 0) > 5
        }
        try #require(collects, "\(scene.lines.text)")
        scene.radio.simulateDisconnection(of: id)
        let isBack = await eventually {
            let sensor = scene.gateway.status.collector.sensors.first { $0.id == "counter" }
            return sensor?.link == .collecting && sensor?.reconnects == ["0x08 Connection Timeout": 1]
        }
        try #require(isBack, "\(scene.lines.text)")

        let plain = try await Self.run("counter", "--socket", socket)
        #expect(plain.status == 0, "\(plain.errors)")
        #expect(plain.output.hasPrefix("counter (Counter, 00:C0:00:00:00:01)\nThe "), "\(plain.output)")
        #expect(plain.output.contains("0x08 Connection Timeout – the radio lost the link"), "\(plain.output)")
        #expect(plain.output.contains("\nLinks that ended in the last 24 hours\n  1 × 0x08 Connection Timeout\n"))

        let json = try await Self.run("00:C0:00:00:00:01", "--json", "--socket", socket)
        #expect(json.status == 0, "\(json.errors)")
        let line = [UInt8](json.output.utf8)
        let answer = try ControlCoding.decode(SensorExplanation.self, from: line)
        #expect(answer.sensor == "counter" && answer.state == .link(.collecting))
        #expect(answer.events.contains { $0.kind == .linkEnded && $0.reason == .connectionTimeout })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        let ends = try #require(object["ends"] as? [[String: Any]])
        #expect((ends.first?["reason"] as? [String: Any])?["code"] as? Int == 8)
        #expect((ends.first?["reason"] as? [String: Any])?["name"] as? String == "Connection Timeout")
        #expect(json.output.contains(#""ended_by":"radio""#), "\(json.output)")

        let link = try #require(answer.events.first { $0.kind == .linkEnded }?.link)
        let lines = scene.lines.all
        for message in ["link ended", "link down"] {
            let about = lines.filter { $0.hasPrefix(message + " ") && $0.contains(" link=\(link) ") }
            #expect(about.count == 1 && about[0].contains(" peer=00:C0:00:00:00:01 "), "\(message): \(about)")
            #expect(about.allSatisfy { $0.contains(" reason=0x08 Connection Timeout") }, "\(about)")
        }

        let awaited = try await Self.run("fridge", "--socket", socket)
        #expect(awaited.status == 0 && awaited.output.contains("its entry asks for the address C4:7C:8D:00:11:22."))

        let unknown = try await Self.run("conuter", "--socket", socket)
        #expect(unknown.status == 1 && unknown.output.isEmpty)
        #expect(unknown.errors == "no sensor is called \"conuter\" – did you mean \"counter\"?\n", "\(unknown.errors)")

        let nobody = try await Self.run("counter", "--socket", scene.folder.path("none.sock"))
        #expect(nobody.status == 1 && nobody.errors.contains("is the gateway running?"))
    }

    @Test func `a request without a sensor, or with one of any length, is refused and ends nothing`() async throws {
        let scene = try OperationsScene(Self.entries)
        for device in [nil, "", String(repeating: "\u{1F9A4}", count: 900)] {
            let request = try ControlCoding.encode(ControlRequest(.why, sensor: device))
            let line = await scene.gateway.answer(request)
            let answer = try ControlCoding.decode(ControlResponse<SensorExplanation>.self, from: line)
            let words = device == nil ? "\"sensor\" is missing" : "no sensor is called "
            #expect(!answer.ok && answer.error?.hasPrefix(words) == true)
        }
    }
}
