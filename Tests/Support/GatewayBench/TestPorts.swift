// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// Loopback ports of this process alone: blocks below the ports that Linux gives out by itself, each held by a lock on a
/// file. The scenes (Tests/Rig/harness.py) take blocks of the same list.
enum TestPorts {
    private static let first: UInt16 = 10_000
    private static let block: UInt16 = 100
    private static let blocks: UInt16 = 220
    /// Blocks of one process. After the last one, the oldest ports come again.
    private static let most: UInt16 = 8

    private struct State {
        var ports: [UInt16] = []
        var next = 0
        /// Descriptors of the locked files; the process keeps them to its end.
        var locks: [Int32] = []
    }

    private static let state = Mutex(State())

    /// A port that nobody listens on, and that no other test is given soon.
    static func next() throws -> UInt16 {
        try state.withLock { state in
            for _ in 0...Int(most * block) {
                if state.next == state.ports.count {
                    state.next = 0
                    if state.locks.count < Int(most) { state.next = try takeBlock(&state) }
                }
                let port = state.ports[state.next]
                state.next += 1
                if isUnused(port) { return port }
            }
            throw POSIXError(.EADDRINUSE)
        }
    }

    /// A socket that listens on a port of ``next()``. `backlog`: connections that wait for `accept`.
    static func listener(_ port: UInt16, backlog: Int32 = 8) throws -> Int32 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // A port that comes again may have connections of an earlier test in TIME_WAIT.
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = Broker.loopback(port)
        let listens = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, backlog) == 0
            }
        }
        guard listens else { throw POSIXError(.EADDRINUSE) }
        return listener
    }

    /// - Returns: The index of the new block's first port.
    private static func takeBlock(_ state: inout State) throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-ports-\(getuid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<blocks {
            let path = folder.appendingPathComponent("\(number)").path
            let lock = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            guard lock >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                close(lock)
                continue
            }
            state.locks.append(lock)
            let index = state.ports.count
            state.ports += (0..<block).map { first + number * block + $0 }
            return index
        }
        throw POSIXError(.EADDRINUSE)
    }

    private static func isUnused(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = Broker.loopback(port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
