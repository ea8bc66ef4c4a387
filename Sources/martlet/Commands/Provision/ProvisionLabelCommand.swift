// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway
import Operations
import Provisioning

struct ProvisionLabelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: WindowAction.label.rawValue,
        abstract: "Print the label for the gateway: its name, a passkey, a QR code.",
        discussion: """
            The label's passkey counts if nothing can show a passkey: for one phone, and for six failed attempts in \
            all. The first call makes the passkey. --new --yes makes another passkey, and gives the gateway another \
            Bluetooth address: all paired devices, sensors as well, have to be paired again.
            """,
        examples: [
            "martlet provision label": "in the terminal",
            "martlet provision label --svg label.svg": "for a printer",
        ])

    @Option(help: ArgumentHelp("Write the label to this file as SVG.", valueName: "file"))
    var svg: String?

    @Flag(help: "Make a new passkey; wants --yes.")
    var new = false

    @Flag(help: "Really make a new one.")
    var yes = false

    @Flag(help: "Print it as JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if new, !yes { throw ValidationError("all paired devices would have to be paired again. To do it, give --yes") }
    }

    func run() throws {
        var request = WindowRequest(.label)
        request.new = new
        let report = try control.ask(OperationTable.provision, request)
        guard let label = LabelReport(report), let code = QRCode(label.code) else { throw ExitStatus.failure }
        if let svg {
            do {
                // Mode 0600, because the image contains the passkey.
                let octets = Data(code.svg(title: label.name, text: "Passkey \(label.passkey)").utf8)
                guard
                    FileManager.default.createFile(
                        atPath: svg, contents: octets, attributes: [.posixPermissions: 0o600])
                else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                Output.error("\(svg) cannot be written")
                throw ExitStatus.failure
            }
            return
        }
        if json { return Output.line(String(decoding: try ControlCoding.encode(report), as: UTF8.self)) }
        Output.line(Text.plain(label.name))
        Output.line("Passkey \(label.passkey)")
        for line in code.halfBlocks { Output.line(line) }
        if label.condition != "good" {
            Output.error("This passkey is \(label.condition): make a new one with --new --yes.")
        }
    }
}
