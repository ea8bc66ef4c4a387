// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Gateway

@Suite("Reset to factory settings")
struct FactoryResetTests {
    private static let things = ["config.d/50-provisioned.toml", "config.d/ca-1.pem", "bonds/a/b.bond", "peers.json"]
    private static let kept = ["gateway-id", "journal.db"]

    @Test("what was set up and learned goes, the journal's file and the gateway's name stay")
    func removal() throws {
        let folder = try TemporaryFolder()
        for name in Self.things + Self.kept { try folder.write(name, "x") }
        let reset = FactoryReset(stateDirectory: folder.path)
        try reset.removeFiles()
        #expect(FileManager.default.fileExists(atPath: folder.path("peers.json")), "nobody has asked for it")
        try reset.begin()
        #expect(reset.isUnderway)
        try reset.removeFiles()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                == ["factory-reset", "gateway-id", "journal.db"])
        try reset.end()
        #expect(!reset.isUnderway)
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
                try reset.removeFiles()
                try reset.end()
                isDone = true
            } catch {
                isDone = false
            }
            let all = (Self.things + Self.kept).map { "/state/" + $0 }.sorted()
            for found in disk.disksAfterPowerCut() {
                let again = FactoryReset(stateDirectory: "/state", disk: found)
                if again.isUnderway {
                    try again.removeFiles()
                    try again.end()
                    #expect(found.files == Self.kept.map { "/state/" + $0 }.sorted())
                } else {
                    #expect(found.files == Self.kept.map { "/state/" + $0 }.sorted() || (found.files == all && !isDone))
                }
            }
            if isDone { return }
        }
        Issue.record("it never ends")
    }
}
