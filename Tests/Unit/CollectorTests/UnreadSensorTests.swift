// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Sensors on the air with advertisements in an unknown format.
@Suite("Heard, and not understood", .timeLimit(.minutes(10)))
struct UnreadSensorTests {
    private static let octets: [UInt8] = [2, 0x01, 0x06, 6, 0xFF, 0xFE, 0xFF, 1, 2, 3]
    private static let response: [UInt8] = [6, 0x09, 65, 0, 66, 0, 0]

    private static func broadcaster(_ octets: [UInt8] = octets) -> VirtualBroadcaster.Configuration {
        VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: .public, value: ListeningScene.tag), interval: .milliseconds(20),
            scanResponse: response
        ) { _ in octets }
    }

    @Test(arguments: [nil, "bthome"])
    func `an entry's sensor is heard, with its octets, and not reported as absent`(family: String?) async throws {
        let scene = try ListeningScene([
            ListeningScene.rule("room", address: ListeningScene.tag, family: family)
        ])
        _ = scene.radio.addBroadcaster(Self.broadcaster())
        func awaited() -> AwaitedSensor? { scene.collector.status.awaited.first }
        #expect(await eventually { awaited()?.refused?.octets?.scanResponse != nil })
        let room = try #require(awaited())
        #expect(room.state == "heard, but its advertisements are not understood")
        #expect(room.refused?.refusal == .notUnderstood)
        #expect(room.refused?.octets?.advertisement == Self.octets.hexadecimal)
        #expect(room.refused?.octets?.scanResponse == Self.response.hexadecimal)
        #expect(room.refused?.name == "AB", "a name is shown without its NULs")
        let why = try #require(await scene.collector.explain("room", within: .seconds(30))?.get())
        #expect(why.answer.hasPrefix("The sensor is heard, but its advertisements are not understood; last heard"))
        #expect(why.octets == room.refused?.octets && why.lastHeardAgeMs != nil)
        #expect(why.advice?.contains(Self.octets.hexadecimal) == true, "\(why.advice ?? "")")
    }

    @Test func `a sensor that was understood, and then sends something else, is heard`() async throws {
        var limits = SilenceLimits()
        (limits.least, limits.factor, limits.unknown) = (200, 1, 200)
        let scene = try ListeningScene(
            [ListeningScene.rule("room", address: ListeningScene.tag)], silenceLimits: limits)
        let before = scene.addMiBeacon { [0x04, 0x10, 2, $0, 0] }
        #expect(await eventually { scene.outcome.now.readings.count >= 3 })
        scene.radio.removeSensor(before)
        _ = scene.radio.addBroadcaster(Self.broadcaster())
        let trouble = "the sensor is heard, but its advertisements are not understood"
        #expect(await eventually(within: .seconds(120)) { scene.status("room")?.trouble == trouble })
        // The octets come with the next packet.
        let why = try await firstAnswer(where: { $0.octets != nil }) {
            try await scene.collector.explain("room", within: .seconds(30))?.get()
        }
        #expect(why?.octets?.advertisement == Self.octets.hexadecimal)
        #expect(
            why?.answer.hasPrefix("The sensor is heard, but its advertisements are not understood: the newest") == true)
    }

    @Test func `inspect shows the octets of what it does not understand`() async throws {
        let scene = try ListeningScene([])
        _ = scene.radio.addBroadcaster(Self.broadcaster())
        let address = DeviceAddress(kind: .public, value: ListeningScene.tag).description
        let inspection = SensorInspection(of: address, by: scene.controller, patience: .seconds(2)) { _ in }
        do {
            _ = try await inspection.run()
            Issue.record("it takes no connection")
        } catch {
            #expect(
                error.text.hasPrefix("the device is heard, but takes no connection, and its advertisements"),
                "\(error.text)")
            #expect(error.text.contains(Self.octets.hexadecimal), "\(error.text)")
        }
    }
}

/// An entry's report on its device.
@Suite("Heard and refused devices")
struct RefusedSensorTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var rule = SensorRule()
        var candidate = SensorRule.Candidate(name: "A\0B", address: 7, identifier: UUID(), services: [])
        var isConnectable = false
        var refusal: AwaitedSensor.Heard.Refusal?

        init(_ what: String, _ refusal: AwaitedSensor.Heard.Refusal?, _ change: (inout Row) -> Void) {
            testDescription = what
            self.refusal = refusal
            change(&self)
        }
    }

    private static let feed = SensorRule.Feed(
        service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6E as UInt16))

    private static let rows = [
        Row("by its address", .notUnderstood) { $0.rule.address = 7 },
        Row("by its address, and it takes connections", .notUnderstood) {
            ($0.rule.address, $0.isConnectable) = (7, true)
        },
        Row("by its name, as it is shown", .notUnderstood) { $0.rule.name = "AB" },
        Row("by its name, as it came", .notUnderstood) { $0.rule.name = "A\0B" },
        Row("by the beginning of its name", .notUnderstood) { $0.rule.name = "AB*" },
        Row("by address and family", .notUnderstood) { ($0.rule.address, $0.rule.family) = (7, "bthome") },
        Row("its values are on a link, and it takes none", .noConnection) {
            ($0.rule.address, $0.rule.subscribe) = (7, [feed])
        },
        Row("its values are on a link, which it takes", nil) {
            ($0.rule.address, $0.rule.subscribe, $0.isConnectable) = (7, [feed], true)
        },
        Row("its services are known", .noConnection) {
            $0.rule.address = 7
            $0.candidate.services = [BluetoothUUID(0x180F as UInt16)]
        },
        Row("its family is known", nil) { ($0.rule.address, $0.candidate.family) = (7, "bthome") },
        Row("another address, which is like it", nil) { $0.rule.address = 6 },
        Row("another family by its name alone", nil) { ($0.rule.name, $0.rule.family) = ("AB", "bthome") },
    ]

    @Test(arguments: rows)
    func `what is heard and gives nothing is told from what is absent`(_ row: Row) throws {
        var devices = HeardDevices()
        let octets = AdvertisedOctets(advertisement: [2, 1, 6])
        let start = DispatchTime(uptimeNanoseconds: 1_000_000_000)
        devices.record(row.candidate, rssi: -60, isConnectable: row.isConnectable, octets: octets, at: start)
        let awaited = try #require(devices.awaited([row.rule], at: start).first)
        #expect(awaited.refused?.refusal == row.refusal)
        #expect((awaited.state == "not seen yet") == (row.refusal == nil))
        #expect(awaited.refused?.octets?.advertisement == (row.refusal == nil ? nil : "020106"))
        #expect(awaited.nearest.allSatisfy { $0.name == "AB" })
    }

    @Test func `octets are bounded, whatever is sent`() {
        let octets = HeardOctets(
            AdvertisedOctets(
                advertisement: [UInt8](repeating: 7, count: 1650), scanResponse: [UInt8](repeating: 8, count: 1650)))
        #expect(octets.advertisement.count == 2 * HeardOctets.maximum + 1 && octets.advertisement.hasSuffix("07…"))
        #expect(octets.scanResponse?.count == 2 * HeardOctets.maximum + 1)
    }
}
