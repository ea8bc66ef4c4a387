// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Foundation
import Gateway

struct DecoderCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 150)
    static let configuration = CommandConfiguration(
        commandName: "decoder", abstract: "Make decoders of your own.",
        subcommands: [Import.self],
        examples: ["martlet decoder import sensor.json": "a file for decoders.d"])

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Make a file for decoders.d of a definition in the format of Theengs Decoder.",
            discussion: """
                FILE is JSON, or a header of C++ with JSON in string literals, as it is in its repository. The file \
                for decoders.d goes to standard output; its comments have the parts without a conversion, and room \
                for vectors from packets of your sensor. martlet check-config proves the result.
                """,
            examples: [
                "martlet decoder import sensor.json": "look at it",
                "martlet decoder import sensor.json --family acme": "its name",
                "martlet decoder import sensors.h --model T1": "one of several definitions",
            ])

        @Argument(help: ArgumentHelp("The definition.", valueName: "file"))
        var file: String

        @Option(help: "The family's name in readings and entries; made from the model when not given.")
        var family: String?

        @Option(help: "Which definition of several in the file, by its model_id.")
        var model: String?

        @Option(
            help: ArgumentHelp(
                "The UUID of the sensor's Service Data, if the definition names none.", valueName: "uuid"))
        var serviceData: String?

        func run() throws {
            if let serviceData, BluetoothUUID(serviceData) == nil {
                Output.error("--service-data is \(serviceData), which is no UUID.")
                throw ExitStatus.usage
            }
            guard let data = FileManager.default.contents(atPath: file), data.count <= 1 << 20 else {
                Output.error("\(file) cannot be read, or has more than a megabyte.")
                throw ExitStatus.usage
            }
            do {
                let text = try TheengsDefinition(
                    String(decoding: data, as: UTF8.self), model: model, serviceData: serviceData
                ).file(family: family)
                Output.raw(isatty(STDOUT_FILENO) == 1 ? Text.shown(text) : text)
            } catch {
                Output.error("\(file): \(error)")
                throw ExitStatus.failure
            }
        }
    }
}
