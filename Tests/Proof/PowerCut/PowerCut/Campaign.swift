// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import TestMaterials

@testable import Journal
@testable import Readings

/// One recorded run of the journal with cuts at many points. After each cut the campaign opens the journal again and examines it.
package struct Campaign: Sendable {
    package var points: Int
    package var seed: UInt64
    package var durability: JournalConfiguration.Durability
    /// The durability that the examination demands; a stricter one than `durability` shows that the examination finds missing rows.
    package var promise: JournalConfiguration.Durability
    /// A sensor's share of a full journal for the examination; nil for the real share.
    package var share: Int?
    package var bursts: Int
    /// Power goes once more while the journal recovers from the first cut, at every so many points; 0 for never.
    package var secondCutEvery = 5
    /// A disk that says "durable" and does nothing.
    package var ignoresSyncs = false
    /// Folder for all files of the run; made and removed. Memory is as good as a disk, because the campaign computes the state after a cut.
    package var scratch: String
    /// Folder for the images of points that failed; nil keeps none.
    package var keep: String?

    package init(
        points: Int, seed: UInt64, durability: JournalConfiguration.Durability, bursts: Int, scratch: String
    ) {
        self.points = points
        self.seed = seed
        self.durability = durability
        promise = durability
        self.bursts = bursts
        self.scratch = scratch
    }

    /// - Parameter progress: called after each point with the number of points done and of points in all.
    package func run(progress: (Int, Int) -> Void = { _, _ in }) throws -> CampaignReport {
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        var report = CampaignReport(seed: seed, durability: durability)
        let entries = try record(&report)
        let points = CutPoints(entries, database: Self.database)
        report.possible = points.count
        let chosen = points.chosen(self.points, seed: seed)
        var disk = DiskModel()
        var expectation = Expectation()
        var next = 0
        for (index, point) in chosen.enumerated() {
            while next < point.entry {
                replay(entries[next], &disk, &expectation)
                next += 1
            }
            let isTwice = secondCutEvery > 0 && index % secondCutEvery == secondCutEvery - 1
            try cut(point, disk, expectation, twice: isTwice, &report)
            progress(index + 1, chosen.count)
        }
        return report
    }

    static let database = "journal.db"
    private static let probe = Examination.firstProbe

    private func workload(_ folder: String) -> Workload {
        Workload.busy(
            path: folder + "/" + Self.database, durability: durability, seed: seed, bursts: bursts)
    }

    private func record(_ report: inout CampaignReport) throws -> [Recording.Entry] {
        let folder = try emptyFolder("run")
        let recording = try Recording(folder: folder, beside: Self.database + ".lock")
        let books = try workload(folder).run(recording)
        report.readings = books.received
        report.delivered = books.delivered
        report.dropped = books.dropped
        recording.end()
        report.syncs = recording.count { if case .sync = $0 { true } else { false } }
        report.checkpoints = recording.count { $0 == .sync(Self.database) }
        return recording.content
    }

    private func replay(_ entry: Recording.Entry, _ disk: inout DiskModel, _ expectation: inout Expectation) {
        switch entry {
        case .mark(let mark): expectation.add(mark)
        case .disk(.sync), .disk(.syncFolder(_)):
            guard !ignoresSyncs, case .disk(let operation) = entry else { return }
            disk.apply(operation)
        case .disk(let operation): disk.apply(operation)
        }
    }

    private func cut(
        _ point: (entry: Int, phase: CutPoints.Phase), _ disk: DiskModel, _ expectation: Expectation, twice: Bool,
        _ report: inout CampaignReport
    ) throws {
        var dice = Dice(seed: seed, part: point.entry)
        let survival = Survival.allCases.randomElement(using: &dice) ?? .sectors
        let image = disk.image(survival, &dice)
        let folder = try emptyFolder("cut")
        try write(image, to: folder, &dice)
        var expectation = expectation
        let recording = twice ? try Recording(folder: folder, beside: Self.database + ".lock") : nil
        let reservations = [Self.reservation(in: image)]
        var looking = examination(folder, expectation, Self.probe, report.readings, reservations, Self.knowsUsed(image))
        if let recording { looking.folders = recording.folders }
        let first = looking.problems {
            recording?.mark(.confirmed([Self.probe]))
        }
        recording?.end()
        report.add(point.phase)
        guard first.isEmpty, let recording else {
            try record(first, point, survival, image, &report)
            return
        }
        // The power goes again, during the recovery; earlier promises stay promises.
        var second = DiskModel(files: image)
        let entries = recording.content
        let end = Int.random(in: 0...entries.count, using: &dice)
        for entry in entries.prefix(end) { replay(entry, &second, &expectation) }
        let secondSurvival = Survival.allCases.randomElement(using: &dice) ?? .sectors
        let secondImage = second.image(secondSurvival, &dice)
        let secondFolder = try emptyFolder("cut")
        try write(secondImage, to: secondFolder, &dice)
        report.twice += 1
        let all = reservations + [Self.reservation(in: secondImage)]
        let problems = examination(
            secondFolder, expectation, Self.probe + 1, report.readings, all,
            Self.knowsUsed(image) && Self.knowsUsed(secondImage)
        ).problems()
        try record(problems.map { "after a second cut: \($0)" }, point, secondSurvival, secondImage, &report)
    }

    private func examination(
        _ folder: String, _ expectation: Expectation, _ probe: ReadingNumber, _ readings: Int,
        _ reservations: [Int64], _ canCountNumbers: Bool
    ) -> Examination {
        let workload = workload(folder)
        var configuration = workload.configuration
        // The new reading is to evict none.
        configuration.maximumRows += 1_000
        return Examination(
            configuration: configuration, expectation: expectation, promise: promise, probe: probe,
            sensors: workload.sensors, share: share ?? workload.share, readings: readings, reservations: reservations,
            canCountNumbers: canCountNumbers)
    }

    /// The highest used number, from which a new file continues. After an orderly end this file does not exist.
    private static func reservation(in image: [String: [UInt8]]) -> Int64 {
        let line = (image[database + ".lock"] ?? []).prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        return words.count == 2 && words[1] == "open" ? Int64(words[0]) ?? 0 : 0
    }

    /// Whether the content of the lock file, if any, names the used numbers.
    private static func knowsUsed(_ image: [String: [UInt8]]) -> Bool {
        let lines = (image[database + ".lock"] ?? []).split(separator: UInt8(ascii: "\n"))
        return lines.count < 2 || String(decoding: lines[1], as: UTF8.self).contains(" used")
    }

    private func emptyFolder(_ name: String) throws -> String {
        // SQLite follows symbolic links, and the recording goes by SQLite's names.
        let folder = URL(filePath: scratch).resolvingSymlinksInPath().path + "/" + name
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private func write(_ image: [String: [UInt8]], to folder: String, _ dice: inout Dice) throws {
        for (name, octets) in image {
            try Data(octets).write(to: URL(filePath: folder + "/" + name))
        }
        // SQLite never syncs the log's index, so it may hold anything.
        guard image[Self.database + "-wal"] != nil, dice.chance(50) else { return }
        let rubbish = (0..<4_096).flatMap { _ in withUnsafeBytes(of: dice.next(), Array.init) }
        try Data(rubbish).write(to: URL(filePath: folder + "/" + Self.database + "-shm"))
    }

    private func record(
        _ problems: [String], _ point: (entry: Int, phase: CutPoints.Phase), _ survival: Survival,
        _ image: [String: [UInt8]], _ report: inout CampaignReport
    ) throws {
        guard !problems.isEmpty else { return }
        var failure = CampaignReport.Failure(
            point: point.entry, phase: point.phase, survival: "\(survival)", problems: problems)
        if let keep {
            let folder = "\(keep)/seed-\(seed)-\(durability.rawValue)-point-\(point.entry)"
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (name, octets) in image { try Data(octets).write(to: URL(filePath: folder + "/" + name)) }
            failure.image = folder
        }
        report.failures.append(failure)
    }
}
