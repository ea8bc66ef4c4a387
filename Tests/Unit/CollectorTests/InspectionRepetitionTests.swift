// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import TestSupport
import Testing
import VirtualRadio

@testable import Collector
@testable import CoreBluetooth
@testable import GatewayBench
@testable import Platform

/// A gateway inspects sensors for years on request, and keeps nothing of the inspections. The air passes a hundred times as fast.
///
/// The memory is the whole process's: the test measures it only where MARTLET_REPETITIONS sets a number of rounds.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct InspectionRepetitionTests {
    /// A thousand with MARTLET_REPETITIONS=1000.
    private static let times = Repetitions.asked ?? 50
    /// A run with MARTLET_REPETITIONS has no other tests beside it, so that the memory is this test's alone.
    private static let isAlone = Repetitions.asked != nil
    /// Rounds that fill caches and pools.
    private static let first = max(times / 4, 20)
    private static let sensor = DeviceAddress(kind: .random, value: 0xC47C_8D00_1102)

    @Test func `of many inspections nothing stays in the gateway`() async throws {
        let scene = try ListeningScene([], air: AirSettings(pace: 100))
        let present = scene.radio.addSensor(
            VirtualSensor.Configuration(address: Self.sensor, name: "Living room", kind: .environment))
        var before: UInt64 = 0
        for number in 0..<(Self.first + Self.times) {
            if number == Self.first { before = own }
            let report = try await inspect(scene)
            try #require(report.name == "Living room" && report.services.count > 2, "\(number): \(report)")
            scene.lines.clear()
        }
        #expect(!Self.isAlone || own <= before + 1 << 20, "\(before) octets have become \(own)")
        // Each inspection has released its link: no link is left, and the sensor would accept the next.
        #expect(
            await eventually {
                let counts = scene.controller.statistics
                return counts.connections == counts.disconnections && counts.connections >= UInt64(Self.times)
            })
        scene.radio.removeSensor(present)
    }

    @Test func `of many inspections of a sensor that is not there nothing stays either`() async throws {
        let scene = try ListeningScene([], air: AirSettings(pace: 100))
        var before: UInt64 = 0
        for number in 0..<(Self.first + Self.times) {
            if number == Self.first { before = own }
            await #expect(throws: SensorInspection.Failure.self) {
                try await inspect(scene, patience: .milliseconds(1))
            }
            scene.lines.clear()
        }
        #expect(!Self.isAlone || own <= before + 1 << 20, "\(before) octets have become \(own)")
    }

    private var own: UInt64 { MemoryStatus.now?.ownBytes ?? .max }

    private func inspect(_ scene: ListeningScene, patience: Duration = hangLimit) async throws -> InspectionReport {
        try await SensorInspection(of: Self.sensor.description, by: scene.controller, patience: patience) { _ in }.run()
    }
}
