// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Doctor
import Gateway
import Health
import Journal
import Platform

struct BackupCommand: ListedCommand {
    static let place = HelpPlace(.machine, 30)
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write everything that makes this gateway into an encrypted file.",
        discussion: """
            The file has the configuration with its secrets, the identity, the bonds and keys, the known devices, and the journal with \
            the readings that wait. martlet restore makes another machine this gateway. The gateway may run meanwhile; readings that it \
            delivers after the backup come once more from the restored gateway, under their old numbers.
            Keep the passphrase: nobody can open the file without the passphrase.
            """,
        examples: [
            "martlet backup attic.martlet": "asks for a passphrase",
            "martlet backup attic.martlet --passphrase-file key": "its first line",
        ])

    @Argument(help: "The file to write. An older one is replaced when the new one is complete.")
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        var input = TerminalInput()
        let configuration = try options.load()
        let secret = try passphrase.read(&input, isNew: true)
        let places = BackupPlaces(configuration: options.config, configuration)
        let report = try BackupFailure.shown(file, options.config) {
            try GatewayBackup(configuration, at: places)
                .write(to: file, passphrase: secret, now: KernelClock.unixMilliseconds())
        }
        guard !json else {
            let answer = Answer(
                gateway: report.manifest.gateway, files: report.files, rows: report.manifest.rows,
                bytes: report.octets, leftOut: report.leftOut)
            return Output.line(String(decoding: try ControlCoding.encode(answer), as: UTF8.self))
        }
        Output.line(
            "\(file): \(report.manifest.gateway), \(report.files) files and \(report.manifest.rows) readings that wait, "
                + "\(report.octets >> 10) KiB.")
        for path in report.leftOut { Output.line("Not in the backup: \(Text.plain(path))") }
    }

    /// The output of `--json`.
    private struct Answer: Encodable {
        var gateway: String
        var files: Int
        var rows: Int
        var bytes: Int
        var leftOut: [String]

        enum CodingKeys: String, CodingKey {
            case gateway, files, rows, bytes
            case leftOut = "left_out"
        }
    }
}

/// Shows the failures of backups and restores.
enum BackupFailure {
    static func shown<Result>(_ file: String, _ configuration: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as BackupError {
            Output.error(text(error, file, configuration))
            throw ExitStatus.failure
        } catch let error as PathOwner.Failure {
            Output.error("\(error)")
            throw ExitStatus.failure
        }
    }

    private static func text(_ error: BackupError, _ file: String, _ configuration: String) -> String {
        switch error {
        case .disk, .unfit: "\(error)"
        case .journal(.inUse): running(configuration)
        case .journal: "\(error)"
        case .noBackup, .newer, .wrongPassphrase, .damaged: "\(file): \(error)"
        }
    }

    /// - Parameter configuration: The configuration's file.
    static func running(_ configuration: String) -> String {
        "The gateway runs. Stop it first: "
            + AdvisedCommand.machine(.stop).line(on: .here(configuration: configuration))
    }
}
