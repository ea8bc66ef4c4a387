// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Glibc

/// A program in the background that ends with its owner, also when that is killed.
final class LeashedProcess {
    private let process = Process()
    /// The shell ends the program when this closes.
    private let leash = Pipe()

    /// - Parameters:
    ///   - signal: what ends the program.
    ///   - output: where it writes to, errors included; nil: nowhere.
    init(
        _ program: String, _ arguments: [String], signal: Int32 = SIGKILL, output: FileHandle? = nil
    ) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // In the background it is deaf to the terminal's Ctrl-C: we still need it then.
        let script = "\"$@\" & child=$!; read line; kill -\(signal) $child; wait $child"
        process.arguments = ["-c", script, "sh", program] + arguments
        process.standardInput = leash
        _ = fcntl(leash.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = output ?? FileHandle.nullDevice
        try process.runReachable()
        try? leash.fileHandleForReading.close()
    }

    /// Returns when it has ended.
    func stop() {
        guard process.isRunning else { return }
        // A line, not only the end: another child may have inherited the descriptor.
        try? leash.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    deinit { stop() }
}
