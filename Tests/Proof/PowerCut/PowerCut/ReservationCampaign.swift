// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Logging
import Platform
import Readings
import TestMaterials

@testable import Journal

/// A journal whose database is lost in a power cut, as after a repair of the file system. Only the lock file prevents reused row numbers.
package struct ReservationCampaign: Sendable {
    package struct Report: Sendable {
        /// Cuts after which a number had been given before.
        package var points = 0
        /// Reused numbers, and new numbers that are not above the old ones.
        package var failures: [String] = []
    }

    package var seed: UInt64
    package var bursts = 12
    /// A disk that reports the lock file as durable, and does nothing.
    package var ignoresSyncs = false
    package var scratch: String

    package init(seed: UInt64, scratch: String) {
        self.seed = seed
        self.scratch = scratch
    }

    private static let database = "journal.db"
    private static let lock = database + ".lock"

    package func run() throws -> Report {
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        var report = Report()
        var disk = DiskModel()
        var expectation = Expectation()
        for (place, entry) in try record().enumerated() {
            switch entry {
            case .mark(let mark): expectation.add(mark)
            case .disk(.sync(Self.lock)) where ignoresSyncs: continue
            case .disk(let operation):
                if expectation.highestRow > 0 { try cut(place, disk, expectation.highestRow, &report) }
                disk.apply(operation)
            }
        }
        return report
    }

    private func record() throws -> [Recording.Entry] {
        let folder = try emptyFolder("run")
        let recording = try Recording(folder: folder, beside: Self.lock)
        let journal = try open(folder, recording.folders)
        for _ in 0..<bursts {
            try append(10, to: journal)
            let rows = try journal.rows(after: 0, limit: 1_000)
            recording.mark(.handedOut(rows.map { HandedRow(n: $0.n, reading: ReadingNumber($0.n)) }))
        }
        journal.close()
        recording.end()
        return recording.content
    }

    private func cut(_ place: Int, _ disk: DiskModel, _ highest: Int64, _ report: inout Report) throws {
        var dice = Dice(seed: seed, part: place)
        let survival = Survival.allCases.filter { $0 != .rubbish }.randomElement(using: &dice) ?? .nothing
        let folder = try emptyFolder("cut")
        for (name, octets) in disk.image(survival, &dice) where !name.hasPrefix(Self.database) || name == Self.lock {
            try Data(octets).write(to: URL(filePath: folder + "/" + name))
        }
        let journal = try open(folder, .system)
        try append(1, to: journal)
        let new = try journal.rows(after: 0, limit: 2).map(\.n)
        journal.close()
        report.points += 1
        if new.count != 1 || new[0] <= highest {
            report.failures.append("cut before \(place), \(survival): \(highest) was given, and then \(new)")
        }
    }

    private func open(_ folder: String, _ folders: FolderOperations) throws -> Journal {
        let configuration = JournalConfiguration(
            path: folder + "/" + Self.database, commitRows: 1_000_000, commitInterval: .seconds(3_600))
        return try Journal(
            configuration, clock: .system, folders: folders,
            logger: Logger(label: "reservation") { _ in SwiftLogNoOpLogHandler() })
    }

    private func append(_ count: Int, to journal: Journal) throws {
        let done = DispatchSemaphore(value: 0)
        let stamp = TimeStamp(boot: "b0000001", uptimeMilliseconds: 1, unixMilliseconds: nil, quality: .unsynced)
        let reading = Reading(
            device: "sensor", characteristic: "2a6e", source: .notify, value: [1, 2], rssi: nil, stamp: stamp)
        journal.append(Array(repeating: reading, count: count)) { _ in done.signal() }
        done.wait()
    }

    private func emptyFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        // SQLite follows symbolic links, and the recording goes by SQLite's names.
        let folder = URL(filePath: scratch).resolvingSymlinksInPath().path + "/" + name
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }
}
