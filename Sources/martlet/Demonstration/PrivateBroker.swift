// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A mosquitto of our own, on a free port of the loopback interface, for as long as it is kept.
final class PrivateBroker {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let port: UInt16
    private let process: Process
    /// The shell ends the broker when this closes, also when we are killed.
    private let leash = Pipe()

    /// Starts it with its files in `folder`, and returns when it takes connections.
    init(folder: String) throws {
        guard let program = Self.program else {
            throw Failure(
                description: "mosquitto is not installed (looked in PATH and /usr/sbin): run apt install mosquitto")
        }
        port = try Self.freePort()
        let configuration = """
            listener \(port) 127.0.0.1
            allow_anonymous true
            persistence false
            max_queued_messages 0
            log_dest file \(folder)/mosquitto.log
            """
        let file = folder + "/mosquitto.conf"
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // In the background it is deaf to the terminal's Ctrl-C: we still need it then.
        // It has nothing to save, and whoever started us may have left it deaf to softer signals, too.
        let script = "\"$0\" -c \"$1\" & broker=$!; read line; kill -9 $broker"
        process.arguments = ["-c", script, program, file]
        process.standardInput = leash
        _ = fcntl(leash.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try? leash.fileHandleForReading.close()
        let deadline = ContinuousClock.now + .seconds(10)
        while !Self.answers(port) {
            guard ContinuousClock.now < deadline else {
                stop()
                let log = (try? String(contentsOfFile: folder + "/mosquitto.log", encoding: .utf8)) ?? ""
                throw Failure(
                    description: "mosquitto did not start: \(log.split(separator: "\n").last ?? "no reason given")")
            }
            usleep(10_000)
        }
    }

    func stop() {
        guard process.isRunning else { return }
        // A line, not only the end: another child may have inherited the descriptor.
        try? leash.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    deinit { stop() }

    private static var program: String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/usr/bin"]
        return folders.map { $0 + "/mosquitto" }.first { access($0, X_OK) == 0 }
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard status == 0 else { throw Failure(description: "no free port: \(String(cString: strerror(errno)))") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func answers(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return address
    }
}
