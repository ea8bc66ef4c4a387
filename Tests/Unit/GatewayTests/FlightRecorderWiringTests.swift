// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Collector
import CoreBluetooth
import Foundation
import HCITransport
import Replay
import Testing
import VirtualRadio

@testable import Gateway
@testable import GatewayBench

@Suite("The packets before a fault of the radio")
struct FlightRecorderWiringTests {
    private static func scene(kib: Int) throws -> GatewayScene {
        let radio = VirtualRadio(seed: 3)
        radio.addSensor(.counter(1))
        return try GatewayScene(GatewayScene.counters, on: radio, bluetooth: "flight_recorder_kib = \(kib)")
    }

    private static func recordings(_ gateway: GatewayService) async -> [FlightRecording] {
        await withCheckedContinuation { continuation in
            gateway.controller.askForFlightRecordings { continuation.resume(returning: $0) }
        }
    }

    @Test func `a controller that fails leaves a file, and the support bundle has what went before`() async throws {
        let scene = try Self.scene(kib: 512)
        let collects = await eventually { scene.readings > 3 }
        try #require(collects)
        #expect(await Self.recordings(scene.gateway).map(\.reason) == ["now"])
        scene.gateway.log.append("a line of the log")
        scene.radio.simulateHardwareError(try #require(scene.radio.controllerStates().first?.id))
        let path = scene.folder.path("flight/flight-1.btsnoop")
        let isWritten = await eventually { FileManager.default.fileExists(atPath: path) }
        try #require(isWritten)
        let kept = try #require(await Self.recordings(scene.gateway).first)
        #expect(kept.reason.localizedCaseInsensitiveContains("hardware error"), "\(kept.reason)")
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == kept.file)
        // HCI_Hardware_Error is among the last packets: Core 5.4, Vol 4, Part E, 7.7.16. A busy host reads packets behind the event.
        let end = Array(kept.file.suffix(256))
        #expect(end.indices.contains { end[$0...].starts(with: [0x04, 0x10, 0x01]) }, "\(end)")
        // The host's decision in a replay of the record.
        let decision = try #require(try HostReplay.run(kept.file).decisions.last)
        #expect(decision.step == "reset" && decision.reason == kept.reason && decision.isRecorded == nil)
        let bundle = try await scene.gateway.writeSupportBundle()
        #expect(kept.log == ["a line of the log"])
        #expect(bundle.text?.contains("===== log before that\n") == true)
        let inBundle = try #require(SupportRecordings.find(in: bundle.text ?? "").first)
        #expect(inBundle.when.hasSuffix("s ago: \(kept.reason)"))
        #expect(inBundle.file == FlightRing.tail(of: kept.file, limit: 48 << 10))
        #expect(bundle.text?.contains("\r") == false, "base64 -d takes no such line ends")
    }

    @Test func `without a size nothing is kept`() async throws {
        let scene = try Self.scene(kib: 0)
        let collects = await eventually { scene.readings > 3 }
        try #require(collects)
        scene.radio.simulateHardwareError(try #require(scene.radio.controllerStates().first?.id))
        let isBack = await eventually { scene.gateway.controller.health.events.contains { $0.outcome == .cured } }
        try #require(isBack)
        #expect(await Self.recordings(scene.gateway).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: scene.folder.path("flight")))
    }
}
