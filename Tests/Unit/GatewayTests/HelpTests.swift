// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import Gateway
@testable import Operations
@testable import martlet

@Suite("Help, and unknown commands")
struct HelpTests {
    /// Every visible command, with the words of its call.
    private static func commands(
        _ command: any ParsableCommand.Type = Martlet.self, _ path: [String] = ["martlet"]
    ) -> [(path: [String], type: any ParsableCommand.Type)] {
        let inner = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        return [(path, command)] + inner.flatMap { commands($0, path + [$0.configuration.commandName ?? "?"]) }
    }

    @Test("the help of each command has examples, and the program accepts them")
    func examples() throws {
        #expect(Self.commands().count == 52)
        for (path, type) in Self.commands() {
            let help = Martlet.helpMessage(for: type, columns: 80)
            let lines = help.split(separator: "\n").filter { $0.hasPrefix("  martlet ") }
            let call = path.joined(separator: " ")
            #expect(help.contains("Examples:") && !lines.isEmpty, "\(call)")
            for line in lines {
                let example = line.components(separatedBy: "  # ")
                #expect(example.count == 2 && line.count <= 80, "\(line)")
                let words = example[0].split(separator: " ").map(String.init)
                #expect(words.starts(with: path), "\(line)")
                #expect(throws: Never.self, "\(line)") { _ = try Martlet.parseAsRoot(Array(words.dropFirst())) }
            }
        }
    }

    /// Arguments that differ in form from the request's keys, and files that the command itself reads or writes.
    private static let ownWords: [OperationName: Set<String>] = [
        .clockSet: ["time"], .update: ["source"],
    ]

    @Test func `what a verb takes is called as the table of operations calls it`() throws {
        var count = 0
        for (path, type) in Self.commands() {
            let verb = path.dropFirst().joined(separator: "-")
            guard let name = OperationName(rawValue: verb), let row = OperationTable.row(name) else { continue }
            count += 1
            let known = Set(row.arguments.map(\.name)).union(Self.ownWords[name] ?? [])
            let usage = Martlet.usageString(for: type)
            for word in usage.matches(of: /(--[\w-]+ )?<([\w-]+)>/) where word.1 == nil && word.2 != "subcommand" {
                #expect(known.contains(String(word.2)), "martlet \(path.dropFirst().joined(separator: " ")): \(word.2)")
            }
        }
        #expect(count > 20)
    }

    @Test(
        "an unknown command is reported with the nearest command, and its place",
        arguments: [
            (["stauts"], "'martlet stauts' – did you mean 'martlet status'?"),
            (["Scan"], "'martlet Scan' – did you mean 'martlet scan'?"),
            (["stats", "--json"], "'martlet stats' – did you mean 'martlet buffer stats'?"),
            (["buffer", "stat"], "'martlet buffer stat' – did you mean 'martlet buffer stats'?"),
            (["clock", "shwo"], "'martlet clock shwo' – did you mean 'martlet clock show'?"),
            (["help", "stauts"], "'martlet stauts' – did you mean 'martlet status'?"),
            (["open-controler"], "'martlet open-controler'\n"), (["bogus"], "'martlet bogus'\n"),
            (["\u{1B}[2J"], "'martlet ?[2J'\n"),
        ])
    func unknown(arguments: [String], says: String) throws {
        let complaint = try #require(UnknownVerb.complaint(arguments, in: Martlet.self))
        #expect(complaint.contains(says), "\(complaint)")
    }

    @Test(
        "known commands are left to the parser",
        arguments: [
            [], ["--help"], ["help"], ["help", "status"], ["status", "nonsense"], ["pair", "kitchen"],
            ["clock", "set", "@1"], ["clock", "--json"], ["open-controller"], ["buffer"], ["--version"],
        ])
    func known(arguments: [String]) { #expect(UnknownVerb.complaint(arguments, in: Martlet.self) == nil) }
}
