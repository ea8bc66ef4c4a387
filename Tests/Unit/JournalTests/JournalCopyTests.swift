// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Testing

@testable import GatewayBench
@testable import Journal

/// The copy of a journal in a backup may have been changed by anybody who has the passphrase, or by a bad disk.
@Suite("A journal from a backup")
struct JournalCopyTests {
    private let scene: JournalScene

    init() throws {
        scene = try JournalScene()
        try scene.fill(30)
    }

    private func complaint() -> String? {
        do throws(JournalError) {
            _ = try JournalCopy.prepare(scene.path, above: 1_000)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("an unharmed copy is taken")
    func good() { #expect(complaint() == nil) }

    @Test("a copy with a damaged list of free pages is refused, and stays as it is")
    func freePages() throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: scene.path))
        // The first page of the list, and the number of its pages: https://www.sqlite.org/fileformat2.html, 1.3.
        try file.seek(toOffset: 32)
        try file.write(contentsOf: [0, 0, 0, 2, 0, 0, 0, 9])
        try file.close()
        let before = FileManager.default.contents(atPath: scene.path)
        let told = complaint()
        #expect(told?.contains("freelist") == true || told?.contains("Freelist") == true, "\(told ?? "it was taken")")
        #expect(FileManager.default.contents(atPath: scene.path) == before)
    }

    @Test("a value that no sensor can have sent is refused", arguments: [4_096, 4_097])
    func value(octets: Int) throws {
        let queue = try DatabaseQueue(path: scene.path)
        try queue.write {
            try $0.execute(sql: "UPDATE reading SET value = zeroblob(?) WHERE n = 7", arguments: [octets])
        }
        try queue.close()
        let told = complaint()
        #expect((told == nil) == (octets == 4_096))
        #expect(told?.contains("row 7 has a value that no sensor sends") ?? true, "\(told ?? "")")
    }
}
