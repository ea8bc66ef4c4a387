// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

@testable import Gateway

/// All messages of a broker about readings, as mosquitto_sub receives them.
final class MQTTListener {
    struct Missing: Error, CustomStringConvertible {
        let description = "mosquitto_sub is not installed: apt install mosquitto-clients"
    }

    /// One reading as a consumer gets it.
    struct Delivery: Hashable {
        var device: String
        var number: Int
        var raw: String
    }

    private let process = Process()
    private let file: String

    init(port: UInt16, folder: TestFolder) throws {
        file = folder.path("messages")
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let path = "/usr/bin/mosquitto_sub"
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing() }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [
            "-h", "127.0.0.1", "-p", String(port), "-q", "1", "-F", "%t %p", "-t", "martlet/#",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: file)
        try process.runReachable()
    }

    deinit {
        if process.isRunning {
            // Test threads block signals, and child processes inherit the mask: only SIGKILL always arrives.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// The lines so far; the last line only when it is complete.
    var lines: [Substring] {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    /// All readings in the order in which they came, live ones and history.
    func deliveries() throws -> [Delivery] {
        try readings().compactMap { object in
            guard let device = object["dev"] as? String, let number = object["n"] as? Int else { return nil }
            return Delivery(device: device, number: number, raw: object["raw"] as? String ?? "")
        }
    }

    /// The values of a number quantity of one sensor, in the order of the readings' numbers, each reading once.
    func values(of quantity: String, from device: String) throws -> [Double] {
        let found = try readings().compactMap { object -> (Int, Double)? in
            guard object["dev"] as? String == device, let number = object["n"] as? Int,
                let value = object[quantity] as? Double
            else { return nil }
            return (number, value)
        }
        return Dictionary(found) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value)
    }

    private func readings() throws -> [[String: Any]] {
        try lines.flatMap { line -> [[String: Any]] in
            guard let space = line.firstIndex(of: " ") else { return [] }
            let topic = line[..<space]
            guard topic.hasSuffix("/state") || topic.hasSuffix("/history") else { return [] }
            let payload = try JSONSerialization.jsonObject(with: Data(line[space...].utf8))
            return payload as? [[String: Any]] ?? [payload as? [String: Any] ?? [:]]
        }
    }
}
