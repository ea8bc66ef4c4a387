// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Operations

struct RenameCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 80)
    static let configuration = CommandConfiguration(
        commandName: OperationName.rename.word,
        abstract: "Give a sensor of a running gateway a name for people, and a room.",
        discussion: """
            SENSOR is the id or the address of a sensor that martlet accept, the page or a phone has accepted; the entry of a \
            configuration file has the keys label and room. Topics keep the id. The name shows on the page, in Home Assistant \
            and in messages; Home Assistant suggests the room as the area of a new device.
            """,
        examples: [
            "martlet rename fridge Larder": "its name",
            "martlet rename fridge --room Cellar": "its room",
            "martlet rename fridge ''": "takes the name back",
        ])

    @Argument(.rename, "sensor")
    var sensor: String

    @Argument(.rename, "label")
    var label: String?

    @Option(.rename, "room")
    var room: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        guard label != nil || room != nil else { throw ValidationError("give a LABEL, or --room") }
    }

    func run() throws {
        let name = try control.ask(OperationTable.rename, sensor: sensor) { ($0.label, $0.room) = (label, room) }
        if json { return try Output.json(["sensor": name, "label": label, "room": room] as [String: String?]) }
        Output.line("\(Text.plain(name)) is renamed.")
    }
}
