// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Foundation
import Gateway
import Glibc
import Journal
import Operations

extension BufferCommand {
    struct ExportCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write what the journal holds as JSON lines; changes nothing.",
            examples: [
                "martlet buffer export --output readings.jsonl": "into a file",
                "martlet buffer export --journal copy.db": "from a copy, to the terminal",
            ])

        @OptionGroup var journal: JournalOptions

        @Option(
            name: [.short, .long], help: ArgumentHelp("The file; standard output if not given.", valueName: "file"))
        var output: String?

        @Flag(help: "Also tell by one JSON object how many readings there were; needs --output.")
        var json = false

        func validate() throws {
            if json, output == nil { throw ValidationError("--json needs --output: the readings are JSON themselves.") }
        }

        func run() throws {
            let configuration = try journal.load()
            var descriptor = STDOUT_FILENO
            if let output {
                guard !Self.isPart(output, ofJournal: configuration.journal.path) else {
                    Output.error("\(output) is a file of the journal itself: choose another one")
                    throw ExitStatus.failure
                }
                descriptor = try JournalOptions.withRights(to: (output as NSString).deletingLastPathComponent) {
                    let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
                    guard descriptor >= 0 else {
                        Output.error("\(output): \(String(cString: strerror(errno)))")
                        throw ExitStatus.failure
                    }
                    return descriptor
                }
            }
            var failure: Int32?
            let count: Int
            do {
                count = try JournalOptions.withRights(to: configuration.journal.path) {
                    let export = try BufferExport(path: configuration.journal.path, gateway: configuration.gateway)
                    let isShown = isatty(descriptor) == 1
                    return try export.run { octets in
                        let octets = isShown ? Array(Text.shown(String(decoding: octets, as: UTF8.self)).utf8) : octets
                        failure = Output.write(octets, to: descriptor)
                        return failure == nil
                    }
                }
            } catch let error as JournalError {
                throw JournalOptions.failure(error)
            }
            if failure == nil, output != nil, fsync(descriptor) != 0 || close(descriptor) != 0 { failure = errno }
            // A reader that stops reading our output is no failure.
            if let failure, output != nil || failure != EPIPE {
                Output.error("\(output ?? "standard output"): \(String(cString: strerror(failure)))")
                throw ExitStatus.failure
            }
            if json { Output.line(#"{"exported":\#(count)}"#) }
        }

        private static func isPart(_ output: String, ofJournal path: String) -> Bool {
            ["", "-wal", "-shm", ".lock"].contains { suffix in
                var (one, other) = (stat(), stat())
                return stat(output, &one) == 0 && stat(path + suffix, &other) == 0 && one.st_ino == other.st_ino
                    && one.st_dev == other.st_dev
            }
        }
    }

    struct PurgeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: OperationName.bufferPurge.word,
            abstract: "Give up all readings that the journal holds.",
            discussion: "They are counted as dropped, with the reason purged. A running gateway is asked to do it.",
            examples: ["martlet buffer purge --yes": "all that waits is gone then"])

        @Flag(help: "Do it.")
        var yes = false

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var control: ControlOptions

        func run() throws {
            guard yes else {
                Output.error("The readings would be gone for good. To do it, give --yes.")
                throw ExitStatus.usage
            }
            let purge = try purge()
            Output.line(
                json
                    ? String(decoding: try ControlCoding.encode(purge), as: UTF8.self)
                    : "\(purge.purged) readings dropped.")
        }

        private func purge() throws -> BufferPurge {
            do {
                return try ControlClient.ask(
                    OperationTable.bufferPurge, socket: control.path, timeout: .seconds(60))
            } catch let error where error.meansNoGateway {
                return try control.withJournal { $0.purge().map { BufferPurge(purged: $0) } }
            } catch {
                throw ControlOptions.failure(error)
            }
        }
    }
}
