// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport

/// The `restoration-probe` as a child process whose output is collected.
final class RestorationProcess: Sendable {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private let process: Mutex<Process>
    private let identifier: Int32
    private let collected = Mutex<(output: [UInt8], errors: [UInt8])>(([], []))
    private let exited = DispatchSemaphore(value: 0)

    init(socket: String, stateDirectory: String, churns: Bool = false) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("restoration-probe")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Missing(description: "\(program.path) is not built")
        }
        let process = Process()
        process.executableURL = program
        process.arguments = [socket, stateDirectory] + (churns ? ["churn"] : [])
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [exited] _ in exited.signal() }
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
        read(output) { process, data in process.collected.withLock { $0.output += data } }
        read(errors) { process, data in process.collected.withLock { $0.errors += data } }
    }

    /// Uses its own thread: the system may call a readability handler while its descriptor closes, which ends the whole test run.
    private func read(_ pipe: Pipe, _ take: @escaping @Sendable (RestorationProcess, Data) -> Void) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            // Foundation keeps a thread's block, and with the block the handle: unclosed pipes would add up over a run.
            defer { try? handle.close() }
            while true {
                let data = handle.availableData
                guard !data.isEmpty, let self else { return }
                take(self, data)
            }
        }
    }

    deinit {
        process.withLock { process in
            if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        }
    }

    var lines: [String] {
        collected.withLock { String(decoding: $0.output, as: UTF8.self) }.split(separator: "\n").map(String.init)
    }
    var errors: String { collected.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    func says(_ line: String) async throws {
        try await waitFor("«\(line)» in \(lines) \(errors)") { lines.contains(line) }
    }

    /// Kills the process, and waits for its end.
    func kill() async throws {
        Glibc.kill(identifier, SIGKILL)
        try await waitFor("the end of the process") { exited.wait(timeout: .now()) == .success }
    }
}
