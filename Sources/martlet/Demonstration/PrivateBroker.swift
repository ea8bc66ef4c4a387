// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Health

/// A private mosquitto on a free port of the loopback interface, for the life of this object.
final class PrivateBroker {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The broker's users and certificate; without these, everybody may connect.
    struct Access {
        /// In the format of mosquitto_passwd.
        var passwordFile: String
        /// In PEM, with its private key in `key`.
        var certificate: String
        var key: String
    }

    let port: UInt16
    private let process: LeashedProcess

    /// Starts mosquitto with its files in `folder`, and returns once it accepts connections.
    init(folder: String, access: Access? = nil) throws {
        guard let program = Self.program else {
            throw Failure(
                description: Advice.here(
                    "mosquitto is not installed (looked in PATH and /usr/sbin): \(.machine(.install, "mosquitto"))"))
        }
        port = try Self.freePort()
        let rules =
            access.map {
                """
                allow_anonymous false
                password_file \($0.passwordFile)
                certfile \($0.certificate)
                keyfile \($0.key)
                user \(Self.userName)
                """
            } ?? "allow_anonymous true"
        let configuration = """
            listener \(port) 127.0.0.1
            \(rules)
            persistence false
            max_queued_messages 0
            log_dest file \(folder)/mosquitto.log
            """
        let file = folder + "/mosquitto.conf"
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
        // SIGKILL: mosquitto has nothing to save, and may have inherited a block of softer signals.
        process = try LeashedProcess(program, ["-c", file])
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

    func stop() { process.stop() }

    /// The user of this process, whose files mosquitto reads.
    private static var userName: String { getpwuid(getuid()).flatMap { String(cString: $0.pointee.pw_name) } ?? "root" }

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
