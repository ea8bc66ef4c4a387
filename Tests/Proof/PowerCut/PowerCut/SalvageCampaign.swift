// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GRDB
import Gateway
import Logging
import Platform
import Readings
import TestMaterials

@testable import Journal

/// A damaged journal that is moved away and copied: the power goes at each step, and again in the recovery.
///
/// Each cut run has to keep the same rows as an undisturbed run, once each, with the same counts.
package struct SalvageCampaign: Sendable {
    /// The damage to the file, and the files beside it.
    package enum Damage: String, CaseIterable, Codable, Sendable {
        /// Pages of rows are junk; the journal was closed.
        case rows
        /// As `rows`, with the last transactions in a log, as after a kill.
        case rowsBesideLog
        /// Nothing can be read.
        case everything
    }

    package var damage: Damage
    package var points: Int
    package var seed: UInt64
    package var rows = 2_600
    package var secondCutEvery = 3
    /// A disk that says "durable" and does nothing.
    package var ignoresSyncs = false
    package var scratch: String

    package init(_ damage: Damage, points: Int, seed: UInt64, scratch: String) {
        self.damage = damage
        self.points = points
        self.seed = seed
        self.scratch = scratch
    }

    package func run() throws -> SalvageReport {
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let damaged = try makeDamaged()
        let reference = try SalvageContent(undisturbed(damaged))
        let entries = try record(damaged)
        var report = SalvageReport(damage: damage, seed: seed, kept: reference.rows.count, dropped: reference.dropped)
        let places = entries.indices.filter { if case .disk = entries[$0] { true } else { false } } + [entries.count]
        report.possible = places.count
        var dice = Dice(seed: seed)
        let chosen = places.shuffled(using: &dice).prefix(points).sorted()
        var disk = DiskModel(files: damaged)
        var next = 0
        for (index, place) in chosen.enumerated() {
            while next < place {
                apply(entries[next], to: &disk)
                next += 1
            }
            try cut(place, disk, reference, twice: index % secondCutEvery == secondCutEvery - 1, &report)
        }
        return report
    }

    private static let database = "journal.db"

    private func apply(_ entry: Recording.Entry, to disk: inout DiskModel) {
        guard case .disk(let operation) = entry else { return }
        switch operation {
        case .sync, .syncFolder: if !ignoresSyncs { disk.apply(operation) }
        default: disk.apply(operation)
        }
    }

    private func cut(
        _ place: Int, _ disk: DiskModel, _ reference: SalvageContent, twice: Bool, _ report: inout SalvageReport
    ) throws {
        var dice = Dice(seed: seed, part: place)
        let survival = Survival.allCases.randomElement(using: &dice) ?? .sectors
        let image = disk.image(survival, &dice)
        report.points += 1
        guard twice else {
            return report.record(place, survival, try problems(image, reference))
        }
        let entries = try record(image)
        var second = DiskModel(files: image)
        for entry in entries.prefix(Int.random(in: 0...entries.count, using: &dice)) { apply(entry, to: &second) }
        let secondSurvival = Survival.allCases.randomElement(using: &dice) ?? .sectors
        report.twice += 1
        report.record(place, secondSurvival, try problems(second.image(secondSurvival, &dice), reference))
    }

    /// The differences from a run without a cut.
    private func problems(_ image: [String: [UInt8]], _ reference: SalvageContent) throws -> [String] {
        let folder = try write(image, "cut")
        do {
            let path = folder + "/" + Self.database
            let journal = try open(path)
            let books = journal.statistics
            journal.close()
            if let problem = books.problem {
                return ["it cannot be opened: \(problem); files: \(image.mapValues(\.count))"]
            }
            var problems = reference.differences(from: try SalvageContent(path))
            if !books.balances { problems.append("the books do not balance: \(books)") }
            let audit = try Audit(path: path, full: true)
            return problems + audit.complaints
        } catch {
            return ["\(error)"]
        }
    }

    // MARK: - The damaged journal

    private func open(_ path: String, folders: FolderOperations = .system) throws -> Journal {
        let configuration = JournalConfiguration(
            path: path, commitRows: 1_000_000, commitInterval: .seconds(3_600), queueCapacity: 1_000_000)
        return try Journal(
            configuration, clock: .system, folders: folders,
            logger: Logger(label: "salvage") { _ in SwiftLogNoOpLogHandler() })
    }

    private func makeDamaged() throws -> [String: [UInt8]] {
        let folder = try write([:], "run")
        let path = folder + "/" + Self.database
        var journal = try open(path)
        try commit(rows, to: journal)
        journal.acknowledge((1...Int64(rows)).filter { $0 % 7 == 0 })
        journal.setIdentifier("kept", for: "fact")
        journal.close()
        var log: [UInt8]?
        if damage == .rowsBesideLog {
            journal = try open(path)
            try commit(50, to: journal)
            log = try [UInt8](Data(contentsOf: URL(filePath: path + "-wal")))
        }
        var files = try read(folder)
        files[Self.database + "-shm"] = nil
        files[Self.database + "-wal"] = log
        if damage == .rowsBesideLog { journal.close() }
        var octets = files[Self.database] ?? []
        let junk = damage == .everything ? 0..<octets.count : 19 * 4_096..<21 * 4_096
        for index in junk where octets.indices.contains(index) { octets[index] = 0xA5 }
        files[Self.database] = octets
        return files
    }

    private func commit(_ count: Int, to journal: Journal) throws {
        let done = DispatchSemaphore(value: 0)
        let stamp = TimeStamp(boot: "b0000001", uptimeMilliseconds: 1, unixMilliseconds: nil, quality: .unsynced)
        journal.append(
            (0..<count).map { index in
                Reading(
                    device: "sensor-\(index % 5)", characteristic: "2a6e", source: .notify,
                    value: Workload.value(of: ReadingNumber(index), padding: 8), rssi: -60, stamp: stamp)
            }
        ) { _ in done.signal() }
        guard done.wait(timeout: .now() + 60) == .success else {
            throw Recording.Failure(description: "the journal takes no readings")
        }
    }

    private func undisturbed(_ damaged: [String: [UInt8]]) throws -> String {
        let path = try write(damaged, "reference") + "/" + Self.database
        try open(path).close()
        return path
    }

    private func record(_ files: [String: [UInt8]]) throws -> [Recording.Entry] {
        let folder = try write(files, "run")
        let recording = try Recording(folder: folder, beside: Self.database + ".lock")
        try open(folder + "/" + Self.database, folders: recording.folders).close()
        recording.end()
        return recording.content
    }

    // MARK: - Files

    private func write(_ image: [String: [UInt8]], _ name: String) throws -> String {
        // SQLite follows symbolic links, and the recording goes by SQLite's names.
        let folder = URL(filePath: scratch).resolvingSymlinksInPath().path + "/" + name
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (file, octets) in image {
            let path = URL(filePath: folder + "/" + file)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(octets).write(to: path)
        }
        return folder
    }

    private func read(_ folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try [UInt8](Data(contentsOf: URL(filePath: folder + "/" + name)))
        }
        return files
    }
}
