// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Gateway

/// A mosquitto_sub with a persistent session.
final class Subscriber: Sendable {
    struct Message: Sendable {
        var topic: String
        var isRetained: Bool
        var payload: String

        /// The payload's readings: the one object, or the objects of a history array.
        var readings: [[String: Any]] {
            let value = try? JSONSerialization.jsonObject(with: Data(payload.utf8), options: .fragmentsAllowed)
            return value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] } ?? []
        }
    }

    private struct State {
        var messages: [Message] = []
        var rest = Data()
    }

    private let process: Process
    private let state = Mutex(State())

    /// Returns when the subscription stands.
    init(port: UInt16, topic: String = "martlet/#", clientID: String = "test-\(UUID().uuidString)") throws {
        let executable = "/usr/bin/mosquitto_sub"
        guard FileManager.default.isExecutableFile(atPath: executable) else { throw Broker.Missing(path: executable) }
        let process = Process()
        self.process = process
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments =
            [
                "-p", "\(port)", "-V", "mqttv5", "-q", "1", "-c", "-x", "3600", "-i", clientID, "-F", "%t\t%r\t%p",
                "-t", topic, "-t", "ready/#",
            ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.runReachable()
        read(output.fileHandleForReading)
        try awaitReadiness(port: port)
    }

    deinit { process.terminate() }

    /// Uses its own thread: the system may call a readability handler while its descriptor closes, which ends the whole test run.
    private func read(_ handle: FileHandle) {
        Thread.detachNewThread { [weak self] in
            // Foundation keeps a thread's block, and with the block the handle: unclosed pipes would add up over a run.
            defer { try? handle.close() }
            while true {
                let data = handle.availableData
                guard !data.isEmpty, let self else { return }
                received(data)
            }
        }
    }

    var messages: [Message] { state.withLock { $0.messages } }

    func messages(on topic: String) -> [Message] { messages.filter { $0.topic == topic } }

    /// All readings on `…/state` and `…/history`, in the order of their arrival.
    var readings: [[String: Any]] {
        messages.filter { $0.topic.hasSuffix("/state") || $0.topic.hasSuffix("/history") }.flatMap(\.readings)
    }

    /// The row numbers of the readings, in the order of their arrival.
    var numbers: [Int] { readings.compactMap { $0["n"] as? Int } }

    /// A message of our own comes through when the subscription stands.
    private func awaitReadiness(port: UInt16) throws {
        let isReady = try blockingEventually {
            let publish = Process()
            publish.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_pub")
            publish.arguments = ["-p", "\(port)", "-q", "1", "-t", "ready/now", "-m", "x"]
            try publish.runReachable()
            publish.waitUntilExit()
            return messages.contains { $0.topic == "ready/now" }
        }
        guard isReady else { throw POSIXError(.ETIMEDOUT) }
        state.withLock { $0.messages.removeAll { $0.topic == "ready/now" } }
    }

    private func received(_ data: Data) {
        state.withLock { state in
            state.rest.append(data)
            while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: state.rest[..<end], as: UTF8.self)
                state.rest.removeSubrange(...end)
                let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
                guard parts.count == 3 else { continue }
                state.messages.append(
                    Message(topic: String(parts[0]), isRetained: parts[1] == "1", payload: String(parts[2])))
            }
        }
    }
}
