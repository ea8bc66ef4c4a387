// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI
import HCITransport
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench
@testable import Replay

@Suite("A recording of HCI packets, lived through again")
struct ReplayTests {
    /// A fault, the seconds until it strikes, and the seconds of recording afterwards.
    struct Row: Sendable, CustomTestStringConvertible {
        var fault: ControllerFault
        var preset = ControllerPreset.standard
        var strikes: Int64 = 30
        var afterwards: Int64 = 60
        /// The host's steps against the fault.
        var steps: [String]

        /// The fault waits for a command that is not sent without a reason.
        var isProvoked: Bool { fault == .unansweredScanEnable || fault == .unansweredFeatures }

        var testDescription: String { "\(fault.rawValue) on \(preset.rawValue)" }
    }

    static let rows = [
        Row(fault: .hardwareError, steps: ["reset"]),
        Row(fault: .hardwareError, preset: .bcm43455, steps: ["reset"]),
        Row(fault: .unansweredScanEnable, steps: ["reset"]),
        Row(fault: .unansweredFeatures, strikes: 0, steps: ["reset"]),
        Row(fault: .scannerStops, afterwards: 120, steps: ["scan"]),
        // The step helps three times. Then the scan is restarted before sensors are missed.
        Row(fault: .tellsOnce, afterwards: 600, steps: ["scan", "scan", "scan"]),
        Row(fault: .deaf, afterwards: 200, steps: ["scan", "reset"]),
        Row(fault: .deaf, preset: .dualMode, afterwards: 200, steps: ["scan", "reset"]),
    ]

    @Test(arguments: rows) func `the same is decided as when it was recorded`(row: Row) throws {
        let host = WatchedHost(row.preset.settings, sensors: 3)
        host.run(for: row.strikes)
        host.simulation.air.simulate(row.fault, of: host.simulation.controller)
        if row.isProvoked { host.collection.provoke() }
        host.run(for: row.afterwards)
        #expect(host.decisions.map(\.step) == row.steps, "\(host.decisions)")
        let report = try HostReplay.run(host.ring.file())
        let within = report.decisions.filter { $0.isRecorded != nil }
        #expect(within.map(\.step) == host.decisions.map(\.step), "\(report)")
        #expect(within.map(\.reason) == host.decisions.map(\.reason))
        #expect(within.allSatisfy { $0.isRecorded == true }, "\(within)")
        for (replayed, lived) in zip(within, host.decisions) { #expect(abs(replayed.atMs - lived.atMs) < 1_500) }
        #expect(report.beginsWithSetUp && report.hardwareErrors == host.simulation.host.counters.hardwareErrors)
        #expect(report.advertisements == host.simulation.host.counters.advertisingReports)
        #expect(report.linksAtEnd == host.simulation.host.slots.used)
        #expect(report.unanswered.isEmpty != row.isProvoked)
    }

    @Test func `what the flight recorder has kept begins in the middle and ends with the trouble, and shows the step`()
        throws
    {
        let host = WatchedHost(ControllerPreset.standard.settings, sensors: 3, memory: FlightRing.minimumCapacity)
        host.run(for: 600)
        #expect(host.ring.overwritten > 1_000)
        host.simulation.air.simulate(.deaf, of: host.simulation.controller)
        host.run(for: 20)
        let kept = host.ring.file()
        host.run(for: 100)
        let lived = try #require(host.decisions.first)
        #expect(lived.step == "scan")
        let report = try HostReplay.run(kept)
        #expect(!report.beginsWithSetUp && report.links == 3 && report.linksAtEnd == 3, "\(report.events)")
        let next = try #require(report.decisions.first)
        #expect(report.decisions.count == 1 && next.isRecorded == nil)
        #expect(next.step == lived.step && next.reason == lived.reason)
    }

    /// Recordings of `martlet run --capture`, as people send them: docs/contributing/add-a-recording.md.
    private static let folder = Checkout.url("Tests/Support/Recordings")

    private struct Expected: Decodable {
        var step: String
        /// Since the first packet.
        var seconds: Double
    }

    @Test func `each recording that was sent leads to the steps that are right`() throws {
        let expected = try JSONDecoder().decode(
            [String: [Expected]].self, from: Data(contentsOf: Self.folder.appendingPathComponent("steps.json")))
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasSuffix(".btsnoop") }
        #expect(Set(files) == Set(expected.keys.map { "\($0).btsnoop" }) && !files.isEmpty)
        for (name, steps) in expected {
            let file = try Data(contentsOf: Self.folder.appendingPathComponent("\(name).btsnoop"))
            let decisions = try HostReplay.run([UInt8](file)).decisions.filter { $0.isRecorded != nil }
            #expect(decisions.map(\.step) == steps.map(\.step), "\(name): \(decisions)")
            for (decision, expected) in zip(decisions, steps) {
                #expect(abs(Double(decision.atMs) / 1_000 - expected.seconds) < 0.1, "\(name): \(decisions)")
            }
            #expect(decisions.allSatisfy { $0.isRecorded == true }, "\(name): \(decisions)")
        }
    }

    @Test func `a controller in good health gives no reason to do anything`() throws {
        let host = WatchedHost(ControllerPreset.standard.settings, sensors: 2)
        host.run(for: 120)
        let report = try HostReplay.run(host.ring.file())
        #expect(report.decisions.allSatisfy { $0.isRecorded == nil }, "\(report.decisions)")
        #expect(report.unanswered.isEmpty && report.linksAtEnd == 2 && report.malformedPackets == 0)
        #expect(report.events.contains { $0.kind == .linkUp && $0.text == "\(Simulation.sensor(1))" })
    }

    @Test func `a link that was encrypted stays, though the replay has no key`() throws {
        let host = WatchedHost(ControllerPreset.standard.settings, sensors: 1)
        host.run(for: 5)
        let records = try BTSnoopReader.records(of: host.ring.file()).records
        let data = try #require(records.first { $0.packet.first == 0x02 }?.packet)
        var ring = FlightRing(capacity: 1 << 20)
        for record in records {
            ring.record(record.packet.span.bytes, record.direction, microseconds: UInt64(record.microseconds))
        }
        // Encryption Change: done, and on. Core 5.4, Vol 4, Part E, 7.7.8.
        let change: [UInt8] = [0x04, 0x08, 4, 0, data[1], data[2] & 0x0F, 1]
        ring.record(change.span.bytes, .received, microseconds: 5_000_000)
        let report = try HostReplay.run(ring.file())
        #expect(report.linksAtEnd == 1 && !report.events.contains { $0.kind == .linkDown }, "\(report.events)")
    }

    @Test func `a host that began anew for a reason of its own is followed`() throws {
        let host = WatchedHost(ControllerPreset.standard.settings, sensors: 2)
        host.run(for: 30)
        // As when the transport is lost, which no packet shows.
        host.simulation.host.fail("the transport was lost", state: .unreachable)
        host.simulation.host.start(at: host.simulation.now)
        host.run(for: 30)
        let report = try HostReplay.run(host.ring.file())
        #expect(report.decisions.allSatisfy { $0.isRecorded == nil }, "\(report.decisions)")
        #expect(report.events.count { $0.kind == .restart } == 1)
        #expect(report.events.count { $0.kind == .state && $0.text == "ready: powered on" } == 2)
    }

    @Test func `a command that a reset has overtaken was not left without an answer`() throws {
        var ring = FlightRing(capacity: FlightRing.minimumCapacity)
        let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00], isReset: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
        let readRSSI: [UInt8] = [0x01, 0x05, 0x14, 0x02, 0x40, 0x00]
        func record(_ milliseconds: UInt64, _ direction: BTSnoopWriter.Direction, _ packet: [UInt8]) {
            ring.record(packet.span.bytes, direction, microseconds: milliseconds * 1_000)
        }
        record(0, .sent, reset)
        record(1, .received, isReset)
        record(1_000, .sent, readRSSI)
        record(1_200, .received, [0x04, 0x10, 0x01, 0x2A])
        record(1_201, .sent, reset)
        record(1_202, .received, isReset)
        record(9_000, .received, [0x04, 0x13, 0x01, 0x00])
        let overtaken = try HostReplay.run(ring.file())
        #expect(overtaken.unanswered.isEmpty && overtaken.decisions.map(\.step) == ["reset"], "\(overtaken)")
        #expect(overtaken.decisions.first?.reason == "the controller reported hardware error 42")
        // Without a reset: an application asked, and the controller did not answer.
        record(10_000, .sent, readRSSI)
        record(14_000, .received, [0x04, 0x13, 0x01, 0x00])
        let unanswered = try HostReplay.run(ring.file())
        #expect(unanswered.unanswered == [ReplayReport.Command(atMs: 10_000, opcode: "0x1405")])
        #expect(unanswered.decisions.last?.atMs == 12_000 && unanswered.decisions.count == 2, "\(unanswered)")
    }

    @Test func `a clock that jumps, and what is no recording, end no replay`() throws {
        var ring = FlightRing(capacity: 1 << 20)
        let host = WatchedHost(ControllerPreset.standard.settings, sensors: 1)
        host.run(for: 10)
        let records = try BTSnoopReader.records(of: host.ring.file()).records
        for (index, record) in records.enumerated() {
            let jump: Int64 = index > 40 ? 40 * 365 * 86_400_000_000 : index > 20 ? -86_400_000_000 : 0
            ring.record(
                record.packet.span.bytes, record.direction,
                microseconds: UInt64(clamping: record.microseconds &+ 100_000_000_000 &+ jump))
        }
        let report = try HostReplay.run(ring.file())
        #expect(report.packets == records.count && report.durationMs <= 3_700_000)
        // A day between any two packets, for longer than a number of 64 bits holds.
        var days = FlightRing(capacity: 1 << 20)
        for day in 0..<10_000 as Range<UInt64> {
            let packet: [UInt8] = [0x04, 0x13, 0x01, 0x00]
            days.record(packet.span.bytes, .received, microseconds: day * 86_400_000_000)
        }
        #expect(try HostReplay.run(days.file()).durationMs == Recording.longest / 1_000)
        var seed = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var file = host.ring.file()
            for _ in 0..<20 { file[Int(seed.next() % UInt64(file.count))] = UInt8(truncatingIfNeeded: seed.next()) }
            file.removeLast(Int(seed.next() % 200))
            _ = try? HostReplay.run(file)
        }
        #expect(try HostReplay.run(Array(host.ring.file()[..<16])).packets == 0)
    }
}

/// A host in virtual time that collects from sensors. The host is judged and brought back like on the radio thread, and
/// is recorded.
private final class WatchedHost {
    let collection: Collection
    private(set) var ring: FlightRing
    private(set) var decisions: [(step: String, reason: String, atMs: Int64)] = []
    private var watch = RadioWatch()

    var simulation: Simulation { collection.simulation }

    init(_ settings: ControllerSettings, sensors: UInt64, memory: Int = 64 << 20) {
        collection = Collection(Simulation(controller: settings), sensors: sensors)
        ring = FlightRing(capacity: memory)
        collection.caretaker = { [unowned self] in mind() }
        simulation.tap = { [unowned self] packet, direction in
            ring.record(packet, direction, microseconds: UInt64(simulation.now.nanoseconds / 1_000))
        }
        // The simulation has set its host up already. The recording has to contain the set-up.
        simulation.host.start(at: simulation.now)
        simulation.run(for: .milliseconds(1))
        collection.begin()
    }

    /// Seconds.
    func run(for limit: Int64) { collection.run(for: .seconds(limit)) }

    private func mind() {
        if simulation.host.state == .resetting, !simulation.host.isStarting {
            recover(from: .failure(simulation.host.failureReason))
        }
        if let trouble = watch.look(at: &simulation.host, at: simulation.now) { recover(from: trouble) }
        _ = watch.cure(of: simulation.host, at: simulation.now)
    }

    private func recover(from trouble: RadioTrouble) {
        let now = simulation.now
        guard case .take(let step) = watch.decide(about: trouble, available: [.scan, .reset], at: now) else { return }
        decisions.append((step.rawValue, trouble.words, now.wholeMilliseconds))
        _ = RadioWatch.perform(step, against: trouble, on: &simulation.host, at: now)
    }
}
