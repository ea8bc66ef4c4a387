// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

@testable import Gateway

/// The program itself, as a child process whose output is collected.
final class MartletProcess: Sendable {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private let process: Mutex<Process>
    private let identifier: Int32
    private let collected = Mutex<[UInt8]>([])
    private let collectedErrors = Mutex<[UInt8]>([])
    /// The number of parts that still run: the process, and each reader of its output.
    private final class Running: Sendable { let count = Mutex(1) }
    private let running = Running()

    private let typing: Mutex<FileHandle?>

    /// With `outputPath`, standard output goes to that file instead of ``output``. `input` is the whole of standard input; with `hasInput`,
    /// standard input stays open for ``type(_:)``.
    init(
        _ arguments: [String], program name: String = "martlet", environment: [String: String] = [:],
        outputPath: String? = nil, input: String? = nil,
        hasInput: Bool = false
    ) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Missing(description: "\(program.path) is not built")
        }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let keys = input != nil || hasInput ? Pipe() : nil
        process.standardInput = keys ?? FileHandle.nullDevice
        let output = Pipe()
        let errors = Pipe()
        if let outputPath {
            process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        } else {
            process.standardOutput = output
        }
        process.standardError = errors
        process.terminationHandler = { [running] _ in running.count.withLock { $0 -= 1 } }
        try process.runReachable()
        identifier = process.processIdentifier
        self.process = Mutex(process)
        let end = keys?.fileHandleForWriting
        if let input { try end?.write(contentsOf: Data(input.utf8)) }
        if !hasInput { try end?.close() }
        typing = Mutex(hasInput ? end : nil)
        if outputPath == nil { read(output) { process, data in process.collected.withLock { $0 += data } } }
        read(errors) { process, data in process.collectedErrors.withLock { $0 += data } }
    }

    /// Uses its own thread: the system may call a readability handler while its descriptor closes, which ends the whole test run.
    private func read(_ pipe: Pipe, _ take: @escaping @Sendable (MartletProcess, Data) -> Void) {
        let handle = pipe.fileHandleForReading
        running.count.withLock { $0 += 1 }
        Thread.detachNewThread { [weak self, running] in
            // Foundation keeps a thread's block, and with the block the handle: unclosed pipes would add up over a run.
            defer {
                try? handle.close()
                running.count.withLock { $0 -= 1 }
            }
            while true {
                let data = handle.availableData
                guard !data.isEmpty, let self else { return }
                take(self, data)
            }
        }
    }

    deinit {
        process.withLock { process in
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
    }

    var output: String { collected.withLock { String(decoding: $0, as: UTF8.self) } }
    var errors: String { collectedErrors.withLock { String(decoding: $0, as: UTF8.self) } }

    func type(_ text: String) {
        typing.withLock { $0.map { _ = try? $0.write(contentsOf: Data(text.utf8)) } }
    }

    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Whether the process has loaded this library; false when the process has ended.
    func hasLoaded(_ library: String) -> Bool {
        let maps = try? FileHandle(forReadingAtPath: "/proc/\(identifier)/maps")?.readToEnd()
        return maps.map { String(decoding: $0, as: UTF8.self).contains("/\(library)") } ?? false
    }

    /// Whether the process has a handler for a signal.
    func handles(_ signal: Int32) -> Bool {
        let lines = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8))?.split(separator: "\n")
        let mask = lines?.first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last.flatMap {
            UInt64($0, radix: 16)
        }
        return (mask ?? 0) & 1 << UInt64(signal - 1) != 0
    }

    /// The exit status after the end of all output; nil when the process hangs, or was ended by a signal. `limit`: see
    /// ``blockingEventually(_:_:)``.
    func wait(_ limit: Duration = hangLimit) -> Int32? {
        guard blockingEventually(limit, { isOver }) else { return nil }
        return status
    }

    /// As ``wait(_:)``, but without blocking a thread of the tasks.
    func end() async throws -> Int32? {
        guard await eventually({ isOver }) else { return nil }
        return status
    }

    private var isOver: Bool { running.count.withLock { $0 } == 0 }
    private var status: Int32? { process.withLock { $0.terminationReason == .exit ? $0.terminationStatus : nil } }
}
