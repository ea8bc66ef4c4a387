// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension CommandConfiguration {
    /// With examples below the discussion: calls that work as written, and the purpose of each.
    ///
    /// The manual page keeps lines that begin with blanks (`board/deb/manual.py`).
    init(
        commandName: String, abstract: String, discussion: String = "", version: String = "",
        subcommands: [any ParsableCommand.Type] = [], groups: [CommandGroup] = [],
        defaultSubcommand: (any ParsableCommand.Type)? = nil,
        examples: KeyValuePairs<String, String>
    ) {
        let widest = examples.map(\.key.count).max() ?? 0
        let lines = examples.map { call, purpose in
            "  " + call + String(repeating: " ", count: widest - call.count) + "  # " + purpose
        }
        let text = (["Examples:"] + lines).joined(separator: "\n")
        self.init(
            commandName: commandName, abstract: abstract,
            discussion: (discussion.isEmpty ? "" : discussion + "\n\n") + text,
            version: version, subcommands: subcommands, groupedSubcommands: groups, defaultSubcommand: defaultSubcommand
        )
    }
}
