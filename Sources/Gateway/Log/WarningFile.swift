// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Platform
import StateFiles
import Synchronization

/// Keeps the newest warnings of the log in a file of the state directory, so that they outlive a power cut.
///
/// The log of the service manager may be in memory alone, as on the flashed image. The file is written anew a few seconds after a
/// warning, and after ten writes every ten minutes at most: that is 8 MiB a day at the worst. It has no secrets, as the log has
/// none.
final class WarningFile: Sendable {
    static let name = "warnings.log"
    /// Octets of a file that is read.
    private static let longest = 256 << 10
    /// How long a stop waits for the disk.
    private static let patience: DispatchTimeInterval = .seconds(1)

    private struct State {
        /// The warnings of this run that are on disk.
        var written: UInt64 = 0
        var allowance = Allowance(10, every: .seconds(600))
        var isBusy = false
    }

    private let ring: LogRing
    private let folder: String
    private let files: any StateFileSystem
    private let queue = DispatchQueue(label: "martlet.warnings", qos: .utility)
    private let state = Mutex(State())

    /// - Parameter folder: The state directory.
    init(_ ring: LogRing, folder: String, on files: any StateFileSystem = DiskFileSystem()) {
        (self.ring, self.folder, self.files) = (ring, folder, files)
    }

    private var path: String { folder + "/" + Self.name }

    /// The warnings that an earlier run has kept, oldest first; none if the file cannot be read.
    static func lines(in folder: String, on files: any StateFileSystem = DiskFileSystem()) -> [String] {
        let read = try? files.read(folder + "/" + name, limit: longest)
        return String(decoding: (read ?? nil)?.octets ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Puts the warnings of earlier runs into the log's ring. Call it once, before the first ``keep(at:)``.
    func resume() { ring.resume(Self.lines(in: folder, on: files)) }

    /// Writes new warnings in the background, if the budget allows a write now.
    func keep(at now: MonotonicTime) {
        let (lines, count) = ring.warnings
        let begins = state.withLock { state in
            guard count != state.written, !state.isBusy, state.allowance.spend(at: now) == nil else { return false }
            state.isBusy = true
            return true
        }
        guard begins else { return }
        queue.async { [self] in
            let isWritten = write(lines)
            state.withLock { state in
                state.isBusy = false
                if isWritten { state.written = count }
            }
        }
    }

    /// Writes the warnings that wait, if the disk takes them soon.
    func end() {
        let (lines, count) = ring.warnings
        guard state.withLock({ $0.written != count }) else { return }
        let done = DispatchSemaphore(value: 0)
        queue.async { [self] in
            _ = write(lines)
            done.signal()
        }
        _ = done.wait(timeout: .now() + Self.patience)
    }

    /// A disk that fails is told of by the journal: another line here would be a new warning each time.
    private func write(_ lines: [String]) -> Bool {
        do throws(StateFileError) {
            try StateFile.makeDirectory(folder, on: files)
            try StateFile.replace(
                path, with: Data((lines.joined(separator: "\n") + "\n").utf8), in: folder, on: files)
            return true
        } catch {
            return false
        }
    }
}
