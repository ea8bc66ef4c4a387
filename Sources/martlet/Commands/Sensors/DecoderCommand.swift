// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway

struct DecoderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decoder", abstract: "Make decoders of your own.",
        subcommands: [Import.self],
        examples: ["martlet decoder import sensor.json": "a file for decoders.d"])

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Make a file for decoders.d of a definition in the format of Theengs Decoder.",
            discussion: """
                FILE holds one definition: JSON, or a header of C++ with JSON. The file for decoders.d goes to \
                standard output; its comments have the parts without a conversion, and room for vectors from packets \
                of your sensor. martlet check-config proves the result.
                """,
            examples: [
                "martlet decoder import sensor.json": "look at it",
                "martlet decoder import sensor.json --family acme": "its name",
            ])

        @Argument(help: ArgumentHelp("The definition.", valueName: "file"))
        var file: String

        @Option(help: "The family's name in readings and entries; made from the model when not given.")
        var family: String?

        func run() throws {
            guard let data = FileManager.default.contents(atPath: file), data.count <= 1 << 20 else {
                Output.error("\(file) cannot be read, or has more than a megabyte.")
                throw ExitStatus.usage
            }
            do {
                Output.raw(try TheengsDefinition(String(decoding: data, as: UTF8.self)).file(family: family))
            } catch {
                Output.error("\(file): \(error)")
                throw ExitStatus.failure
            }
        }
    }
}
