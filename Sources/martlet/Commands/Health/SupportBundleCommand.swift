// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Doctor
import Foundation
import Gateway
import Operations
import Platform
import StateFiles

struct SupportBundleCommand: ListedCommand {
    static let place = HelpPlace(.machine, 50)
    static let configuration = CommandConfiguration(
        commandName: OperationName.supportBundle.word,
        abstract: "Write everything for a helper into one text.",
        discussion: """
            The text has the versions, the configuration, the status, each sensor with the reason of its state, the \
            devices in the air, and the newest lines of the log. The text has no passwords and keys, but names and \
            addresses of devices: read the text before you publish it. The gateway keeps the newest three texts. With \
            --output, the findings of martlet doctor are in the text as well; without a running gateway, these \
            findings, the files and the service's log.
            """,
        examples: [
            "martlet support-bundle": "says where the gateway keeps it",
            "martlet support-bundle -o support.txt": "into a file of yours",
            "martlet support-bundle -o -": "onto the terminal",
        ])

    private static let logLines = 500

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write the text to this file, too; - is standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Print JSON: the place and the size of the text.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if json, output == "-" { throw ValidationError("--json and -o - both want standard output: give one of them") }
    }

    func run() throws {
        var bundle: SupportBundle
        do throws(ControlError) {
            // The answer may take long, because the gateway asks each of its parts.
            bundle = try ControlClient.ask(
                OperationTable.supportBundle, socket: control.path, timeout: .seconds(60))
        } catch {
            guard error.saysThatNobodyListens, let output else {
                if error.saysThatNobodyListens {
                    Output.error("No gateway runs. With -o FILE what can be told without one is written there.")
                }
                throw ControlOptions.failure(error)
            }
            let text = offline("\(error)")
            try write(text, to: output)
            return try tell(SupportBundle(path: output, bytes: text.utf8.count))
        }
        let text = bundle.text ?? ""
        bundle.text = nil
        if let problem = bundle.problem {
            Output.error(problem)
            guard output != nil else {
                Output.error("With -o FILE it is written to another disk.")
                throw ExitStatus.failure
            }
        }
        if let output {
            try write(
                "\(text)\n\(SupportReport.part(SupportReport.diagnosisTitle, Self.diagnosis(of: .make(for: control))))\n",
                to: output)
        }
        try tell(bundle)
    }

    private func tell(_ bundle: SupportBundle) throws {
        if output == "-" { return }
        if json { return Output.line(String(decoding: try ControlCoding.encode(bundle), as: UTF8.self)) }
        Output.line(output ?? bundle.path ?? "")
    }

    private func write(_ text: String, to output: String) throws {
        guard output != "-" else { return Output.line(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
        do {
            let folder = (output as NSString).deletingLastPathComponent
            try PathOwner.run(at: folder) {
                try StateFile.replace(
                    amongOthers: output, with: Array(text.utf8), in: folder.isEmpty ? "." : folder)
            }
        } catch {
            Output.error("\(output): \(error)")
            throw ExitStatus.failure
        }
    }

    private static func diagnosis(of doctor: Doctor) -> String {
        DoctorText.lines(doctor.diagnose()).joined(separator: "\n")
    }

    /// The bundle of a gateway that does not run.
    private func offline(_ reason: String) -> String {
        let report = OfflineSupportReport(
            path: control.config, configuration: try? GatewayConfiguration.load(path: control.config, isCheck: true))
        return report.text(
            reason: reason, diagnosis: Self.diagnosis(of: .make(for: control)),
            log: Systemd.log(of: "martlet", lines: Self.logLines))
    }
}
