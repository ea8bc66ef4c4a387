// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Gateway

/// Suggests a command for an unknown command.
enum UnknownVerb {
    /// The error text; nil if every command in `arguments` exists, and the parser decides.
    static func complaint(_ arguments: [String], in root: any ParsableCommand.Type) -> String? {
        var rest = arguments[...]
        var command = root
        var path = [name(of: root)]
        // `martlet help status` also names a command.
        if rest.first == "help" { rest.removeFirst() }
        while let word = rest.first, word.first != "-" {
            let known = command.configuration.subcommands
            guard !known.isEmpty else { return nil }
            guard let next = known.first(where: { name(of: $0) == word }) else {
                return text(word, in: path.joined(separator: " "), known.filter { $0.configuration.shouldDisplay })
            }
            rest.removeFirst()
            command = next
            path.append(word)
        }
        return nil
    }

    private static func text(_ word: String, in path: String, _ known: [any ParsableCommand.Type]) -> String {
        let names = known.map(name)
        // The correct name of a subcommand in the wrong place is no typing mistake: suggest the right place.
        let elsewhere = known.first { $0.configuration.subcommands.contains { name(of: $0) == word } }
        let meant = elsewhere.map { "\(name(of: $0)) \(word)" } ?? NearestName.of(word, among: names)
        let hint = meant.map { " – did you mean '\(path) \($0)'?" } ?? ""
        return """
            Error: There is no command '\(path) \(Text.plain(String(word.prefix(64))))'\(hint)
            Commands of '\(path)': \(names.joined(separator: ", "))
              See '\(path) --help' for more information.
            """
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }
}
