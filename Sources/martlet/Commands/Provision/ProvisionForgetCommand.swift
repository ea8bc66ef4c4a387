// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Operations
import Provisioning

struct ProvisionForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: WindowAction.forget.rawValue,
        abstract: "Forget the keys of a phone.",
        discussion: """
            PHONE is an address of `martlet provision status`. The phone does not know: make it forget the gateway in its \
            Bluetooth settings, too.
            """,
        examples: ["martlet provision forget --all": "no phone comes back"])

    @Argument(help: "The phone.")
    var phone: String?

    @Flag(help: "All phones.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        guard (phone == nil) == all else { throw ValidationError("give a PHONE, or --all") }
    }

    func run() throws {
        var request = WindowRequest(.forget)
        request.phone = phone
        let report = try control.ask(OperationTable.provision, request)
        if json { return try Output.json(report) }
        Output.line("Phones that are known: \(report.phones?.count ?? 0)")
    }
}
