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
        #expect(Self.commands().count > 50)
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
        .clockSet: ["time"], .update: ["source"], .status: ["sensor"], .checkConfig: ["file"],
    ]

    @Test func `each operation of the socket has its verb`() {
        let verbs = Set(Self.commands().map { $0.path.dropFirst().joined(separator: "-") })
        let rows = OperationTable.rows.filter { $0.callers.contains(.socket) }
        #expect(rows.count > 20 && rows.allSatisfy { verbs.contains($0.name.rawValue) })
    }

    /// Commands whose work has no outcome to print: they serve or show until they are ended, or print a file.
    private static let withoutJSON: Set<String> = ["run", "demo", "decoder import"]

    @Test func `each command that has an outcome prints it as JSON, too`() {
        for (path, type) in Self.commands() where type.configuration.subcommands.isEmpty {
            let call = path.dropFirst().joined(separator: " ")
            let help = Martlet.helpMessage(for: type, columns: 80)
            #expect(help.contains("\n  --json") != Self.withoutJSON.contains(call), "\(call)")
        }
    }

    @Test func `the help of the program groups all commands by their use`() {
        let help = Martlet.helpMessage(columns: 80)
        let groups = Martlet.configuration.groupedSubcommands
        #expect(groups.count == 6 && groups.allSatisfy { help.contains("\($0.name.uppercased()) SUBCOMMANDS:") })
        #expect(!Martlet.configuration.ungroupedSubcommands.contains { $0.configuration.shouldDisplay })
    }

    @Test func `what a verb takes is called as the table of operations calls it`() throws {
        var count = 0
        for (path, type) in Self.commands() {
            let verb = path.dropFirst().joined(separator: "-")
            guard let row = OperationTable.row(named: verb) else { continue }
            let name = row.name
            count += 1
            let known = Set(row.arguments.map(\.name)).union(Self.ownWords[name] ?? [])
            let usage = Martlet.usageString(for: type)
            for word in usage.matches(of: /(--[\w-]+ )?<([\w-]+)>/) where word.1 == nil && word.2 != "subcommand" {
                #expect(known.contains(String(word.2)), "martlet \(path.dropFirst().joined(separator: " ")): \(word.2)")
            }
        }
        #expect(count > 20)
    }

    /// Arguments that a verb takes in another form, each with its form.
    private static let otherForms: [OperationName: [String: String]] = [
        .accept: ["passkey": "--passkey-file", "subscribe": "--subscribe", "label": "rename", "room": "rename"],
        .acknowledge: ["seconds": "--for", "end": "--end"], .maintenance: ["seconds": "--for"],
        .clockSet: ["unix_ms": "<time>", "force": "--force"],
        .inspect: ["address": "<address>", "seconds": "--seconds"],
        .key: ["key": "standard input"], .pair: ["passkey": "--passkey"], .read: ["service": "<characteristic>"],
        .write: ["service": "<characteristic>", "response": "--response"],
        .provisionOpen: ["action": "open", "minutes": "--minutes", "compare": "--compare", "watch": "window"],
        .update: ["action": "--check", "report": "daemon"],
    ]

    @Test func `a verb explains its arguments as the table of operations does`() throws {
        var count = 0
        for (path, type) in Self.commands() {
            let verb = path.dropFirst().joined(separator: "-")
            guard let row = OperationTable.row(named: verb), row.callers.contains(.socket), row.name != .provision
            else { continue }
            let name = row.name
            let help = Martlet.helpMessage(for: type, columns: 500)
            for argument in row.arguments where Self.otherForms[name]?[argument.name] == nil {
                count += 1
                let meaning = argument.meaning.replacing("`", with: "")
                #expect(help.contains(meaning.dropFirst()), "\(verb) \(argument.name)")
            }
            if row.arguments.contains(where: { $0.name == "sensor" }) {
                let script = Martlet.completionScript(for: .bash)
                let function = script.components(separatedBy: "_martlet_\(path.dropFirst().joined(separator: "_"))() {")
                let body = function.last?.components(separatedBy: "\n}").first ?? ""
                #expect(function.count == 2 && body.contains("---completion"), "\(verb) completes no sensor")
            }
        }
        #expect(count > 12)
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
