// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

@testable import Configuration
@testable import Gateway

/// Definitions of our own in the format of Theengs Decoder.
@Suite("martlet decoder import")
struct TheengsImportTests {
    private static func converted(_ text: String, model: String? = nil) throws -> String {
        try TheengsDefinition(text, model: model).file(family: "acme")
    }

    /// The file is good, and its decoder gives these values of these octets.
    private static func check(_ file: String, _ vectors: [(data: String, values: String)]) {
        let text = vectors.map { "[[vector]]\ndata = \"\($0.data)\"\nvalues = { \($0.values) }\n" }.joined()
        #expect(mistakes(file, text) == [], "\(file)")
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

    /// Compared with a count of all lengths.
    @Test("two tests of a length exclude each other if no length passes both")
    func lengths() {
        func holds(_ count: Int, _ comparison: String, _ digits: Int) -> Bool {
            switch comparison {
            case "=": count == digits
            case ">=": count >= digits
            case ">": count > digits
            case "<=": count <= digits
            default: count < digits
            }
        }
        func test(_ comparison: String, _ digits: Int) -> TheengsTest {
            TheengsTest(source: .manufacturer, kind: .length(comparison: comparison, digits: digits))
        }
        let all = ["=", ">=", ">", "<=", "<"].flatMap { comparison in (0...4).map { (comparison, $0) } }
        for one in all {
            for other in all {
                let isEmpty = (0...9).allSatisfy {
                    !holds($0, one.0, one.1) || !holds($0, other.0, other.1)
                }
                #expect(test(one.0, one.1).excludes(test(other.0, other.1)) == isEmpty, "\(one) \(other)")
            }
        }
        #expect(!test(">", 5_000).excludes(test("<", .max)) && test(">", .max).excludes(test("<", .max)))
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
        #expect(!file.contains("mac"))
        let vectors = """
            [[vector]]
            data = "feff 665544332211 6400 ff9c 9325 32 01 64"
            local_name = "ACME 7"
            values = { temperature = -10, temperature_2 = -19.37, power = 50, opening = true, battery = 100 }
            [[vector]]
            data = "feff 665544332211 6400 ff9c 9325 32 00 64"
            local_name = "Other"
            refused = true
            """
        #expect(Self.mistakes(file, vectors) == [], "\(file)")
    }

    @Test("a header of C++ is read as it lies there")
    func header() throws {
        let header = #"""
            /* R""""( { "brand":"ACME", "condition":["name", "index", 0, "in a comment"], "properties":{} } )""""; */
            const char* _acme_json = "{\"brand\":\"ACME\",\"model_id\":\"T-1\","  // of two parts
                "\"condition\":[\"manufacturerdata\",\"=\",10,\"index\",0,\"feff\"],\"properties\":{\"weight\":{\"decoder\":"
                "[\"value_from_hex_data\",\"manufacturerdata\",4,4,false,false]},\"pres\":{\"decoder\":[\"value_from_hex_data\","
                "\"manufacturerdata\",8,2,false,false],\"post_proc\":[\"/\",10]}}}";
            const char* _acme_json_props = "{\"properties\":{\"weight\":{\"unit\":\"g\"},\"pres\":{\"unit\":\"bar\"}}}";
            """#
        Self.check(try Self.converted(header), [("feff 04d2 19", "weight = 1.234, pressure = 2500")])
    }

    @Test("a definition without a UUID takes the given one")
    func serviceData() throws {
        let text = """
            {"model_id":"U", "condition":["servicedata", "=", 6, "index", 0, "a1"], "properties":{
             "batt":{"decoder":["value_from_hex_data", "servicedata", 2, 2, false, false]}}}
            """
        Self.check(
            try TheengsDefinition(text, serviceData: "fff1").file(family: "acme"),
            [("a1 32 00", "battery = 50")])
        #expect { try Self.converted(text) } throws: { "\($0)".contains("--service-data") }
    }

    @Test("one of several definitions is chosen")
    func several() throws {
        let header = """
            const char* a = R"x({"model_id":"A","condition":["manufacturerdata","=",6,"index",0,"feff"],"properties":{"batt":{
              "decoder":["value_from_hex_data","manufacturerdata",4,2,false,false]}}})x";
            const char* b = R"x({"model_id":"A","condition":["manufacturerdata","=",6,"index",0,"feff"],"properties":{"hum":{
              "decoder":["value_from_hex_data","manufacturerdata",4,2,false,false]}}})x";
            """
        #expect { try Self.converted(header) } throws: { "\($0)".contains("choose one with --model: A, A#2") }
        #expect { try Self.converted(header, model: "B") } throws: { "\($0)".contains("there is no \"B\"") }
        Self.check(try Self.converted(header, model: "A"), [("feff 32", "battery = 50")])
        Self.check(try Self.converted(header, model: "A#2"), [("feff 32", "humidity = 50")])
    }

    @Test("a property works with the calculation above it")
    func calculations() throws {
        let file = try Self.converted(
            """
            {"model_id":"C", "condition":["servicedata", "=", 8, "index", 0, "a1", "&", "uuid", "index", 0, "fff1"], "properties":{
             ".cal":{"decoder":["value_from_hex_data", "servicedata", 4, 2, false, false], "post_proc":["/", 100]},
             "tempc":{"decoder":["value_from_hex_data", "servicedata", 2, 2, false, true], "post_proc":["+", ".cal"]},
             "_.cal":{"decoder":["value_from_hex_data", "servicedata", 6, 2, false, false], "post_proc":["/", 10, ">", 0, "*", ".cal"]},
             "hum":{"decoder":["value_from_hex_data", "servicedata", 2, 2, false, false], "post_proc":["*", ".cal"]}}}
            """)
        Self.check(file, [("a1 0a 32 1f", "temperature = 10.5, humidity = 15")])
    }

    @Test("a later property of one name goes before an earlier one, and its numbers have the source's signs")
    func replaced() throws {
        let file = try Self.converted(
            """
            {"model_id":"R", "condition":["manufacturerdata", "=", 16, "index", 0, "feff"], "properties":{
             "tempc":{"decoder":["value_from_hex_data", "manufacturerdata", 4, 4, false, false], "post_proc":["/", 10]},
             "_tempc":{"condition":["manufacturerdata", 4, "bit", 3, 1], "decoder":["value_from_hex_data", "manufacturerdata", 4, 4,
               false, false], "post_proc":["&", 32767, "/", 10, "*", -1]},
             "open":{"condition":["manufacturerdata", 8, "1", "|", "manufacturerdata", 9, "1"], "decoder":["static_value", true]},
             "_open":{"condition":["manufacturerdata", 8, "0", "&", "manufacturerdata", 9, "0"], "decoder":["static_value", false]},
             "weight":{"decoder":["bf_value_from_hex_data", "manufacturerdata", 10, 4, true, false]},
             "batt":{"decoder":["value_from_hex_data", "manufacturerdata", 14, 2, false], "post_proc":["±", 100, "abs"]}}}
            """)
        Self.check(
            file,
            [
                ("feff 00fa 11 1900 46", "temperature = 25, opening = true, weight = 0.25, battery = 30"),
                ("feff 80fa 10 1964 64", "temperature = -25, opening = true, weight = 100.25, battery = 0"),
                ("feff 80fa 00 1964 64", "temperature = -25, opening = false, weight = 100.25, battery = 0"),
            ])
    }

    @Test("a number of eight digits has no sign there, and a fraction has its own")
    func signs() throws {
        let file = try Self.converted(
            """
            {"model_id":"S", "condition":["manufacturerdata", "=", 16, "index", 0, "feff"], "properties":{
             "lux":{"decoder":["value_from_hex_data", "manufacturerdata", 4, 8, true]},
             "tempc":{"decoder":["bf_value_from_hex_data", "manufacturerdata", 12, 4, false, true]}}}
            """)
        Self.check(
            file,
            [
                ("feff ffffff80 8032", "illuminance = 2164260863, temperature = -0.5"),
                ("feff 01000000 1a1e", "illuminance = 1, temperature = 26.3"),
            ])
    }

    @Test("a part without an equivalent is named with its reason")
    func notes() throws {
        let file = try Self.converted(
            """
            {"model_id":"N", "condition":["manufacturerdata", "=", 8, "index", 0, "feff", "&", "uuid", "index", 0, "!", "fff1"],
             "properties":{
              "button":{"decoder":["value_from_hex_data", "manufacturerdata", 4, 2, false, false]},
              "lightlevel":{"decoder":["bit_static_value", "manufacturerdata", 5, 0, "dark", "bright"]},
              "voltx":{"decoder":["value_from_hex_data", "manufacturerdata", 4, 2, false, false]},
              "hum":{"decoder":["value_from_hex_data", "manufacturerdata", 6, 2, false, false], "post_proc":["*", ".cal"]},
              "batt":{"decoder":["value_from_hex_data", "manufacturerdata", 6, 2, false, false]}}}
            """)
        for note in [
            "the condition uuid index 0 ! fff1", "button, a number, where a text is the quantity's value",
            "lightlevel, whose value \"dark\" is a text", "voltx, which is no quantity here",
            "hum, whose step * has no calculation that was converted",
        ] {
            #expect(file.contains("# not converted: \(note)"), "\(note): \(file)")
        }
        Self.check(file, [("feff 01 32", "battery = 50")])
    }

    @Test("alternatives stand between &, and become forms")
    func alternatives() throws {
        let file = try Self.converted(
            """
            {"brand":"ACME", "model":"H", "model_id":"H",
             "condition":["uuid", "index", 0, "fff1", "|", "uuid", "index", 0, "fff2", "&", "servicedata", ">=", 5, "index", 0, "a1", "|",
               "servicedata", "=", 8, "index", 0, "!", "a1"],
             "properties":{"hum":{"condition":["servicedata", ">=", 6], "decoder":["value_from_hex_data", "servicedata", 2, 2, false, false]}}}
            """)
        #expect(file.components(separatedBy: "[[form]]").count == 5, "\(file)")
        Self.check(file, [("a13201", "humidity = 50"), ("b2320000", "humidity = 50")])
        #expect(
            Self.mistakes(
                file,
                "[[vector]]\ndata = \"b23200\"\nrefused = true\n[[vector]]\ndata = \"a132ff\"\nvalues = { humidity = 50 }\n"
            ).isEmpty)
    }

    @Test func `the number of alternatives is bounded before they are made`() {
        let group = Array(repeating: #""servicedata", "index", 0, "a1""#, count: 20_000).joined(separator: #", "|", "#)
        let text = """
            {"brand":"ACME", "model":"H", "model_id":"H", "condition":["uuid", "index", 0, "fff1", "&", \(group), "&", \(group)],
             "properties":{"hum":{"decoder":["value_from_hex_data", "servicedata", 2, 2, false, false]}}}
            """
        let error = #expect(throws: TheengsError.self) { try Self.converted(text) }
        #expect(error?.description.contains("alternatives") == true, "\(String(describing: error))")
    }

    @Test func `texts of the file stay on one line`() throws {
        let file = try Self.converted(
            """
            {"brand":"ACME", "model":"H", "model_id":"H", "condition":["uuid", "index", 0, "fff1", "&", "servicedata", "=", 8],
             "properties":{"hum":{"decoder":["value_from_hex_data", "servicedata", 2, 2, false, false]},
               "x\\nfamily = 1\\u001b":{"decoder":["weather"]}}}
            """)
        #expect(!file.contains("\nfamily = 1") && !file.contains("\u{1B}"), "\(file)")
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
            (
                "{\"condition\":[\"uuid\",\"index\",0,\"fff1\"],\"properties\":{\"hum\":{\"decoder\":[\"value_from_hex_data\",\"servicedata\",2,2,false,false]}}}",
                "too loose"
            ),
            (
                "{\"condition\":[\"manufacturerdata\",\"=\",8,\"index\",0,\"feff\"],\"properties\":{\"x\":{\"decoder\":[\"value_from_hex_data\",\"manufacturerdata\",4,2,false,false]}}}",
                "no property can be converted: x, which is no quantity here"
            ),
            ("{\"condition\":[\"name\",\"index\",0,\"a\",\"&\"],\"properties\":{}}", "ends too early"),
            (
                "{\"condition\":\(String(repeating: "[", count: 12))\(String(repeating: "]", count: 12)),\"properties\":{}}",
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
