// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import Gateway

/// One of mosquitto's command line clients, with MQTT 5.
struct MosquittoClient {
    private let process = Process()
    private let pipe = Pipe()

    /// - Parameters:
    ///   - program: `mosquitto_pub`, `mosquitto_sub` or `mosquitto_rr`.
    ///   - input: The whole of the client's standard input.
    init(_ program: String, port: UInt16, _ arguments: [String], input: String = "") throws {
        let path = "/usr/bin/\(program)"
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Broker.Missing(path: path) }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-p", "\(port)", "-V", "mqttv5"] + arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        let keys = Pipe()
        process.standardInput = keys
        try process.runReachable()
        try keys.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try keys.fileHandleForWriting.close()
    }

    /// The client's output; waits for its end.
    func output() -> String {
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}
