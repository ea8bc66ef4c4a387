// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Testing

@testable import Gateway
@testable import GatewayBench

/// Backups that open with the passphrase, and that no gateway has written: somebody gives the operator a file and its passphrase.
struct HostileBackupTests {
    private let scene: BackupScene

    init() throws {
        scene = try BackupScene()
        try scene.fill(3)
    }

    private func expectRefusal(_ words: String, _ entries: [(name: String, octets: [UInt8])]) throws {
        try scene.write(entries)
        let before = try scene.tree()
        #expect {
            _ = try scene.restore()
        } throws: { error in
            "\(error)".contains(words)
        }
        #expect(try scene.tree() == before, "\(words)")
    }

    private func configuration() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: scene.places.configuration)))
    }

    @Test(arguments: [
        "state/restore/plan.json", "state/restore.new/plan.json", "state/factory-reset", "state/corrupt/x",
        "state/journal.db", "state/journal.db-wal", "state/journal.db.lock", "state/peers.json.new",
        "state/bonds.new/x", "state/1/2/3/4/5/6/7/8", "beside/martlet.toml",
    ])
    func `an entry of a kind that no backup has is refused, and changes nothing`(_ name: String) throws {
        try expectRefusal("an entry is in a strange place", [("configuration", try configuration()), (name, [1])])
    }

    @Test(arguments: ["configuration", "state/peers.json", "journal", "credential/martlet.mqtt.password"])
    func `an entry that comes twice is refused, and changes nothing`(_ name: String) throws {
        let octets = name == "configuration" ? try configuration() : []
        try expectRefusal("an entry is in it twice", [(name, octets), ("state/other", []), (name, octets)])
    }

    @Test func `more files than a gateway has are refused, and change nothing`() throws {
        // The files are empty, so that the bound of their sizes says nothing.
        try expectRefusal(
            "it has more than \(StateInventory.maximumEntries) files",
            (0...StateInventory.maximumEntries).map { ("beside/conf.d/\($0).toml", []) })
    }

    @Test func `the readings of a restored journal are counted, whatever the manifest says`() throws {
        let queue = try DatabaseQueue(path: scene.places.journal)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
        let journal = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scene.places.journal)))
        try scene.write([("configuration", try configuration()), ("journal", journal)], rows: 4_711)
        #expect(try scene.restore().rows == 3)
    }

    @Test func `each file of a gateway's state has a name that a restore takes`() throws {
        try scene.folder.write("state/1/2/3/4/5/6/7", "deep")
        let (state, journal) = (scene.places.stateDirectory, scene.places.journal)
        let files = try StateInventory(of: state, journal: journal).files
        #expect(files.contains("1/2/3/4/5/6/7"))
        #expect(files.allSatisfy { StateInventory.lists($0, in: state, journal: journal) })
        // A journal elsewhere keeps no name of the state directory for itself.
        #expect(StateInventory.lists("journal.db", in: state, journal: "/srv/journal.db"))
    }
}
