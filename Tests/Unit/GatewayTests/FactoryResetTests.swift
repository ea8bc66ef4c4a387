// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import StateFiles
import Testing

@testable import Gateway
@testable import GatewayBench

@Suite("Reset to factory settings")
struct FactoryResetTests {
    private static let things = [
        "config.d/50-provisioned.toml", "config.d/ca-1.pem", "bonds/a/b.bond", "cache/a.json", "provision.json",
        "charts/charts.db", "flight/flight-1.btsnoop", "restore.new/files/bonds/a/b.bond",
    ]
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let kept = ["gateway-id", "journal.db"]

    @Test("settings and learned facts go, the journal's file and the gateway's name stay")
    func removal() throws {
        let folder = try TestFolder()
        for name in Self.things + Self.kept { try folder.write(name, "x") }
        let reset = FactoryReset(stateDirectory: folder.path)
        try reset.removeFiles(logger: logger)
        #expect(FileManager.default.fileExists(atPath: folder.path("bonds/a/b.bond")), "nobody has asked for it")
        try reset.begin()
        #expect(reset.isUnderway)
        try reset.removeFiles(logger: logger)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                == ["factory-reset", "gateway-id", "journal.db"])
        try reset.end()
        #expect(!reset.isUnderway)
    }

    @Test("no record of the past stays, but the count of recoveries, the trigger of the LED and the work under way")
    func records() throws {
        let folder = try TestFolder()
        let reset = FactoryReset(stateDirectory: folder.path)
        let kept: Set<String> = ["factory-reset", "recoveries.json", "led", PendingRestore.folderName]
        for name in StateInventory.others { try folder.write(name, "x") }
        try reset.begin()
        try reset.removeFiles(logger: logger)
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == kept)
    }

    @Test("peers are forgotten, and the identity that phones have not met before stays")
    func identity() throws {
        let folder = try TestFolder()
        try folder.write(
            "peers.json",
            """
            {"version":1,"randomAddress":"C0:00:00:00:00:77","hasOwnIdentity":true,"peers":[{"identifier":
            "00000000-0000-0000-0000-000000000001","address":"C4:7C:8D:00:11:22","random":true}]}
            """)
        let reset = FactoryReset(stateDirectory: folder.path)
        try reset.begin()
        try reset.removeFiles(logger: logger)
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("peers.json")))
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(file["randomAddress"] as? String == "C0:00:00:00:00:77" && file["hasOwnIdentity"] as? Bool == true)
        #expect((file["peers"] as? [Any])?.isEmpty == true)
    }

    @Test("a power cut at any step is gone on from, or was before anything went")
    func powerCut() throws {
        for steps in 0..<32 {
            let disk = SimulatedConfigurationDisk()
            for name in Self.things + Self.kept { disk.put([1], at: "/state/" + name) }
            let reset = FactoryReset(stateDirectory: "/state", disk: disk)
            disk.endPower(after: steps)
            let isDone: Bool
            do {
                try reset.begin()
                try reset.removeFiles(logger: logger)
                try reset.end()
                isDone = true
            } catch {
                isDone = false
            }
            let all = (Self.things + Self.kept).map { "/state/" + $0 }.sorted()
            for found in disk.disksAfterPowerCut() {
                let again = FactoryReset(stateDirectory: "/state", disk: found)
                if again.isUnderway {
                    try again.removeFiles(logger: logger)
                    try again.end()
                    #expect(found.files == Self.kept.map { "/state/" + $0 }.sorted())
                } else {
                    // The next reset replaces an unfinished marker.
                    let files = found.files.filter { !$0.hasSuffix(StateFile.unfinished) }
                    #expect(files == Self.kept.map { "/state/" + $0 }.sorted() || (files == all && !isDone))
                }
            }
            if isDone { return }
        }
        Issue.record("it never ends")
    }
}
