// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Glibc

/// A program in the background that ends with its owner, even if the owner is killed.
final class LeashedProcess {
    private let process = Process()
    /// The shell ends the program when this closes.
    private let leash = Pipe()

    /// - Parameters:
    ///   - signal: the signal that ends the program.
    ///   - output: the program's output and errors; nil: discarded.
    init(
        _ program: String, _ arguments: [String], signal: Int32 = SIGKILL, output: FileHandle? = nil
    ) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // A background process does not get the terminal's Ctrl-C: the program is still needed then.
        let script = "\"$@\" & child=$!; read line; kill -\(signal) $child; wait $child"
        process.arguments = ["-c", script, "sh", program] + arguments
        process.standardInput = leash
        _ = fcntl(leash.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = output ?? FileHandle.nullDevice
        try process.runReachable()
        try? leash.fileHandleForReading.close()
    }

    /// Returns after the program's end.
    func stop() {
        guard process.isRunning else { return }
        // A line, not only the end: another child may have inherited the descriptor.
        try? leash.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    deinit { stop() }
}
