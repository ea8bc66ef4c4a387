// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Operations

struct BufferCommand: ListedCommand {
    static let place = HelpPlace(.readings, 10)
    static let configuration = CommandConfiguration(
        commandName: OperationName.buffer, abstract: "Look at the journal of readings, and at how it goes out.",
        subcommands: [
            StatsCommand.self, ExportCommand.self, PurgeCommand.self, CompactCommand.self, PauseCommand.self,
            ResumeCommand.self, DrainCommand.self,
        ],
        examples: [
            "martlet buffer stats": "readings in, out, and waiting",
            "martlet buffer drain": "send what waits as fast as the broker takes it",
        ])
}
