// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCITransport
import Logging
import StateFiles
import Synchronization
import Testing

@testable import BluetoothHost

struct FlightRecorderTests {
    private static let packet: [UInt8] = [0x04, 0x10, 0x01, 0x42]

    private func seconds(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func `recordings are few, files fewer, and readable by their owner alone`() throws {
        let path = NSTemporaryDirectory() + "martlet-flight-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = FlightFolder(path: path, files: DiskFileSystem(), logger: Logger(label: "test"))
        let recorder = FlightRecorder(capacity: 0, folder: folder) { ["a line", "the last line"] }
        func reasons() -> [String] { recorder.all(at: seconds(10_000)).map(\.reason) }
        recorder.freeze(reason: "nothing was heard yet", at: seconds(0))
        #expect(reasons().isEmpty)
        recorder.record(Self.packet.span.bytes, .received)
        // At most one recording a minute.
        recorder.freeze(reason: "first", at: seconds(100))
        recorder.freeze(reason: "at once again", at: seconds(159))
        #expect(reasons() == ["first", "now"])
        // Three files at once, then one an hour: 1, 2 and 3 are written, later recordings are not, and an hour later 4
        // is.
        for minute in 1...10 { recorder.freeze(reason: "\(minute)", at: seconds(100 + minute * 60)) }
        recorder.finishSaving()
        #expect(reasons() == ["9", "10", "now"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [
                "flight-2.btsnoop", "flight-2.log", "flight-3.btsnoop", "flight-3.log",
            ])
        recorder.freeze(reason: "later", at: seconds(100 + 3600))
        recorder.finishSaving()
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(names == ["flight-3.btsnoop", "flight-3.log", "flight-4.btsnoop", "flight-4.log"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let last = try Data(contentsOf: URL(filePath: "\(path)/flight-4.btsnoop"))
        let kept = recorder.all(at: seconds(100 + 3660)).dropLast().last
        #expect(Array(last) == kept?.file && kept?.age == .seconds(60) && kept?.log == ["a line", "the last line"])
        #expect(try String(contentsOfFile: "\(path)/flight-4.log", encoding: .utf8) == "a line\nthe last line\n")
    }

    @Test func `a disk without room keeps the recordings that it has, and nothing of the new one`() throws {
        let path = NSTemporaryDirectory() + "martlet-flight-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let disk = LittleDisk()
        let recorder = FlightRecorder(
            capacity: 0, folder: FlightFolder(path: path, files: disk, logger: Logger(label: "test")))
        recorder.record(Self.packet.span.bytes, .received)
        recorder.freeze(reason: "1", at: seconds(60))
        recorder.finishSaving()
        // A killed run has left a file.
        try Data().write(to: URL(filePath: "\(path)/flight-7.btsnoop.new"))
        recorder.freeze(reason: "2", at: seconds(120))
        recorder.finishSaving()
        disk.isFull.withLock { $0 = true }
        recorder.freeze(reason: "3", at: seconds(180))
        recorder.finishSaving()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [
                "flight-1.btsnoop", "flight-2.btsnoop",
            ])
        #expect(FlightFolder.newest(in: path) == "flight-2.btsnoop")
        #expect(FlightFolder.newest(in: path + "/none") == nil)
    }

    /// A real disk. When it is full, it has room for names alone.
    private final class LittleDisk: StateFileSystem {
        let disk = DiskFileSystem()
        let isFull = Mutex(false)

        func write(_ octets: [UInt8], to descriptor: Int32) throws(StateFileError) {
            guard !isFull.withLock({ $0 }) else { throw StateFileError(step: "write", code: ENOSPC) }
            try disk.write(octets, to: descriptor)
        }

        func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
            try disk.makeDirectory(path)
        }
        func synchronize(directory: String) throws(StateFileError) { try disk.synchronize(directory: directory) }
        func names(in directory: String) throws(StateFileError) -> [String] { try disk.names(in: directory) }
        func create(_ path: String) throws(StateFileError) -> Int32 { try disk.create(path) }
        func synchronize(_ descriptor: Int32) throws(StateFileError) { try disk.synchronize(descriptor) }
        func close(_ descriptor: Int32) { disk.close(descriptor) }
        func rename(_ path: String, to other: String) throws(StateFileError) { try disk.rename(path, to: other) }
        func remove(_ path: String) throws(StateFileError) { try disk.remove(path) }
        func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? {
            try disk.read(path, limit: limit)
        }
    }
}
