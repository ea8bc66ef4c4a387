// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

@testable import Configuration
@testable import Gateway

/// Definitions of our own in the format of Theengs Decoder.
@Suite("martlet decoder import")
struct TheengsImportTests {
    private static func converted(_ json: String) throws -> String {
        try TheengsDefinition(json).file(family: "acme")
    }

    /// The file and its vectors, read as the gateway reads them.
    private static func mistakes(_ file: String, _ vectors: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try DecoderFile(file + "\n" + vectors, file: "d")
            return []
        } catch {
            return error.issues.map(\.description)
        }
    }

    @Test("every kind of property becomes an equivalent file")
    func properties() throws {
        let file = try Self.converted(
            """
            // A C++ header around the decoder.
            const char* x = R"(
            {
               "brand":"ACME", "model":"T", "model_id":"T-1", "tag":"0102",
               "condition":["manufacturerdata", "=", 34, "index", 0, "feff", "&", "manufacturerdata", "revmac@index", 4,
                  "&", "name", "index", 0, "ACME"],
               "properties":{
                  ".cal":{"decoder":["value_from_hex_data", "manufacturerdata", 16, 4, true, false], "post_proc":["&", 1023]},
                  "tempc":{"condition":["manufacturerdata", 33, "bit", 0, 0],
                     "decoder":["value_from_hex_data", "manufacturerdata", 20, 4, false], "post_proc":["/", 10]},
                  "_tempc":{"decoder":["value_from_hex_data", "manufacturerdata", 20, 4, false]},
                  "tempc2":{"decoder":["bf_value_from_hex_data", "manufacturerdata", 24, 4, false]},
                  "power":{"decoder":["value_from_hex_data", "manufacturerdata", 28, 2, false, false],
                     "post_proc":["*", 100, "/", ".cal"]},
                  "open":{"decoder":["bit_static_value", "manufacturerdata", 31, 0, false, true]},
                  "batt":{"decoder":["value_from_hex_data", "manufacturerdata", 32, 2, false, false], "post_proc":["&", 126]},
                  "mac":{"decoder":["revmac_from_hex_data", "manufacturerdata", 4]}
               }
            }
            )";
            """)
        #expect(file.contains("# not converted: _tempc, which is no quantity here"))
        #expect(!file.contains("mac"))
        let vectors = """
            [[vector]]
            data = "feff 665544332211 6400 ff9c ed25 32 01 64"
            local_name = "ACME 7"
            values = { temperature = -10, temperature_2 = -19.37, power = 50, opening = true, battery = 100 }
            [[vector]]
            data = "feff 665544332211 6400 ff9c ed25 32 00 64"
            local_name = "Other"
            refused = true
            """
        #expect(Self.mistakes(file, vectors) == [], "\(file)")
    }

    @Test("alternatives become forms, lengths and negations conditions")
    func alternatives() throws {
        let file = try Self.converted(
            """
            {"brand":"ACME", "model":"H", "model_id":"H",
             "condition":["uuid", "index", 0, "fff1", "&", "servicedata", "index", 0, "a1", "|", "uuid", "index", 0, "fff2", "&",
               "servicedata", ">=", 6, "index", 0, "!", "ff"],
             "properties":{"hum":{"condition":["servicedata", ">=", 6], "decoder":["value_from_hex_data", "servicedata", 2, 2, false, false]}}}
            """)
        let vectors = """
            [[vector]]
            data = "a13201"
            values = { humidity = 50 }
            """
        // From left to right: the second & is of both alternatives.
        #expect(file.components(separatedBy: "[[form]]").count == 3, "\(file)")
        #expect(
            !Self.mistakes(file, vectors).contains { $0.contains("unknown key") }, "\(Self.mistakes(file, vectors))")
    }

    @Test(
        "an unsupported definition is an error with its reason",
        arguments: [
            ("nothing", "no JSON object"), ("{}", "has no condition"),
            ("{\"condition\":[\"servicedata\",\"index\",0,\"01\"]}", "has no properties"),
            (
                "{\"condition\":[\"servicedata\",\"index\",0,\"01\"],\"properties\":{\"hum\":{\"decoder\":[\"value_from_hex_data\",\"servicedata\",2,2,false]}}}",
                "without a uuid"
            ),
            ("{\"condition\":[\"weather\"],\"properties\":{}}", "is about"),
            ("{\"condition\":[\"name\",\"index\",0,\"a\",\"&\"],\"properties\":{}}", "ends too early"),
            (
                "{\"condition\":\(String(repeating: "[", count: 20))\(String(repeating: "]", count: 20)),\"properties\":{}}",
                "nested deeper"
            ),
        ])
    func refused(json: String, says: String) {
        do {
            _ = try TheengsDefinition(json).file()
            Issue.record("it was converted")
        } catch {
            #expect("\(error)".contains(says), "\(error)")
        }
    }

    @Test("definitions cut or changed anywhere never trap")
    func hostile() {
        let whole = Array(
            """
            {"condition":["manufacturerdata", ">", 8, "index", 0, "feff"], "properties":{"tempc":{"condition":["manufacturerdata", 5,
            "bit", 3, 1], "decoder":["bf_value_from_hex_data", "manufacturerdata", 4, 4, true], "post_proc":["±", ".x", "<", 2]}}}
            """.utf8)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var changed = whole
            for _ in 0..<3 {
                let index = Int.random(in: 0..<changed.count, using: &generator)
                changed[index] = Array("0123456789\"[]{},-e.".utf8).randomElement(using: &generator) ?? 0
            }
            _ = try? TheengsDefinition(String(decoding: changed, as: UTF8.self)).file()
        }
    }
}
