// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Gateway
import Glibc
import Operations
import Provisioning

struct ProvisionOpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: WindowAction.open.rawValue,
        abstract: "Let phones pair, and show the passkey.",
        discussion: """
            Each attempt has a passkey of its own, which is shown before a phone connects. The command ends when the window \
            is closed; Ctrl-C closes it.

            With --compare, phones and this terminal show the same digits, and somebody here says so. Chrome on Windows \
            cannot pair like that.
            """,
        examples: [
            "martlet provision open": "for ten minutes",
            "martlet provision open --minutes 2": "for two",
        ])

    @Option(help: ArgumentHelp("How long, 1 to 60; as configured if not given.", valueName: "minutes"))
    var minutes: Int?

    @Flag(help: "Compare digits where a phone can.")
    var compare = false

    @Flag(help: "Print a line of JSON for each event.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if let minutes, !(1...60).contains(minutes) { throw ValidationError("--minutes is 1 to 60") }
    }

    func run() throws {
        let path = control.path
        let signals = SignalWatch()
        signals.on(SIGINT, SIGTERM, queue: DispatchQueue(label: "martlet.signals")) {
            if let line = try? ControlCoding.encode(WindowRequest(.close)) {
                _ = try? ControlClient.exchange(line + [UInt8(ascii: "\n")], socket: path)
            }
            Glibc.exit(0)
        }
        defer { withExtendedLifetime(signals) {} }
        var screen = Screen(isJSON: json, isTerminal: isatty(STDOUT_FILENO) == 1)
        var request = WindowRequest(.open, isDialogue: true)
        request.minutes = minutes
        request.compare = compare
        do {
            while !(try hasClosed(request, path, &screen)) {
                // A dialogue has a longest time; the window goes on.
                request.watch = true
            }
        } catch let error as ControlError {
            throw ControlOptions.failure(error)
        }
    }

    /// True when the window is closed; false when the gateway has ended the dialogue alone.
    private func hasClosed(_ request: WindowRequest, _ path: String, _ screen: inout Screen) throws -> Bool {
        var conversation = try ControlConversation.begin(request, socket: path)
        do {
            try converse(&conversation, &screen)
            return true
        } catch ControlError.noAnswer {
            return false
        }
    }

    /// Returns when the window is closed.
    private func converse(_ conversation: inout ControlConversation, _ screen: inout Screen) throws {
        var input = TerminalInput()
        var isAsked = false
        while true {
            while let line = conversation.takeLine() {
                let response = try ControlCoding.decode(ControlResponse<WindowLine>.self, from: line)
                guard response.ok, let message = response.result else {
                    throw ControlError.refused(Text.plain(response.error ?? "no reason given"))
                }
                screen.show(message, line)
                isAsked = message.kind == .compare || isAsked && message.kind == .state
                if message.kind == .state, message.window?.open == false { return }
            }
            switch try input.wait(for: conversation.descriptor, reading: isAsked) {
            case .other:
                try conversation.receive()
            case .line(let text):
                isAsked = false
                try conversation.send(WindowAnswer(TerminalInput.isYes(text) ? .same : .different))
            case .end:
                isAsked = false
                try conversation.send(WindowAnswer(.different))
            }
        }
    }

    private struct Screen {
        let isJSON: Bool
        let isTerminal: Bool
        private var lastPasskey: String?

        init(isJSON: Bool, isTerminal: Bool) { (self.isJSON, self.isTerminal) = (isJSON, isTerminal) }

        mutating func show(_ message: WindowLine, _ line: [UInt8]) {
            if isJSON { return Output.line(String(decoding: line, as: UTF8.self)) }
            if message.kind == .compare {
                return Output.part("Does the phone show \(message.digits ?? "–")? [y/N] ")
            }
            guard let window = message.window else { return Output.line(Text.plain(message.text ?? "")) }
            guard window.open else { return Output.line("The window is closed.") }
            guard window.passkey != lastPasskey || window.passkey == nil else { return }
            lastPasskey = window.passkey
            if isTerminal, let text = window.code, let code = QRCode(text) {
                for line in code.halfBlocks { Output.line(line) }
            }
            let left = window.seconds.map { " (open for \($0 / 60) min \($0 % 60) s)" } ?? ""
            if let passkey = window.passkey {
                Output.line("Passkey for the next phone: \(passkey)\(left)")
            } else if let problem = window.problem {
                Output.line(Text.plain("No phone can pair: \(problem)"))
            }
        }
    }
}
