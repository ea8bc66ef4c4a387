// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Journal
import Operations
import Readings

extension BufferCommand {
    struct CompactCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: OperationName.bufferCompact.word,
            abstract: "Give disk space back that an outage has taken, when the journal is nearly empty.",
            discussion: """
                The journal's file grows while readings wait, and keeps its size for the next time. This makes it small \
                again where that costs little. A running gateway is asked to do it.
                """,
            examples: ["martlet buffer compact": "after an outage is over"])

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var control: ControlOptions

        func run() throws {
            let compaction = try compact()
            Output.line(
                json
                    ? String(decoding: try ControlCoding.encode(compaction), as: UTF8.self)
                    : compaction.reason.map { "Left as it is: \($0)." }
                        ?? "\(compaction.before >> 10) KiB before, \(compaction.after >> 10) KiB now.")
        }

        private func compact() throws -> BufferCompaction {
            do {
                return try ControlClient.ask(
                    OperationTable.bufferCompact, socket: control.path, timeout: .seconds(60))
            } catch let error where error.meansNoGateway {
                return try control.withJournal { $0.compact() }
            } catch {
                throw ControlOptions.failure(error)
            }
        }
    }
}
