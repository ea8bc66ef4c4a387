// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Foundation
import Publisher
import StateFiles
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Readings

@Suite("Backup and restore", .serialized)
struct BackupTests {
    private let scene: BackupScene

    init() throws { scene = try BackupScene() }

    @Test func `another board becomes the gateway, with each reading once and numbers above all that were used`() throws
    {
        try scene.fill(300, delivered: [1, 2])
        let before = try scene.tree()
        let rows = try scene.rows()
        let report = try scene.save()
        #expect(
            report.manifest.gateway == "gw-aaaaa0" && report.manifest.rows == 298 && report.manifest.greatest == 300)
        try scene.replaceBoard()
        try scene.folder.write("etc/conf.d/99-other.toml", "[gateway]\nname = \"Other\"\n")
        let restored = try scene.restore()
        #expect(restored.gateway == "gw-aaaaa0" && restored.rows == 298 && restored.bonds == 1)
        #expect(restored.number == BackupScene.now + 1_000)
        #expect(restored.aside == [scene.folder.path("etc/conf.d/99-other.toml.before-restore")])
        let after = try scene.tree()
        for name in BackupScene.state.map({ "state/" + $0 })
            + ["etc/martlet.toml", "etc/conf.d/10-name.toml", "etc/secrets/mqtt"]
        {
            #expect(before[name] != nil && after[name] == before[name], "\(name)")
        }
        #expect(!after.keys.contains { $0.hasSuffix(".restore") || $0.contains("restore/") || $0.contains("support") })
        // The other board's marks belong to the gateway now: its start takes it for no copy.
        let configuration = try scene.configuration(fresh: "gw-222222")
        #expect(configuration.gateway == "gw-aaaaa0" && configuration.warnings.isEmpty, "\(configuration.warnings)")
        #expect(configuration.mqtt.password?.revealed == BackupScene.secret && configuration.name == "Attic")
        #expect(try scene.rows() == rows)
        try scene.fill(2)
        let numbers = try scene.rows().map(\.n)
        #expect(numbers == Array(3...300) + [restored.number + 1, restored.number + 2])
        #expect(scene.log.all.isEmpty, "the journal misses nothing: \(scene.log.all)")
    }

    @Test func `a gateway that goes on in a new board gives no number that its former board may have given`() throws {
        try scene.fill(300, delivered: [1, 2])
        let place = GatewayName(stateDirectory: scene.places.stateDirectory)
        func leap() throws -> Int64? {
            try NumberLeap.finish(
                stateDirectory: scene.places.stateDirectory, journal: scene.places.journal, at: BackupScene.now)
        }
        #expect(try leap() == nil, "no word of an operator")
        var identity = try #require(GatewayIdentity("gw-bbbbb0\ncopied-from gw-aaaaa0\n"))
        let isCopy = identity.isSameGateway()
        try place.keep(identity)
        let number = try leap()
        #expect(isCopy && number == BackupScene.now)
        guard case .identity(let kept) = place.read() else {
            Issue.record("no identity")
            return
        }
        #expect(kept.name == "gw-aaaaa0" && !kept.leaps)
        #expect(try leap() == nil, "once")
        try scene.fill(2)
        #expect(try scene.rows().map(\.n) == Array(3...300) + [BackupScene.now + 1, BackupScene.now + 2])
        #expect(scene.log.all.isEmpty, "the journal misses nothing: \(scene.log.all)")
    }

    @Test func `the file is for its owner alone, and shows nothing`() throws {
        try scene.fill(10)
        try scene.save()
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let data = try Data(contentsOf: URL(fileURLWithPath: scene.file))
        for text in [BackupScene.secret, "gw-aaaaa0", "SQLite format", "peers.json"] {
            #expect(data.range(of: Data(text.utf8)) == nil, "\(text)")
        }
        #expect(data.prefix(8) == Data("MARTLETB".utf8))
        // Nothing is left beside the file and the journal.
        let names = try scene.tree().keys
        #expect(!names.contains { $0.contains(".new") || $0.hasSuffix(".backup") })
    }

    @Test func `two backups of one gateway have two keys`() throws {
        try scene.save()
        let first = try Data(contentsOf: URL(fileURLWithPath: scene.file))
        try scene.save()
        let second = try Data(contentsOf: URL(fileURLWithPath: scene.file))
        #expect(first.dropFirst(16).prefix(16) != second.dropFirst(16).prefix(16))
        // A part of one backup does not pass for the other's.
        let mixed = second.prefix(32) + first.dropFirst(32)
        try mixed.write(to: URL(fileURLWithPath: scene.file))
        #expect(throws: BackupError.wrongPassphrase) { try scene.restore() }
    }

    // MARK: - Numbers

    @Test func `numbers go on above each number that was used, here or there`() throws {
        try scene.fill(5)
        try scene.save()
        // A clock that knows nothing: the backup's time counts.
        #expect(try scene.restore(now: 0).number == BackupScene.now)
        // The gateway went on since: its numbers are used, too.
        try scene.fill(40)
        let used = try scene.rows().map(\.n).max() ?? 0
        #expect(used == BackupScene.now + 40)
        let again = try scene.restore(now: BackupScene.now + 2)
        #expect(again.number >= used + NumberLeap.least)
        try scene.fill(1)
        #expect(try scene.rows().map(\.n).max() ?? 0 > used)
    }

    @Test func `a backup restored on two boards one after the other gives no number twice`() throws {
        try scene.fill(5)
        try scene.save()
        var seen: Set<Int64> = []
        for (board, hour) in [("c", 1), ("d", 2)] as [(String, Int64)] {
            try scene.replaceBoard()
            try scene.board(board)
            try scene.restore(now: BackupScene.now + hour * 3_600_000)
            try scene.fill(1_000)
            for n in try scene.rows().map(\.n) where n > 5 { #expect(seen.insert(n).inserted) }
        }
        #expect(seen.count == 2_000)
    }

    @Test func `a gateway without a journal gets an empty one, whose numbers are above as well`() throws {
        try scene.save()
        try scene.fill(3)
        let report = try scene.restore()
        #expect(try report.rows == 0 && scene.rows().isEmpty)
        try scene.fill(1)
        #expect(try scene.rows().map(\.n) == [report.number + 1])
    }

    // MARK: - Files that change nothing

    private func expectUnchanged(_ what: String, _ body: () throws -> Void) throws {
        let before = try scene.tree()
        #expect(throws: (any Error).self, "\(what)") { try body() }
        #expect(try scene.tree() == before, "\(what)")
    }

    @Test func `a wrong passphrase changes nothing`() throws {
        try scene.fill(5)
        try scene.save()
        try expectUnchanged("passphrase") {
            do {
                try scene.restore(nil, Secret("correct horse batter"))
            } catch {
                #expect(error as? BackupError == .wrongPassphrase)
                throw error
            }
        }
    }

    @Test func `a file that was cut, changed or put together anew changes nothing`() throws {
        try scene.fill(5_000)
        try scene.save()
        let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scene.file)))
        let chunk = BackupChunk.sealedLength
        let borders = stride(from: BackupHeader.length, to: octets.count, by: chunk)
        #expect(borders.underestimatedCount > 2)
        var bad: [String: [UInt8]] = [
            "empty": [], "longer": octets + [0], "a part more": octets + octets.suffix(chunk),
        ]
        for border in borders {
            for cut in [border - 1, border, border + 1] { bad["cut at \(cut)"] = Array(octets.prefix(cut)) }
            for place in [border, border + 40_000] where place < octets.count {
                bad["octet \(place)"] = octets
                bad["octet \(place)"]?[place] ^= 1
            }
        }
        for place in 0..<BackupHeader.length {
            bad["octet \(place)"] = octets
            bad["octet \(place)"]?[place] ^= 0x40
        }
        bad["last octet"] = octets.dropLast() + [octets[octets.count - 1] ^ 0x80]
        let (head, first, second) = (
            octets.prefix(32), octets.dropFirst(32).prefix(chunk), octets.dropFirst(32 + chunk).prefix(chunk)
        )
        bad["two parts changed places"] = Array(head + second + first + octets.dropFirst(32 + 2 * chunk))
        bad["a part twice"] = Array(head + first + first + second + octets.dropFirst(32 + 2 * chunk))
        bad["a part left out"] = Array(head + first + octets.dropFirst(32 + 2 * chunk))
        for (what, octets) in bad {
            try Data(octets).write(to: URL(fileURLWithPath: scene.folder.path("bad")))
            try expectUnchanged(what) { try scene.restore(scene.folder.path("bad")) }
        }
    }

    @Test func `a newer version is told, and changes nothing`() throws {
        try scene.save()
        var octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scene.file)))
        octets[8] = 2
        try Data(octets).write(to: URL(fileURLWithPath: scene.file))
        #expect(throws: BackupError.newer(version: 2)) { try scene.restore() }
        #expect("\(BackupError.newer(version: 2))".contains("update the program"))
    }

    @Test func `a full disk changes nothing, whatever was written by then`() throws {
        try scene.fill(2_000)
        let whole = try scene.save().octets
        for room in stride(from: 0, to: whole, by: 17_000) {
            let files = FailingFiles()
            files.room = room
            try expectUnchanged("backup with room for \(room)") { try scene.save(on: files) }
            files.room = room
            guard room < 100_000 else { continue }
            try expectUnchanged("restore with room for \(room)") { try scene.restore(on: files) }
        }
    }

    @Test func `a backup whose places are not this machine's is refused, with the lines that are missing`() throws {
        try scene.save()
        var places = scene.places
        places.stateDirectory = scene.folder.path("elsewhere")
        let restore = try GatewayRestore(scene.file, passphrase: BackupScene.passphrase, at: places)
        #expect {
            _ = try restore.run(now: BackupScene.now)
        } throws: { error in
            "\(error)".contains("state_directory = \"\(scene.folder.path("state"))\"")
        }
        #expect(!FileManager.default.fileExists(atPath: places.stateDirectory))
    }

    @Test func `a file that the configuration of the backup does not name is refused`() throws {
        // Anything may lie beside a configuration, a list of keys for logins for example.
        try scene.write([("beside/ssh/authorized_keys", [1])])
        try expectUnchanged("strange file") { try scene.restore() }
    }

    @Test(arguments: [
        "state/../x", "state//x", "state/", "beside/../../etc/passwd", "credential/x", "other", "", "state/a\u{0}",
        "state/a\u{1F}", "state/a\u{7F}", "state/.", "state/x/..", "/state/x", "state", "states/x",
        "state/1/2/3/4/5/6/7/8/9",
        "state/" + String(repeating: "x", count: 256),
    ])
    func `no name leads out of its folder`(_ name: String) throws {
        var entry = BackupEntry(.state("x"), size: 0)
        entry.name = name
        #expect(entry.kind == nil)
    }

    @Test(arguments: [
        "x y", "x~", ".x", "..x", "x..", "ä", "1/2/3/4/5/6/7/8", String(repeating: "x", count: 255),
    ])
    func `a name of the folder is taken, however strange it is`(_ path: String) {
        var entry = BackupEntry(.state("x"), size: 0)
        entry.name = "state/" + path
        #expect(entry.kind == .state(path))
    }

    @Test func `credentials go along, and an unreadable credential is told`() throws {
        let (password, page) = ("credstore/martlet.mqtt.password", "credstore/martlet.page.password")
        try scene.folder.write(password, "of-the-broker")
        // A folder in the place of a credential.
        try FileManager.default.createDirectory(
            atPath: scene.folder.path(page), withIntermediateDirectories: true)
        #expect(try scene.save().leftOut == [scene.folder.path(page)])
        try scene.replaceBoard()
        try FileManager.default.removeItem(atPath: scene.folder.path("credstore"))
        try scene.restore()
        #expect(try String(contentsOfFile: scene.folder.path(password), encoding: .utf8) == "of-the-broker")
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.folder.path(password))
        #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o133 } == 0)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a file that root restores is its former owner's, or its folder's`() throws {
        let (owner, other): (uid_t, uid_t) = (65_534, 65_533)
        func user(of name: String) -> uid_t? {
            var information = stat()
            return lstat(scene.folder.path(name), &information) == 0 ? information.st_uid : nil
        }
        try scene.save()
        try scene.replaceBoard()
        chmod(scene.folder.path, 0o755)
        let secrets = scene.folder.path("etc/secrets")
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: true)
        chown(secrets, owner, owner)
        try scene.folder.write("etc/conf.d/10-name.toml", "[gateway]\nname = \"Other\"\n")
        chown(scene.folder.path("etc/conf.d/10-name.toml"), other, other)
        try scene.restore()
        #expect(user(of: "etc/secrets/mqtt") == owner)
        #expect(user(of: "etc/conf.d/10-name.toml") == other)
    }

    // MARK: - A damaged journal

    @Test(arguments: [nil, 0, 1, 511, 5_000])
    func `a damaged journal is left out and told, and everything else is in the backup`(_ length: UInt64?) throws {
        try scene.fill(30)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: scene.places.journal))
        if let length {
            try file.truncate(atOffset: length)
        } else {
            // The first page of the list of free pages: https://www.sqlite.org/fileformat2.html, 1.3.
            try file.seek(toOffset: 32)
            try file.write(contentsOf: [0, 0, 0, 2, 0, 0, 0, 9])
        }
        try file.close()
        let report = try scene.save()
        #expect(report.leftOut.count == 1 && report.manifest.rows == 0 && report.files > 1)
        // A restore gives no number again, though the board's clock may be in the past.
        #expect(report.manifest.greatest >= 30)
        #expect(report.leftOut.first?.hasPrefix("\(scene.places.journal): damaged (") == true, "\(report.leftOut)")
        try scene.replaceBoard()
        let restored = try scene.restore()
        #expect(restored.rows == 0 && restored.files == report.files)
    }

    // MARK: - Links

    @Test func `a link in the state directory is not followed, and told`() throws {
        try scene.folder.write("shadow", "SECRET-OF-ROOT")
        try FileManager.default.createSymbolicLink(
            atPath: scene.folder.path("state/link"), withDestinationPath: scene.folder.path("shadow"))
        let report = try scene.save()
        #expect(report.leftOut == [scene.folder.path("state/link")])
        try scene.replaceBoard()
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("state"), withIntermediateDirectories: true)
        // A link in the place of a folder would send bonds elsewhere.
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("elsewhere"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: scene.folder.path("state/bonds"), withDestinationPath: scene.folder.path("elsewhere"))
        #expect(throws: (any Error).self) { try scene.restore() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.path("elsewhere")).isEmpty)
    }

    // MARK: - Power cuts

    @Test func `a power cut leaves the former gateway, or a restore that the next start ends`() throws {
        try scene.fill(20)
        try scene.save()
        try scene.replaceBoard()
        try scene.folder.write("state/peers.json", "former")
        var outcomes: Set<String> = []
        for steps in 0..<200 {
            let files = FailingFiles()
            files.steps = steps
            let before = try scene.tree()
            do {
                _ = try scene.restore(on: files)
                outcomes.insert("done")
                break
            } catch {
                let pending = PendingRestore(stateDirectory: scene.places.stateDirectory, journal: scene.places.journal)
                guard pending.isThere else {
                    outcomes.insert("before")
                    #expect(try scene.tree() == before, "\(steps)")
                    continue
                }
                outcomes.insert("pending")
                try pending.finish()
                #expect(!pending.isThere)
                #expect(
                    try String(contentsOfFile: scene.folder.path("state/peers.json"), encoding: .utf8) == "x peers.json"
                )
                #expect(try scene.rows().count == 20, "\(steps)")
                // Back to the other board's own state.
                try scene.replaceBoard()
                try scene.folder.write("state/peers.json", "former")
            }
        }
        #expect(outcomes == ["before", "pending", "done"])
    }
}
