// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Inspections of a sensor with names of its own for characteristics of one UUID.
@Suite(.timeLimit(.minutes(10)))
struct InspectedNamesTests {
    private static let address = DeviceAddress(kind: .random, value: 0xC47C_8D00_1102)
    typealias Request = SensorOddity.Request
    private static let readsName = Request.read.about(0x2901)

    private func inspect(_ oddities: Set<SensorOddity>) async throws -> InspectionReport {
        let scene = try ListeningScene([], air: AirSettings(pace: 100))
        var sensor = VirtualSensor.Configuration(address: Self.address, name: "Probes", kind: .environment)
        sensor.oddities = oddities
        _ = scene.radio.addSensor(sensor)
        return try await SensorInspection(
            of: Self.address.description, by: scene.controller, patience: hangLimit
        ) { _ in }.run()
    }

    /// Two temperatures and a pressure. `name` is the first temperature's, the second is the fridge.
    private static func probes(_ name: [UInt8]) -> Set<SensorOddity> {
        [
            .declares(0x2A6F, as: 0x2A6E), .describes(0x2A6E, as: name),
            .describes(0x2A6F, as: Array("Fridge".utf8)), .describes(0x2A6D, as: Array("Air".utf8)),
        ]
    }

    private func names(_ report: InspectionReport) -> [String?] {
        report.services.flatMap(\.characteristics).filter { $0.uuid == "2a6e" }.map(\.ownName)
    }

    @Test func `the entry has the sensor's names of two probes as comments, and the values keep their numbers`()
        async throws
    {
        let report = try await inspect(Self.probes(Array("Room".utf8)))
        #expect(names(report) == ["Room", "Fridge"])
        // A characteristic with a UUID of its own needs no name.
        let pressure = report.services.flatMap(\.characteristics).first { $0.uuid == "2a6d" }
        #expect(pressure?.ownName == nil)
        #expect(
            report.entry.hasSuffix(
                """
                subscribe = [
                    "environmental_sensing/temperature#1",  # Room
                    "environmental_sensing/temperature#2",  # Fridge
                    "environmental_sensing/pressure",
                    "battery_service/battery_level",
                ]
                """), "\(report.entry)")
    }

    static let odd: [(octets: [UInt8], shown: String?)] = [
        ([], nil), ([0], nil), ([0, 0, 0, 0], nil), (Array("Room\0\0\0".utf8), "Room"),
        (Array("\0R\0o\0o\0m".utf8), "Room"), (Array("Room".utf8) + [0xFF, 0, 0xFF], "Room"),
        ([0xFF, 0xFF], nil), ([0x52, 0xFF, 0x52], nil), ([0xC3], nil), (Array("  \t ".utf8), nil),
        (Array("?!–".utf8), nil), (Array("Room\n[mqtt]\r\nhost = \"evil\"".utf8), "Room[mqtt]host = \"evil\""),
        (Array("\u{1B}[2JRoom".utf8), "[2JRoom"), (Array("Ro\u{202E}om\u{2028}".utf8), "Room"),
        (Array("Kühlschrank".utf8), "Kühlschrank"),
        (Array(repeating: 0x41, count: 512), String(repeating: "A", count: 64)),
        // No attribute is longer than 512 octets.
        (Array(repeating: 0x41, count: 600), nil),
    ]

    @Test(arguments: odd) func `an odd name is shown clean, or not at all`(octets: [UInt8], shown: String?) async throws
    {
        let report = try await inspect(Self.probes(octets))
        #expect(names(report) == [shown, "Fridge"])
        #expect(!report.entry.contains("\nhost") && report.entry.hasSuffix("\n]"), "\(report.entry)")
    }

    static let oddities: [SensorOddity] = [
        .refuses(readsName, error: 0x02), .refuses(readsName, error: 0x05), .refuses(readsName, error: 0x80),
        .hangsUp(readsName), .ignores(readsName), .answers(readsName, with: [0x0B]), .answers(readsName, with: [0x13]),
        .refuses(.descriptors, error: 0x0E), .empties(.descriptors), .strays(.descriptors),
        .hangsUp(Request.descriptors.about(0x181A)), .ignores(Request.descriptors.about(0x181A)),
    ]

    @Test(arguments: oddities)
    func `a sensor that does not give its names is inspected all the same`(oddity: SensorOddity) async throws {
        let report = try await inspect(Self.probes(Array("Room".utf8)).union([oddity]))
        #expect(names(report) == [nil, nil])
        #expect(report.services.count == 3 && report.entry.contains("temperature#2\""), "\(report)")
    }

    static let endless: [Set<SensorOddity>] = [
        [.goesRound(.descriptors)], [.repeats(.descriptors)], [.reverses(.descriptors)], [.doubles(.descriptors)],
        [.doubles(readsName)],
    ]

    @Test(arguments: endless) func `names come from a sensor that goes on for ever`(oddities: Set<SensorOddity>)
        async throws
    {
        #expect(names(try await inspect(Self.probes(Array("Room".utf8)).union(oddities))) == ["Room", "Fridge"])
    }

    @Test func `a name without end is left out`() async throws {
        let part = [UInt8](repeating: 0x41, count: 246)
        let report = try await inspect(
            Self.probes(Array("Room".utf8)).union([
                .answers(Self.readsName, with: [0x0B] + part), .answers(Request(0x0C), with: [0x0D] + part),
            ]))
        #expect(names(report) == [nil, nil])
        #expect(report.entry.contains("temperature#2\""), "\(report.entry)")
    }
}
