// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import PowerCut
import Readings
import Testing

@testable import Journal

// One test at a time: each blocks its thread for the disk, and other tests need their threads.
@Suite("Power cuts", .serialized)
struct PowerCutTests {
    private func campaign(
        points: Int, durability: JournalConfiguration.Durability = .powerSafe, bursts: Int = 450, seed: UInt64 = 5
    ) -> Campaign {
        let folder = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
        return Campaign(
            points: points, seed: seed, durability: durability, bursts: bursts,
            scratch: folder + "martlet-test-" + UUID().uuidString)
    }

    @Test func `a journal keeps its promises wherever power goes`() throws {
        let report = try campaign(points: 150).run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.points == 150)
        #expect(report.checkpoints > 2)
        #expect(report.delivered > 1_000)
        for reason in [DropReason.journalFull, .coalesced] { #expect((report.dropped[reason.rawValue] ?? 0) > 0) }
        for phase in CutPoints.Phase.allCases { #expect((report.phases[phase.rawValue] ?? 0) >= 10, "\(phase)") }
        #expect(report.twice == 30)
    }

    @Test func `without waiting for the disk only the last transactions can be missing`() throws {
        let report = try campaign(points: 40, durability: .fast, bursts: 300).run()
        #expect(report.failures.isEmpty, "\(report)")
    }

    @Test func `a journal that does not wait for the disk is caught when it promises to`() throws {
        var campaign = campaign(points: 40, durability: .fast, bursts: 250)
        campaign.promise = .powerSafe
        let report = try campaign.run()
        #expect(report.failures.contains { $0.problems.contains { $0.contains("confirmed readings are gone") } })
    }

    @Test func `an eviction that leaves a sensor less than its share is caught`() throws {
        var campaign = campaign(points: 40)
        campaign.share = 400
        let report = try campaign.run()
        #expect(report.failures.contains { $0.problems.contains { $0.contains("were confirmed and are lost") } })
    }

    private func salvage(_ damage: SalvageCampaign.Damage, points: Int) -> SalvageCampaign {
        let campaign = campaign(points: points)
        return SalvageCampaign(damage, points: points, seed: campaign.seed, scratch: campaign.scratch)
    }

    @Test(arguments: SalvageCampaign.Damage.allCases)
    func `wherever power goes while a damaged file is put away and copied, the same is kept, once`(
        damage: SalvageCampaign.Damage
    ) throws {
        let report = try salvage(damage, points: 60).run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.points == 60 && report.twice == 20)
        if damage != .everything {
            #expect(report.kept > 1_500)
            #expect((report.dropped[DropReason.corrupt.rawValue] ?? 0) > 10)
        }
    }

    @Test func `a copy that does not sync is caught`() throws {
        var campaign = salvage(.rows, points: 60)
        campaign.ignoresSyncs = true
        let report = try campaign.run()
        #expect(!report.failures.isEmpty)
    }

    private var reservations: ReservationCampaign {
        let campaign = campaign(points: 0)
        return ReservationCampaign(seed: campaign.seed, scratch: campaign.scratch)
    }

    @Test func `wherever power goes, a journal whose database is gone gives no number again`() throws {
        let report = try reservations.run()
        #expect(report.points > 50)
        #expect(report.failures.isEmpty, "\(report.failures)")
    }

    @Test func `a reservation of numbers that is not synced is caught`() throws {
        var campaign = reservations
        campaign.ignoresSyncs = true
        #expect(try campaign.run().failures.count > 10)
    }

    @Test func `a journal that does not sync is caught`() throws {
        var campaign = campaign(points: 40, bursts: 250)
        campaign.ignoresSyncs = true
        let report = try campaign.run()
        #expect(report.failures.count > 10)
    }
}
