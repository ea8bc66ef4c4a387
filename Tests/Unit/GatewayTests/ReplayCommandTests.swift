// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransport
import Replay
import Testing

@testable import Gateway
@testable import GatewayBench

@Suite("martlet replay, the program")
struct ReplayCommandTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// An answered reset, and a hardware error as the last packet.
    private func recording() throws -> String {
        var ring = FlightRing(capacity: FlightRing.minimumCapacity)
        let packets: [(BTSnoopWriter.Direction, [UInt8])] = [
            (.sent, [0x01, 0x03, 0x0C, 0x00]), (.received, [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]),
            (.received, [0x04, 0x10, 0x01, 0x2A]),
        ]
        for (second, packet) in packets.enumerated() {
            ring.record(
                packet.1.span.bytes, packet.0, microseconds: 1_790_000_000_000_000 + UInt64(second) * 1_000_000)
        }
        let path = folder.path("flight-1.btsnoop")
        try Data(ring.file()).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `it says what is decided, for people and for programs`() async throws {
        let path = try recording()
        let process = try MartletProcess(["replay", path])
        #expect(try await process.end() == 0)
        #expect(process.output.hasPrefix("3 packets in 2.000 s, from 2026-09-21T"), "\(process.output)")
        #expect(process.output.contains("hardware errors: 1") && process.errors.isEmpty)
        #expect(
            process.output.contains(
                "reset at 2.000 s: the controller reported hardware error 42; the recording ends here"),
            "\(process.output)")
        let programs = try MartletProcess(["replay", "--json", path])
        #expect(try await programs.end() == 0)
        let report = try ControlCoding.decode(ReplayReport.self, from: Array(programs.output.utf8))
        #expect(report.packets == 3 && report.hardwareErrors == 1 && report.decisions.first?.step == "reset")
    }

    @Test func `the recordings of a support bundle are found, also where it was sent as a mail`() async throws {
        let file = try Data(contentsOf: URL(fileURLWithPath: recording()))
        let digits = file.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        let bundle = """
            Hello, this is what you asked for:
            Martlet 0.1.0, gw-attic: for whoever helps.

            ===== status
            {}

            ===== flight recorder, 40 s ago: the controller reported hardware error 42
            what follows
            \(digits)

            ===== flight recorder, now
            what follows
            \(digits)

            ===== log
            the end
            """
        for text in [bundle, bundle.replacing("\n", with: "\r\n")] {
            try folder.write("support.txt", text)
            let process = try MartletProcess(["replay", folder.path("support.txt")])
            #expect(try await process.end() == 0, "\(process.errors)")
            #expect(
                process.output.hasPrefix(
                    "Recording of 40 s ago: the controller reported hardware error 42\n3 packets in 2.000 s"),
                "\(process.output)")
            #expect(process.output.contains("\n\nRecording of now\n3 packets"))
        }
        let programs = try MartletProcess(["replay", "--json", folder.path("support.txt")])
        #expect(try await programs.end() == 0)
        #expect(programs.output.contains("\"recording\":\"now\""), "\(programs.output)")
        try folder.write("support.txt", bundle.replacing("\(digits)", with: "YnRzbm9vcAA"))
        let damaged = try MartletProcess(["replay", folder.path("support.txt")])
        #expect(try await damaged.end() == 2)
        #expect(damaged.errors.contains("was the text copied as a whole?"), "\(damaged.errors)")
    }

    @Test func `what is no recording is refused, with what would be one`() async throws {
        try folder.write("notes.txt", "no recording at all\n")
        for (path, words) in [
            (folder.path("nowhere"), "No such file or directory"), (folder.path("."), "Is a directory"),
            (folder.path("notes.txt"), "a gateway makes one with --capture FILE"),
        ] {
            let process = try MartletProcess(["replay", path])
            #expect(try await process.end() == 2)
            #expect(process.errors.contains(words) && process.output.isEmpty, "\(process.errors)")
        }
    }
}
