// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Dispatch
import Glibc

/// The passphrase of a backup. Other users can see arguments, so the passphrase is never an argument.
struct PassphraseOptions: ParsableArguments {
    /// Octets of a new passphrase, at least.
    private static let shortest = 8

    @Option(
        help: ArgumentHelp("A file whose first line is the passphrase; - is standard input.", valueName: "file"))
    var passphraseFile: String?

    /// Reads the passphrase, from a terminal without echo.
    ///
    /// - Parameter isNew: A terminal asks twice, and a short passphrase is refused.
    func read(_ input: inout TerminalInput, isNew: Bool) throws -> Secret {
        let signals = SignalWatch()
        signals.on(SIGINT, SIGTERM, queue: DispatchQueue(label: "martlet.signals")) {
            TerminalInput.showTyping()
            Glibc.exit(ExitStatus.failure.rawValue)
        }
        defer { withExtendedLifetime(signals) {} }
        guard passphraseFile != nil || isatty(STDIN_FILENO) == 1 else {
            Output.error(
                "There is no terminal to ask for the passphrase: give --passphrase-file FILE, or --passphrase-file - "
                    + "for standard input.")
            throw ExitStatus.usage
        }
        let passphrase = try once("Passphrase: ", &input)
        guard !isNew || passphrase.revealed.utf8.count >= Self.shortest else {
            Output.error("The passphrase has fewer than \(Self.shortest) octets.")
            throw ExitStatus.usage
        }
        if isNew, passphraseFile == nil, try once("Once more: ", &input) != passphrase {
            Output.error("These are two passphrases.")
            throw ExitStatus.usage
        }
        return passphrase
    }

    private func once(_ question: String, _ input: inout TerminalInput) throws -> Secret {
        let text = try SecretInput.read(passphraseFile ?? "-", question, &input).revealed
        // Terminals trim, and so must files.
        let blanks: Set<Character> = [" ", "\t", "\r"]
        let start = text.drop { blanks.contains($0) }
        return Secret(String(start.reversed().drop { blanks.contains($0) }.reversed()))
    }
}
