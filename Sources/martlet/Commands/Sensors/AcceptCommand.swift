// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Foundation
import Gateway
import Operations

struct AcceptCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 40)
    static let configuration = CommandConfiguration(
        commandName: OperationName.accept.word,
        abstract: "Have a running gateway collect from a sensor, now and after each restart.",
        discussion: """
            ADDRESS is what martlet devices shows. The gateway writes the entry into a file of its own, below its state \
            directory; martlet forget removes it. The gateway collects all known values of the sensor's family, unless \
            --subscribe names others.
            """,
        examples: [
            "martlet accept C4:7C:8D:00:11:22": "all that is known of its family",
            "martlet accept C4:7C:8D:00:11:22 --id fridge": "with a name in topics",
            "martlet accept C4:7C:8D:00:11:22 --subscribe 180f/2a19": "one value",
            "martlet accept C4:7C:8D:00:11:22 --passkey-file label.txt": "it is paired",
        ])

    @Argument(.accept, "address")
    var address: String

    @Option(.accept, "id")
    var id: String?

    @Option(
        help: ArgumentHelp(
            "A value to collect, as in the configuration; may be repeated.", valueName: "service/characteristic"))
    var subscribe: [String] = []

    @Option(help: ArgumentHelp("A file whose first line is the sensor's passkey, six digits.", valueName: "file"))
    var passkeyFile: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let passkey = try passkeyFile.map(Self.passkey)
        let sensor = try control.ask(OperationTable.accept) { request in
            (request.address, request.id, request.passkey) = (address, id, passkey)
            request.subscribe = subscribe.isEmpty ? nil : subscribe
        }
        let name = sensor.id == sensor.address ? nil : sensor.id
        Output.line(
            json
                ? String(decoding: try ControlCoding.encode(sensor), as: UTF8.self)
                : "\(sensor.address) is accepted\(name.map { " as \($0)" } ?? "").")
    }

    private static func passkey(in file: String) throws -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            Output.error("\(file) cannot be read.")
            throw ExitStatus.failure
        }
        return text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first
            .map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    }
}
