// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Doctor
import Gateway
import Glibc
import Health
import Journal
import Platform

struct RestoreCommand: ListedCommand {
    static let place = HelpPlace(.machine, 40)
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make this machine the gateway of a backup.",
        discussion: """
            The configuration, the identity, the bonds and keys, and the journal of the backup take the place of this machine's. The \
            gateway must not run meanwhile. A gateway that is already in use here is replaced only when you say so. A damaged file, a \
            wrong passphrase or a full disk changes nothing.
            New readings get numbers above all that the gateway of the backup can have used. Leave that gateway switched off. \
            Devices that were paired with another controller's address have to be paired again.
            """,
        examples: [
            "martlet restore attic.martlet": "asks for its passphrase",
            "martlet restore attic.martlet --yes": "does not ask what is replaced",
        ])

    @Argument(help: "The file of martlet backup.")
    var file: String

    @Flag(help: "Replace a gateway that is in use here.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        var input = TerminalInput()
        let places = BackupPlaces(configuration: options.config, present())
        guard !JournalHold.isHeld(places.journal) else {
            Output.error(BackupFailure.running(options.config))
            throw ExitStatus.failure
        }
        let secret = try passphrase.read(&input, isNew: false)
        let report = try BackupFailure.shown(file, options.config) {
            let restore = try GatewayRestore(file, passphrase: secret, at: places)
            let now = KernelClock.unixMilliseconds()
            if !yes { try ask(try restore.present(), restore.manifest, now: now, &input) }
            return try restore.run(now: now)
        }
        guard !json else {
            let answer = Answer(
                gateway: report.gateway, files: report.files, rows: report.rows, bonds: report.bonds,
                number: report.number, aside: report.aside)
            return Output.line(String(decoding: try ControlCoding.encode(answer), as: UTF8.self))
        }
        Output.line(
            "This machine is \(report.gateway) now, with \(report.files) files and \(report.rows) readings that wait. "
                + "Numbers of new readings are above \(report.number).")
        if report.bonds > 0 {
            Output.line(
                "Its bonds belong to the address of the controller that made them: with another address, devices have to "
                    + "be paired again.")
        }
        for path in report.aside { Output.line("Put aside: \(path)") }
        let next: Advice =
            "Check the configuration with \(.martlet(.checkConfig)), and start the gateway: \(.machine(.start))"
        Output.line(next.text(on: .here(configuration: options.config)))
    }

    /// The present configuration, for the places of the state. Without a usable configuration these are the default places.
    private func present() -> GatewayConfiguration {
        (try? GatewayConfiguration.load(path: options.config)) ?? GatewayConfiguration(gateway: "")
    }

    /// Asks before a gateway in use is replaced, or when the clock speaks against the backup.
    private func ask(
        _ present: GatewayRestore.Present, _ manifest: BackupManifest, now: Int64, _ input: inout TerminalInput
    ) throws {
        var reasons: [String] = []
        if present.isInUse {
            let name = present.gateway.map { "of the gateway \($0)" } ?? "of a gateway"
            reasons.append(
                "This machine has the state \(name): \(present.files) files, and \(present.rows) readings that wait and "
                    + "would be dropped.")
        }
        if now < manifest.madeMs - 3_600_000 {
            reasons.append(
                "This machine's clock is before the time of the backup. Set a wrong clock first: new readings get "
                    + "their numbers by the clock.")
        }
        guard !reasons.isEmpty else { return }
        Output.error(reasons.joined(separator: "\n"))
        guard passphrase.passphraseFile != "-", isatty(STDIN_FILENO) == 1 else {
            Output.error("To replace it all the same, add --yes.")
            throw ExitStatus.failure
        }
        guard let answer = input.ask("Replace it by \(manifest.gateway)? [y/N] "), TerminalInput.isYes(answer) else {
            Output.error("Nothing was changed.")
            throw ExitStatus.failure
        }
    }

    /// The output of `--json`.
    private struct Answer: Encodable {
        var gateway: String
        var files: Int
        var rows: Int
        var bonds: Int
        var number: Int64
        var aside: [String]
    }
}
