// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import HCI
import HCITransport
import Testing
import VirtualRadio

@testable import Gateway
@testable import GatewayBench

@Suite("Links after the power went, or the process was killed", .serialized)
struct LinksBackTests {
    private static let sensors = 20

    private func status(_ folder: TestFolder) async throws -> Int {
        let asked = try MartletProcess(["status", "--json", "--socket", folder.path("control.sock")])
        guard try await asked.end() == 0 else { return 0 }
        return asked.output.components(separatedBy: #""link":"collecting""#).count - 1
    }

    /// Until all collect.
    private func wait(_ folder: TestFolder, _ process: MartletProcess) async throws {
        let collected = try await firstAnswer(every: .milliseconds(300), where: { $0 >= Self.sensors }) {
            try await status(folder)
        }
        try #require(collected != nil, "\(process.errors)")
    }

    /// The number of sensors in the journal on disk.
    private func kept(_ folder: TestFolder) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: folder.path("journal.db"), configuration: configuration).read { db in
            try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM identifier WHERE key LIKE 'name=Counter *#%' AND value <> ''") ?? 0
        }
    }

    /// The number of sensors in the host's files on disk.
    private func known(_ folder: TestFolder) -> Int {
        let data = FileManager.default.contents(atPath: folder.path("peers.json")) ?? Data()
        return String(decoding: data, as: UTF8.self).matches(of: /C0:00:00:00:00:[0-9A-F]{2}/).count
    }

    @Test func `known sensors are all connected to before anything is scanned for, though an entry is open`()
        async throws
    {
        let folder = try TestFolder()
        let radio = VirtualRadio(seed: 7)
        defer { radio.stop() }
        for number in 1...Self.sensors {
            _ = radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(number)),
                    name: "Counter \(number)", kind: .counter, rate: 2, advertisingInterval: .milliseconds(100)))
        }
        try radio.listen(
            unixPath: folder.path("radio"), addresses: [DeviceAddress(kind: .public, value: 0x02_0000_0000_07)])
        try folder.write(
            "martlet.toml",
            folder.gateway(
                controller: "unix:\(folder.path("radio"))",
                sensor: """
                    name = "Counter *"
                    subscribe = ["\(CounterService.service)/\(CounterService.value)"]
                    """))
        let first = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        try await wait(folder, first)
        try await waitFor("what the sensors are known by is on disk") {
            try kept(folder) == Self.sensors && known(folder) == Self.sensors
        }
        first.send(SIGKILL)
        _ = try await first.end()
        let capture = folder.path("second.btsnoop")
        let second = try MartletProcess(["run", "--config", folder.path("martlet.toml"), "--capture", capture])
        try await wait(folder, second)
        second.send(SIGTERM)
        #expect(try await second.end() == 0, "\(second.errors)")

        let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: capture)))
        let packets = try BTSnoopReader.records(of: file).records.map(\.packet)
        var linked = 0
        for packet in packets {
            // LE Set Scan Enable, and the extended command.
            let scans: [[UInt8]] = [[0x01, 0x0C, 0x20, 0x02, 0x01], [0x01, 0x42, 0x20, 0x06, 0x01]]
            if scans.contains(where: packet.starts) { break }
            // A successful LE Connection Complete, or Enhanced Connection Complete: Core 5.4, Vol 4, Part E, 7.7.65.1 and .10.
            let isEvent = packet.count > 4 && packet.prefix(2) == [0x04, 0x3E]
            if isEvent, packet[3] == 0x01 || packet[3] == 0x0A, packet[4] == 0 { linked += 1 }
        }
        #expect(linked == Self.sensors, "scanned after \(linked) links, of \(packets.count) packets: \(second.errors)")
    }
}
