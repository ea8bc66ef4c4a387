// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import TestMaterials
import Testing

/// docs/decoders.md is made here: `MARTLET_WRITE=1 make unit TEST=DecoderPageTests`.
struct DecoderPageTests {
    private static var text: String {
        let values = Decoders.table.map { entry in
            let keys = entry.quantities.map { "`\($0.key)`" }.joined(separator: ", ")
            return "| `\(entry.characteristic)` | \(entry.name) | \(keys) |"
        }
        let quantities = Quantity.allCases.sorted { $0.key < $1.key }.map { quantity in
            let details = quantity.details
            let kind = details.isList ? "list" : details.kind.rawValue
            let cells = [
                "`\(quantity.key)`", details.name, details.unit ?? "–", "\(details.precision)", kind,
                details.theengsKey.map { "`\($0)`" } ?? "–",
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return """
            # What is decoded

            A value of another characteristic is collected and kept like these; [payloads](mqtt.md) have its octets as `raw`.

            ## Characteristics

            | characteristic | name | fields |
            | --- | --- | --- |
            \(values.joined(separator: "\n"))

            ## Fields

            A field is left out where the sensor says that it does not know. An impossible advertised value (a temperature below
            −273.15 or above 2000 °C, a battery, a humidity, a moisture or a consumable below 0 or above 100 %) is left out alone. A
            packet without any possible value counts as `not-understood` in `martlet status`. A payload has the decimal places that the sensor sends;
            the table says how many of them are worth showing. The key of Theengs is for `layout = "theengs"`;
            [Home Assistant](home-assistant.md#quantities) has a table of its own.

            | key | name | unit | places | kind | Theengs |
            | --- | --- | --- | --- | --- | --- |
            \(quantities.joined(separator: "\n"))

            """
    }

    @Test func `the page of what is decoded is what the program decodes`() throws {
        #expect(
            try MadeFile.holds(Self.text, at: "docs/decoders.md"), "MARTLET_WRITE=1 make unit TEST=DecoderPageTests")
    }

    @Test func `each key is one of a payload's, and no word of its frame`() {
        let frame: Set = [
            "v", "dev", "name", "gw", "n", "ts", "time", "clock", "boot", "up_ms", "src", "rssi", "characteristic",
            "raw",
            "historical", "id", "brand", "model", "tempf",
        ]
        // One name of Theengs for several of our quantities; a sensor has only one of these quantities.
        let shared: Set = ["open", "duration"]
        var seen: Set<String> = []
        for quantity in Quantity.allCases {
            for key in Set([quantity.key, quantity.details.theengsKey ?? quantity.key]) {
                #expect(key.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }, "\(key)")
                #expect(!frame.contains(key) && (seen.insert(key).inserted || shared.contains(key)), "\(key)")
            }
            #expect(!quantity.details.name.isEmpty && (0...9).contains(quantity.details.precision))
        }
    }
}
