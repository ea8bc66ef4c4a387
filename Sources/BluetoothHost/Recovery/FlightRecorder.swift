// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Glibc
import HCITransport
import Logging
import StateFiles

/// Packets before a fault.
package struct FlightRecording: Equatable, Sendable {
    /// Why the recording was kept.
    package var reason: String
    /// The time since the recording was kept.
    package var age: Duration
    /// A btsnoop file without keys.
    package var file: [UInt8]
    /// The newest lines of the log at that time, oldest first.
    package var log: [String] = []
}

/// Keeps the newest packets in memory. At a fault, the recorder keeps these packets with the log as a recording. The
/// last few recordings stay in memory, and as many are written to files as an SD card bears. Used on the radio thread;
/// files are written on another thread.
final class FlightRecorder {
    /// Limit of recordings in memory, and of files.
    static let limit = 2
    /// A fault sooner after a recording makes no further recording.
    static let pause: Duration = .seconds(60)
    /// Files that may be written at once; one more may be every ``filePause``.
    static let filesAtOnce = 3
    static let filePause: Duration = .seconds(3600)

    private struct Kept {
        var recording: FlightRecording
        var time: MonotonicTime
    }

    private var kept: [Kept] = []
    private var ring: FlightRing
    private var last: MonotonicTime?
    private var fileAllowance = FlightRecorder.filesAtOnce
    private var allowanceSince: MonotonicTime?
    private let folder: FlightFolder?
    private let log: (@Sendable () -> [String])?
    private let disk = DispatchQueue(label: "martlet-flight", qos: .utility)

    /// - Parameters:
    ///   - capacity: octets of memory for packets.
    ///   - log: the newest lines of the log, oldest first, without secrets.
    init(capacity: Int, folder: FlightFolder?, log: (@Sendable () -> [String])? = nil) {
        ring = FlightRing(capacity: capacity)
        (self.folder, self.log) = (folder, log)
    }

    func record(_ packet: RawSpan, _ direction: BTSnoopWriter.Direction) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let seconds = UInt64(clamping: time.tv_sec), micros = UInt64(clamping: time.tv_nsec / 1000)
        ring.record(packet, direction, microseconds: seconds &* 1_000_000 &+ micros)
    }

    /// As ``FlightRing/hideValues(on:)``.
    func hideValues(on handle: UInt16) { ring.hideValues(on: handle) }

    /// A fault has occurred. Keeps the content of the ring, in memory and as a file, within the bounds of both.
    func freeze(reason: String, at now: MonotonicTime) {
        guard ring.count > 0, last.map({ now - $0 >= Self.pause }) ?? true else { return }
        last = now
        let recording = FlightRecording(reason: reason, age: .zero, file: ring.file(), log: log?() ?? [])
        if kept.count >= Self.limit { kept.removeFirst() }
        kept.append(Kept(recording: recording, time: now))
        guard let folder, mayWrite(at: now) else { return }
        disk.async { folder.keep(recording) }
    }

    /// All kept recordings, oldest first, and the present content of the ring last.
    func all(at now: MonotonicTime) -> [FlightRecording] {
        let earlier = kept.map { kept in
            var recording = kept.recording
            recording.age = now - kept.time
            return recording
        }
        return ring.count == 0 ? earlier : earlier + [FlightRecording(reason: "now", age: .zero, file: ring.file())]
    }

    /// Waits until files are written, 2 s at most: a disk may hang.
    func finishSaving() {
        let isDone = DispatchSemaphore(value: 0)
        disk.async { isDone.signal() }
        _ = isDone.wait(timeout: .now() + 2)
    }

    private func mayWrite(at now: MonotonicTime) -> Bool {
        let since = allowanceSince ?? now
        let earned = Int((now - since) / Self.filePause)
        if fileAllowance + earned >= Self.filesAtOnce {
            (fileAllowance, allowanceSince) = (Self.filesAtOnce, now)
        } else {
            fileAllowance += earned
            allowanceSince = since + Self.filePause * earned
        }
        guard fileAllowance > 0 else { return false }
        fileAllowance -= 1
        return true
    }
}

/// The folder of recordings. Only the newest few are kept, and only the gateway's user can read them.
package struct FlightFolder: Sendable {
    let path: String
    let files: any StateFileSystem
    let logger: Logger

    /// Writes the packets and, beside them, the log. Files are numbered, because a clock may be wrong. A failure to
    /// write is logged.
    func keep(_ recording: FlightRecording) {
        do {
            _ = try files.makeDirectory(path)
            let names = try files.names(in: path)
            // An earlier run may have left half-written files.
            for name in names where name.hasSuffix(".new") { try files.remove("\(path)/\(name)") }
            let numbers = names.compactMap(Self.number).sorted()
            let next = (numbers.last ?? 0) + 1
            if !recording.log.isEmpty {
                try write(Array((recording.log.joined(separator: "\n") + "\n").utf8), as: Self.logName(next))
            }
            try write(recording.file, as: Self.name(next))
            // Old files are removed only now: a disk without room keeps its old files.
            for number in numbers.dropLast(FlightRecorder.limit - 1) {
                try files.remove("\(path)/\(Self.name(number))")
                if names.contains(Self.logName(number)) { try files.remove("\(path)/\(Self.logName(number))") }
            }
            try files.synchronize(directory: path)
            logger.warning("the packets before the fault are kept", metadata: ["file": "\(path)/\(Self.name(next))"])
        } catch {
            logger.warning("the packets before the fault cannot be written", metadata: ["error": "\(error)"])
        }
    }

    private func write(_ octets: [UInt8], as name: String) throws {
        // A half-written file must not take the last room of a disk.
        try StateFile.replace("\(path)/\(name)", with: Data(octets), in: path, on: files)
    }

    /// The name of the newest recording in a folder; nil without a recording.
    package static func newest(in path: String) -> String? {
        let names = (try? DiskFileSystem().names(in: path)) ?? []
        return names.compactMap(number).max().map(name)
    }

    static func name(_ number: Int) -> String { "flight-\(number).btsnoop" }

    static func logName(_ number: Int) -> String { "flight-\(number).log" }

    private static func number(of name: String) -> Int? {
        guard name.hasPrefix("flight-"), name.hasSuffix(".btsnoop") else { return nil }
        let digits = name.dropFirst(7).dropLast(8)
        guard (1...15).contains(digits.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}
