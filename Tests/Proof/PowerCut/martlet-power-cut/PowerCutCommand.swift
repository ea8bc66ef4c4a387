// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway
import PowerCut

@testable import Journal

/// `make power-cut`: cuts power at many points of a recorded run of the journal.
@main
struct PowerCutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-power-cut",
        abstract: "Cuts power at many points of a recorded run of the journal, and examines what is left.")

    @Option(help: "How many points to cut at; all of them when there are fewer.")
    var points = 1_000

    @Option(help: "Seed of the run and of the choice; what happens at a point follows from it and the recording.")
    var seed: UInt64 = UInt64(Date().timeIntervalSince1970)

    @Option(help: "Bursts of readings in the recorded run, about one transaction each.")
    var bursts = 3_000

    @Option(help: "Folder for the images of points that fail.")
    var keep = ".build/power-cut"

    @Option(help: "Folder for everything else; emptied at the end.")
    var scratch = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/martlet-power-cut-\(getpid())"

    @Flag(help: "Prints the reports as JSON.")
    var json = false

    private struct Output: Encodable {
        let journal: [CampaignReport]
        let salvage: [SalvageReport]
    }

    func run() throws {
        var reports: [CampaignReport] = []
        // The promise of `fast` is small: a quarter of the points.
        let variants: [(JournalConfiguration.Durability, Int)] = [(.powerSafe, points), (.fast, max(points / 4, 1))]
        for (durability, points) in variants {
            var campaign = Campaign(
                points: points, seed: seed, durability: durability, bursts: bursts, scratch: scratch)
            campaign.keep = keep
            let report = try campaign.run { done, all in
                guard done == all || done.isMultiple(of: 50) else { return }
                let line = "power-cut, \(durability.rawValue): \(done) of \(all) points\n"
                FileHandle.standardError.write(Data(line.utf8))
            }
            reports.append(report)
            if !json { print(report) }
        }
        let salvages = try SalvageCampaign.Damage.allCases.map { damage in
            let report = try SalvageCampaign(damage, points: max(points / 4, 1), seed: seed, scratch: scratch).run()
            if !json { print(report) }
            return report
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(Output(journal: reports, salvage: salvages)), as: UTF8.self))
        }
        if reports.contains(where: { !$0.failures.isEmpty }) || salvages.contains(where: { !$0.failures.isEmpty }) {
            throw ExitCode.failure
        }
    }
}
