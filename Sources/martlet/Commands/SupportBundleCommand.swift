// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway

struct SupportBundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "support-bundle",
        abstract: "Have a running gateway write all that somebody needs to help you into one text.",
        discussion: """
            In it are the versions, the configuration, the status, each sensor and why it is as it is, what is in the air, and the \
            newest lines of the log. Passwords and keys are not; names and addresses of devices are: read it before you \
            publish it. The gateway keeps the newest three.
            """,
        examples: [
            "martlet support-bundle": "says where the gateway keeps it",
            "martlet support-bundle -o support.txt": "into a file of yours",
            "martlet support-bundle -o -": "onto the terminal",
        ])

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write it to this file, too; - is standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Print JSON: where it is, and how large.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        var bundle: SupportBundle
        do {
            // It may take its time: each part of the gateway is asked.
            bundle = try ControlClient.ask(
                .supportBundle, socket: control.path, timeout: .seconds(60), as: SupportBundle.self)
        } catch {
            throw ControlOptions.failure(error)
        }
        let text = bundle.text ?? ""
        bundle.text = nil
        if output == "-" { return Output.line(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
        if let output {
            do {
                try SystemConfigurationDisk().write(Array(text.utf8), to: output)
            } catch {
                Output.error("\(output): \(error)")
                throw ExitStatus.failure
            }
        }
        if json { return Output.line(String(decoding: try ControlCoding.encode(bundle), as: UTF8.self)) }
        Output.line(output ?? bundle.path)
    }
}
