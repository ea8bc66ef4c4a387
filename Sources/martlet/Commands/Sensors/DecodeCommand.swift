// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Configuration
import Foundation
import Gateway

struct DecodeCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 140)
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Say the meaning of a sensor's octets, or why no decoder takes them.",
        discussion: """
            HEX is an advertisement, as AD structures; with --manufacturer, --service-data or --characteristic, HEX is \
            the value of these alone. Neither a gateway nor a controller is needed. Decoders in decoders.d beside the \
            configuration file take part. Ends with status 1 where there are no values.
            """,
        examples: [
            "martlet decode 0201060303d2fc": "an advertisement",
            "martlet decode 4002ca09 --service-data fcd2": "BTHome's value",
            "martlet decode 99040512fc --manufacturer --json": "company first",
            "martlet decode 0c --characteristic 2a19": "a battery level",
        ])

    @Argument(help: ArgumentHelp("The octets, two hexadecimal digits each.", valueName: "hex"))
    var octets: HexadecimalArgument

    @Flag(help: "They are Manufacturer Specific Data: the company's two octets, the low octet first, and the rest.")
    var manufacturer = false

    @Option(help: ArgumentHelp("They are Service Data of this UUID.", valueName: "uuid"))
    var serviceData: UUIDArgument?

    @Option(help: ArgumentHelp("They are the value of this characteristic.", valueName: "uuid"))
    var characteristic: UUIDArgument?

    @Option(help: ArgumentHelp("The scan response beside an advertisement.", valueName: "hex"))
    var response: HexadecimalArgument?

    @Option(help: "The sender's address, which some sensors repeat.")
    var address: AddressArgument?

    @Option(help: "The advertised name, which some sensors are known by.")
    var name: String?

    @Option(
        help: ArgumentHelp("A service that is advertised beside them; may be given several times.", valueName: "uuid"))
    var service: [UUIDArgument] = []

    @Option(
        help: ArgumentHelp(
            "The sensor's key, where it encrypts. Other users of the machine can see it.", valueName: "hex"))
    var key: HexadecimalArgument?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The configuration file with decoders.d beside it.", valueName: "file"))
    var config: String = GatewayConfiguration.defaultPath

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        let kinds = [manufacturer, serviceData != nil, characteristic != nil].filter { $0 }.count
        if kinds > 1 {
            throw ValidationError("--manufacturer, --service-data and --characteristic exclude each other.")
        }
        if kinds == 1, response != nil { throw ValidationError("--response is beside a whole advertisement.") }
    }

    func run() throws {
        for issue in DecoderFiles.installAll(beside: config) { Output.error("Warning: \(issue)") }
        let explanation = PacketExplanation(packet)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            Output.line(String(decoding: try encoder.encode(explanation), as: UTF8.self))
        } else {
            Output.line(explanation.text)
        }
        if explanation.reason != nil { throw ExitStatus.failure }
    }

    private var packet: PacketExplanation.Packet {
        let subject: PacketExplanation.Subject =
            if manufacturer {
                .manufacturer
            } else if let serviceData {
                .serviceData(serviceData.uuid)
            } else if let characteristic {
                .characteristic(characteristic.uuid.description.lowercased())
            } else {
                .advertisement(response: response?.octets ?? [])
            }
        var packet = PacketExplanation.Packet(octets.octets, subject)
        (packet.address, packet.name, packet.key) = (address?.value, name, key?.octets)
        packet.services = service.map(\.uuid)
        return packet
    }
}

struct HexadecimalArgument: ExpressibleByArgument {
    let octets: [UInt8]

    /// Up to 1,650 octets: an extended advertisement has no more. Blanks, colons and dashes between digits do not count.
    init?(argument: String) {
        guard argument.utf8.count <= 8_192,
            let octets = [UInt8](hexadecimal: argument.filter { !" :-".contains($0) }), octets.count <= 1_650
        else { return nil }
        self.octets = octets
    }
}

struct UUIDArgument: ExpressibleByArgument {
    let uuid: BluetoothUUID

    init?(argument: String) {
        guard let uuid = BluetoothUUID(argument) else { return nil }
        self.uuid = uuid
    }
}

struct AddressArgument: ExpressibleByArgument {
    let value: UInt64

    init?(argument: String) {
        guard let address = DeviceAddress(argument, kind: .public) else { return nil }
        value = address.value
    }
}
