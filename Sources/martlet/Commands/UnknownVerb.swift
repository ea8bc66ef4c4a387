// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Gateway

/// Finds what somebody meant who named a command that there is not.
enum UnknownVerb {
    /// What to tell; nil where every command that `arguments` name is one, and the parser has the word.
    static func complaint(_ arguments: [String], in root: any ParsableCommand.Type) -> String? {
        var rest = arguments[...]
        var command = root
        var path = [name(of: root)]
        // `martlet help status` names one as well.
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
        // One of another command's, by its right name, is no slip: it was looked for in the wrong place.
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
