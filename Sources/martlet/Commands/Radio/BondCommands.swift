// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Gateway
import Glibc
import Operations

struct UnpairCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 100)
    static let configuration = CommandConfiguration(
        commandName: OperationName.unpair.word,
        abstract: "Have a running gateway forget the keys of a device.",
        discussion: """
            SENSOR is a sensor's id, address, identifier or name, or the address of any device that martlet bonds shows. \
            Its connection ends. The device does not know: most have a button or a reset for it to forget the keys, too.
            """,
        examples: [
            "martlet unpair kitchen": "asks first",
            "martlet unpair C4:7C:8D:00:11:02 --yes": "by its address, without asking",
        ])

    @Argument(.unpair, "sensor")
    var sensor: String

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print what was forgotten as JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        if !yes {
            guard isatty(STDIN_FILENO) == 1 else {
                Output.error("There is no terminal to ask on: give --yes.")
                throw ExitStatus.usage
            }
            var input = TerminalInput()
            let answer = input.ask("Forget the keys of \(sensor)? It has to be paired again afterwards. [y/N] ")
            guard let answer, TerminalInput.isYes(answer) else { throw ExitStatus.failure }
        }
        let bond = try control.ask(OperationTable.unpair, sensor: sensor)
        Output.line(
            json
                ? String(decoding: try ControlCoding.encode(bond), as: UTF8.self)
                : "\(bond.device ?? bond.address) is not paired any more.")
    }
}

struct BondsCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 110)
    static let configuration = CommandConfiguration(
        commandName: OperationName.bonds.word, abstract: "Show the devices that a running gateway is paired with.",
        examples: [
            "martlet bonds": "who is paired",
            "martlet bonds --json": "for programs",
        ])

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let list = try control.ask(OperationTable.bonds)
        if json {
            Output.line(String(decoding: try ControlCoding.encode(list), as: UTF8.self))
            return
        }
        for line in Self.lines(list) { Output.line(line) }
        for problem in list.problems { Output.error("! \(Text.plain(problem))") }
    }

    static func lines(_ list: BondList) -> [String] {
        guard !list.bonds.isEmpty else { return ["no bonds"] }
        let rows = list.bonds.map { bond in
            [bond.device ?? "–", Text.plain(bond.name ?? "–"), bond.address, bond.security, bond.since]
        }
        return Text.table([["DEVICE", "NAME", "ADDRESS", "SECURITY", "SINCE"]] + rows)
    }
}
