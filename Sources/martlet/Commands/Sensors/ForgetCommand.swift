// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Operations

struct ForgetCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 50)
    static let configuration = CommandConfiguration(
        commandName: OperationName.forget.word,
        abstract: "Have a running gateway collect no longer from a sensor that was accepted.",
        discussion: """
            SENSOR is an id or an address. The gateway forgets only a sensor of martlet accept or of a phone: remove \
            an entry of a configuration file yourself. The keys stay: martlet unpair forgets the keys.
            With --quantity every sensor stays, and SENSOR may also be an identifier or a name. Home Assistant, \
            martlet status and the page forget one quantity of the sensor, for example the quantity of a damaged \
            packet. The quantity comes again when two packets name it.
            """,
        examples: [
            "martlet forget fridge": "by its id",
            "martlet forget C4:7C:8D:00:11:22": "by its address",
            "martlet forget fridge --quantity tvoc": "one entity of Home Assistant's",
        ])

    @Argument(.forget, "sensor")
    var sensor: String

    @Option(.forget, "quantity")
    var quantity: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        if let quantity {
            let name = try control.ask(OperationTable.forget, sensor: sensor) { $0.quantity = quantity }
            if json { return try Output.json(["sensor": name, "quantity": quantity]) }
            return Output.line("\(name) has no \(quantity) any more, and Home Assistant is told so.")
        }
        let name = try control.ask(OperationTable.forget, sensor: sensor)
        if json { return try Output.json(["sensor": name]) }
        Output.line("\(name) is not collected from any more.")
    }
}
