// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import GatewayBench
import Testing

@testable import Health
@testable import martlet

/// Commands in texts are values of ``AdvisedCommand``. A command in a literal fails the test.
struct AdviceByHandTests {
    /// Files with commands for other purposes.
    private static let others: Set<String> = [
        // Descriptions of operations and of keys, for the documentation.
        "Sources/Operations/OperationTable+Machine.swift", "Sources/Configuration/UpdateConfiguration.swift",
        "Sources/Configuration/Keys/GatewayConfiguration+Keys.swift",
        "Sources/Configuration/Keys/GatewayConfiguration+SensorKeys.swift",
        // The demonstration shows its own commands.
        "Sources/martlet/Demonstration/ProvisionDemonstration.swift",
        // The library knows no installation: its words are those of a package.
        "Sources/HCITransport/TransportWords.swift",
        // The help of a command.
        "Sources/martlet/Commands/Configure/ConfigureHelp.swift",
    ]

    /// `martlet` and a verb of the program, or a program of the system and its arguments.
    private static func pattern() throws -> Regex<AnyRegexOutput> {
        let verbs = Martlet.configuration.subcommands.compactMap { $0.configuration.commandName }.joined(separator: "|")
        let system = [
            "sudo", "systemctl", "journalctl", "docker", "podman", "nerdctl", "kubectl", "apt(-get)? install", "dmesg",
            "hciconfig",
            "rfkill (un)?block", "setcap", "setfacl", "modprobe", "timedatectl", "bluetoothctl", "adduser", "usermod",
        ].joined(separator: "|")
        return try Regex("\\b(martlet (\(verbs))\\b|(\(system)) [a-z/-])")
    }

    /// The text without the help of commands, and without the descriptions of keys.
    private static func withoutHelp(_ text: String) -> String {
        var rest = text[...]
        var kept = ""
        while let match = rest.firstMatch(of: /static let configuration = CommandConfiguration\(|\bhelp: ?/) {
            kept += rest[..<match.range.lowerBound]
            let isWhole = match.output.hasSuffix("(")
            rest = behind(rest[match.range.upperBound...], depth: isWhole ? 1 : 0, isWhole: isWhole)
        }
        return kept + rest
    }

    /// The text behind an argument, or behind the end of a call.
    private static func behind(_ text: Substring, depth start: Int, isWhole: Bool) -> Substring {
        var (depth, isQuoted, last) = (start, false, Character(" "))
        for index in text.indices {
            let character = text[index]
            defer { last = character }
            if character == "\"", last != "\\" { isQuoted.toggle() }
            guard !isQuoted else { continue }
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            if isWhole ? depth == 0 : depth < 0 || depth == 0 && character == "," { return text[index...] }
        }
        return text[text.endIndex...]
    }

    /// The lines with a command in a literal.
    private static func found(in text: String, _ pattern: Regex<AnyRegexOutput>) -> [String] {
        // Most lines have no literal: the slow expression need not read these.
        let literals = text.split(separator: "\n").filter { line in line.utf8.contains { "\"'`".utf8.contains($0) } }
        return literals.map { $0.trimmingCharacters(in: .whitespaces) }.filter { line in
            guard !line.hasPrefix("//"), !line.hasPrefix("*"), !line.hasPrefix("/*") else { return false }
            return line.ranges(of: pattern).contains { range in
                let before = line[..<range.lowerBound]
                // A name of a command in braces, or the key of a command's line.
                return before.contains { "\"'`".contains($0) } && !before.hasSuffix("{") && !before.hasSuffix("['")
                    && !before.hasSuffix("command('") && !before.hasSuffix("// ")
            }
        }
    }

    @Test func `no text of the sources has a command by hand`() throws {
        let root = Checkout.root
        let pattern = try Self.pattern()
        let folder = root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        var count = 0
        for name in files where [".swift", ".js", ".html"].contains(where: { name.hasSuffix($0) }) {
            let path = "Sources/\(name)"
            guard !path.hasPrefix("Sources/Health/Advice/"), path != Self.phonePage, !Self.others.contains(path) else {
                continue
            }
            let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            count += 1
            let lines = Self.found(in: name.hasSuffix(".swift") ? Self.withoutHelp(text) : text, pattern)
            #expect(lines.isEmpty, "\(path): \(lines.joined(separator: "\n"))")
        }
        #expect(count > 800)
    }

    @Test func `a command by hand is found, and help is none`() throws {
        let pattern = try Self.pattern()
        for line in [
            #"return "see martlet status""#, #"throw Trouble("run «systemctl restart martlet-network.socket»")"#,
            #"lead: 'sudo dmesg says more','"#, #"+ "or: martlet provision open")"#,
            #"<p title="">sudo martlet doctor"#,
        ] { #expect(Self.found(in: line, pattern) == [line]) }
        for line in [
            #"// see martlet status"#, #""remedy": "Run {martlet doctor} to see.""#, #"let kind = "martlet socket""#,
            #"`${commands['martlet provision open']} shows`"#, #"t.lead(command('martlet status'))"#,
            #"t.refused(martlet status)"#,
        ] { #expect(Self.found(in: line, pattern) == []) }
        let help = """
            static let configuration = CommandConfiguration(abstract: "See (martlet status.", examples: ["martlet why": "x"])
            @Option(help: ArgumentHelp("As martlet scan shows.", valueName: "a")) var a = "run martlet why"
            """
        #expect(Self.found(in: Self.withoutHelp(help), pattern) == [#"@Option() var a = "run martlet why""#])
    }

    // MARK: The page for phones

    private static let phonePage = "Sources/PhonePage/commands.js"

    /// The page is the same for all gateways, and knows no gateway before the pairing.
    @Test func `the page for phones has the commands of a gateway elsewhere`() throws {
        let verbs: [AdvisedCommand] = [.martlet(.configure), .martlet(.provisionOpen)]
        let lines = verbs.map { "  '\($0.name)': '\($0.line(on: .elsewhere))',\n" }.joined()
        let text = """
            // SPDX-License-Identifier: Apache-2.0

            // Commands of a gateway elsewhere: MARTLET_WRITE=1 make unit TEST=AdviceByHandTests writes this file.

            export const commands = {
            \(lines)};

            """
        #expect(try MadeFile.holds(text, at: Self.phonePage), "MARTLET_WRITE=1 make unit TEST=AdviceByHandTests")
    }
}
