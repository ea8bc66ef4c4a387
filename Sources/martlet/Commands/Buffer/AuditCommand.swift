// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import Journal

struct AuditCommand: ListedCommand {
    static let place = HelpPlace(.readings, 20)
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Prove that no reading is unaccounted for.",
        discussion: """
            Reads the journal, also beside a running gateway, and shows for each sensor: received = delivered + buffered \
            + dropped, and by MISSING how many values its own sequence says were never received. \
            Ends with status 1 when the books do not balance.
            """,
        examples: [
            "martlet audit": "the books of each sensor",
            "martlet audit --full --journal copy.db": "a copy of the journal, page by page",
        ])

    @OptionGroup var journal: JournalOptions

    @Flag(help: "Check every page of the file, too; takes as long as reading it.")
    var full = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let audit: Audit
        do {
            let path = try journal.load().journal.path
            audit = try JournalOptions.withRights(to: path) { try Audit(path: path, full: full) }
        } catch let error as JournalError {
            throw JournalOptions.failure(error)
        }
        if json {
            Output.line(String(decoding: try ControlCoding.encode(audit), as: UTF8.self))
        } else {
            for line in Self.lines(audit) { Output.line(line) }
        }
        guard audit.balances else { throw ExitStatus.failure }
    }

    static func lines(_ audit: Audit) -> [String] {
        let header = ["SENSOR", "RECEIVED", "DELIVERED", "BUFFERED", "DROPPED", "MISSING", "REASONS"]
        let rows = audit.sensors.map { row($0, named: $0.device ?? "(no sensor known)") }
        var lines = Text.table([header] + rows + [row(audit.total, named: "total")], rightAligned: [1, 2, 3, 4, 5])
        lines.append("")
        if let integrity = audit.integrity { lines.append("integrity check: \(Text.plain(integrity))") }
        if audit.balances {
            lines.append("The books balance: received = delivered + buffered + dropped.")
        } else {
            lines += ["The books do not balance:"] + audit.complaints.map { "! " + Text.plain($0) }
        }
        return lines
    }

    private static func row(_ account: Audit.Account, named name: String) -> [String] {
        return [Text.plain(name)]
            + [account.received, account.delivered, account.buffered, account.droppedTotal, account.missing].map {
                String($0)
            } + [StatusText.reasons(account.dropped)]
    }
}
