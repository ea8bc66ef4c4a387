// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import CoreBluetooth
import Dispatch
import Gateway
import Glibc
import Operations

struct PairCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 90)
    static let configuration = CommandConfiguration(
        commandName: OperationName.pair.word,
        abstract: "Pair a running gateway with a sensor.",
        discussion: """
            SENSOR is the sensor's id in topics, its address, its identifier or its name; a [[sensor]] entry has to \
            accept the sensor. The gateway waits for the sensor for up to two and a half minutes. The terminal asks \
            for the passkey on the sensor's screen or label, or whether both show the same \
            digits. Questions and progress go to standard error, the outcome to standard output.

            Everybody on this machine can see a passkey after --passkey while the command runs: --passkey - reads the \
            passkey from standard input.
            """,
        examples: [
            "martlet pair kitchen": "asks for what it needs",
            "martlet pair kitchen --passkey - --yes": "passkey from standard input",
        ])

    @Argument(.pair, "sensor")
    var sensor: String

    @Option(
        help: ArgumentHelp("The sensor's passkey, six digits; - reads it from standard input.", valueName: "digits"))
    var passkey: String?

    @Flag(help: "Do not ask before pairing with a sensor without proof of its identity.")
    var yes = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if let passkey, passkey != "-", CBPasskey(passkey) == nil {
            throw ValidationError("--passkey has six digits, zeros in front included")
        }
    }

    func run() throws {
        let signals = SignalWatch()
        signals.on(SIGINT, SIGTERM, queue: DispatchQueue(label: "martlet.signals")) {
            TerminalInput.showTyping()
            Glibc.exit(ExitStatus.failure.rawValue)
        }
        defer { withExtendedLifetime(signals) {} }
        var input = TerminalInput()
        var passkey = passkey
        if passkey == "-" {
            passkey = input.ask("Passkey: ", isSecret: true)
            guard let passkey, CBPasskey(passkey) != nil else {
                Output.error("The passkey has six digits, zeros in front included.")
                throw ExitStatus.usage
            }
        }
        do {
            var conversation = try ControlConversation.begin(
                ControlRequest(.pair, sensor: sensor, passkey: passkey), socket: control.path)
            let bond = try converse(&conversation, &input)
            Output.line(
                json
                    ? String(decoding: try ControlCoding.encode(bond), as: UTF8.self)
                    : "\(bond.device ?? sensor) is paired: \(bond.security).")
        } catch let error as ControlError {
            throw ControlOptions.failure(error)
        }
    }

    /// Converses with the gateway until success or failure.
    private func converse(
        _ conversation: inout ControlConversation, _ input: inout TerminalInput
    ) throws -> BondStatus {
        var question: PairingMessage?
        while true {
            while let line = conversation.takeLine() {
                let response: ControlResponse<PairingMessage>
                do {
                    response = try ControlCoding.decode(ControlResponse<PairingMessage>.self, from: line)
                } catch {
                    throw ControlError.malformedAnswer("\(error)")
                }
                guard response.ok, let message = response.result else {
                    throw ControlError.refused(Text.plain(response.error ?? "no reason given"))
                }
                if let bond = message.bond { return bond }
                if let answer = show(message) {
                    try conversation.send(PairingReply(answer))
                } else {
                    question = message.isQuestion ? message : nil
                    input.hides(question?.kind == .enterPasskey)
                }
            }
            switch try input.wait(for: conversation.descriptor, reading: question != nil) {
            case .other: try conversation.receive()
            case .line(let text):
                guard let asked = question else { continue }
                guard let answer = asked.answer(text) else {
                    Output.part(asked.prompt)
                    continue
                }
                question = nil
                input.hides(false)
                try conversation.send(PairingReply(answer))
            case .end:
                // Without an answer, the sensor gets a refusal at once, instead of a time-out.
                question = nil
                try conversation.send(PairingReply("no"))
                Output.error("\nThere is no terminal for an answer: run the command in a terminal, or give --passkey.")
            }
        }
    }

    /// Shows the gateway's message; returns an answer if no person has to decide.
    private func show(_ message: PairingMessage) -> String? {
        switch message.kind {
        case .connecting: Output.error("Waiting for \(message.device) … (Ctrl-C gives up)")
        case .pairing: Output.error("Pairing with \(message.device) …")
        case .display: Output.error("Enter this passkey on the sensor: \(message.digits ?? "–")")
        case .consent where yes: return "yes"
        case .consent, .enterPasskey, .compare: Output.part(message.prompt)
        case .paired: break
        }
        return nil
    }
}

extension PairingMessage {
    fileprivate var isQuestion: Bool {
        switch kind {
        case .consent, .enterPasskey, .compare: true
        case .connecting, .pairing, .display, .paired: false
        }
    }

    fileprivate var prompt: String {
        switch kind {
        case .consent: "Nothing makes sure that this is the right sensor, and not somebody near. Pair? [y/N] "
        case .enterPasskey: "Passkey that the sensor shows, or has on its label: "
        case .compare: "Does the sensor show \(digits ?? "–")? [y/N] "
        case .connecting, .pairing, .display, .paired: ""
        }
    }

    /// The meaning of a person's line; nil: ask again.
    fileprivate func answer(_ text: String) -> String? {
        guard kind == .enterPasskey else { return TerminalInput.isYes(text) ? "yes" : "no" }
        return text.isEmpty ? "no" : CBPasskey(text) == nil ? nil : text
    }
}
