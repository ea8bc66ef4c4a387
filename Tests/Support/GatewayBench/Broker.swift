// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Gateway

/// A mosquitto of the test's own on a loopback port; stopped with the value.
final class Broker: Listener {
    struct Missing: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is missing: apt-get install mosquitto mosquitto-clients" }
    }

    let port: UInt16
    private let folder: TestFolder
    private var process: Process?

    /// - Parameters:
    ///   - settings: Lines for the configuration file beside the listener and its persistence.
    ///   - maximumQueued: Messages that wait for an absent subscriber.
    init(settings: [String] = ["allow_anonymous true"], maximumQueued: Int = 100_000) throws {
        folder = try TestFolder()
        port = try TestPorts.next()
        // `user root` prevents a change to a user without access to the folder, where the tests run as root.
        let lines =
            [
                "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder.path)/",
                "max_queued_messages \(maximumQueued)", "user root",
            ] + settings
        try lines.joined(separator: "\n").appending("\n").write(
            toFile: folder.path("mosquitto.conf"), atomically: true, encoding: .utf8)
        try start()
    }

    deinit { stop() }

    /// Starts the broker, and returns when it accepts connections.
    func start() throws {
        let executable = "/usr/sbin/mosquitto"
        guard FileManager.default.isExecutableFile(atPath: executable) else { throw Missing(path: executable) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["-c", folder.path("mosquitto.conf")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runReachable()
        self.process = process
        let isReady = blockingEventually { Self.accepts(port) || !process.isRunning }
        guard isReady, process.isRunning else { throw Missing(path: executable) }
    }

    /// Ends the broker as an administrator would, so that it saves its sessions.
    func stop() {
        guard let process else { return }
        // mosquitto 2.0 forgets a SIGTERM that comes between its listener and its main loop.
        while process.isRunning {
            process.terminate()
            for _ in 0..<100 where process.isRunning { usleep(10_000) }
        }
        self.process = nil
    }

    /// Makes the broker read its access list again.
    func reload() {
        if let process { kill(process.processIdentifier, SIGHUP) }
    }

    static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func accepts(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
