// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Gateway
import Operations

struct TrustCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 70)
    static let configuration = CommandConfiguration(
        commandName: OperationName.trust.word,
        abstract: "Tell a running gateway which device is a sensor, or that its packets count anew.",
        discussion: """
            A sensor whose battery was changed may number its packets from the beginning; they look like a \
            recording that an attacker plays back, and are refused until you say that they are the sensor's. If two devices claim to be \
            SENSOR, or another device has replaced it, ADDRESS names the device from now on. martlet why SENSOR names the doubt.
            """,
        examples: [
            "martlet trust door": "its battery was changed",
            "martlet trust fridge C4:7C:8D:00:11:22": "it is this device",
        ])

    @Argument(.trust, "sensor")
    var sensor: String

    @Argument(.trust, "address")
    var address: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let trusted = try control.ask(OperationTable.trust, sensor: sensor) { $0.address = address }
        if json { return try Output.json(trusted) }
        Output.line(Text.plain(trusted.text).prefix(1).uppercased() + Text.plain(trusted.text).dropFirst() + ".")
    }
}
