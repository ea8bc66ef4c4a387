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
        try lines.flatMap { line -> [Delivery] in
            guard let space = line.firstIndex(of: " ") else { return [] }
            let topic = line[..<space]
            guard topic.hasSuffix("/state") || topic.hasSuffix("/history") else { return [] }
            let payload = try JSONSerialization.jsonObject(with: Data(line[space...].utf8))
            let objects = payload as? [[String: Any]] ?? [payload as? [String: Any] ?? [:]]
            return objects.compactMap { object in
                guard let device = object["dev"] as? String, let number = object["n"] as? Int else { return nil }
                return Delivery(device: device, number: number, raw: object["raw"] as? String ?? "")
            }
        }
    }
}
