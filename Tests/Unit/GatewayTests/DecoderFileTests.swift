// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Readings
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench

@Suite("Decoders of the user's own")
struct DecoderFileTests {
    private static let examples = Checkout.url("docs/decoders.d")

    private static func decoder(_ name: String) throws -> SensorDefinition {
        let file = examples.appending(path: name)
        return try DecoderFile(String(contentsOf: file, encoding: .utf8), file: name).decoder
    }

    @Test(
        "the examples of docs/decoders.d are good",
        arguments: ["inkbird-int-11p-b.toml", "my-atc.toml", "my-flow-meter.toml", "my-ruuvi.toml"])
    func examples(name: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.examples.path)
        #expect(names.count == 4 && names.contains(name))
        _ = try Self.decoder(name)
    }

    @Test("a file whose packets are recognised by a range alone is noted, and others are not")
    func ranges() throws {
        let folder = try TestFolder()
        func notes(_ match: String, _ field: String) throws -> [String] {
            let text = """
                family = "acme"
                name = "ACME"

                [match]
                manufacturer = "fffe"
                length = 4
                \(match)

                [[field]]
                quantity = "temperature"
                offset = 1
                type = "s16"
                factor = 0.1
                \(field)

                [[vector]]
                data = "a0f30000"
                values = { temperature = 24.3 }
                """
            let files = folder.path("decoders.d")
            try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
            try text.write(toFile: files + "/acme.toml", atomically: true, encoding: .utf8)
            let read = DecoderFiles(beside: folder.path("martlet.toml"))
            #expect(read.issues.isEmpty && read.decoders.count == 1, "\(read.issues)")
            return read.notes
        }
        #expect(try notes("", "maximum = 500").first?.contains("\"acme\"") == true)
        #expect(try notes("", "").isEmpty)
        for mark in ["prefix = \"a0\"", "when = { offset = 3, equals = 0 }", "local_name = \"A*\""] {
            #expect(try notes(mark, "maximum = 500").isEmpty, "\(mark)")
        }
    }

    @Test(
        "a family's file gives the same values as the built-in family",
        arguments: [("my-ruuvi.toml", "ruuvi"), ("my-atc.toml", "atc")])
    func sameAsBuiltIn(file: String, family: String) throws {
        let users = try Self.decoder(file)
        let form = try #require(users.forms.first)
        let own = SensorFamily(users)
        let builtIn = try #require(SensorFamilies.all.first { $0.family == family })
        var generator = SystemRandomNumberGenerator()
        var compared = 0
        for _ in 0..<2_000 {
            var data = (0..<form.length.lowerBound).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for (index, constant) in form.prefix.enumerated() {
                data[index] = data[index] & ~constant.mask | constant.value
            }
            let offset = try #require(form.addressOffset)
            var advertisement = Advertisement(address: data[offset..<(offset + 6)].reduce(0) { $0 << 8 | UInt64($1) })
            switch form.source {
            case .manufacturer(let company):
                advertisement.manufacturerData = [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + data
            case .serviceData(let uuid): advertisement.serviceData[uuid] = data
            default: Issue.record("\(file) is about something else")
            }
            let mine = own.recognise(advertisement)?.plain.flatMap { try? own.decode($0.value) }
            let theirs = builtIn.recognise(advertisement)?.plain.flatMap { try? builtIn.decode($0.value) }
            // A file has no bounds of its own where its author has written none.
            guard let mine, let theirs else { continue }
            // Near saturation only the built-in decoder shows a RuuviTag's humidity as 100 %.
            if theirs.contains(.decimal(.humidity, 1_000_000, places: 4)) { continue }
            compared += 1
            let shown = theirs.filter { field in form.fields.contains { $0.quantity == field.quantity } }
            let numbers = Dictionary(mine.map { ($0.key, $0.value.number) }) { first, _ in first }
            #expect(Dictionary(shown.map { ($0.key, $0.value.number) }) { first, _ in first } == numbers)
        }
        #expect(compared > 50)
    }

    @Test("a change that is only checked leaves the decoders unchanged")
    func lookedAt() async throws {
        let scene = try OperationsScene()
        try scene.folder.write("decoders.d/acme.toml", Self.good)
        let folder = DecoderFiles(beside: scene.folder.path("martlet.toml"))
        #expect(folder.issues.isEmpty && folder.decoders.count == 1)
        _ = try await scene.operations.check(OperationsScene.broker("127.0.0.1"))
        #expect(UserDecoders.current.folder?.hasPrefix(scene.folder.path) != true)
    }

    // MARK: Mistakes

    private static let good = """
        family = "acme-t1"
        [match]
        manufacturer = "fffe"
        length = 4
        prefix = "a?"
        [[field]]
        quantity = "temperature"
        offset = 1
        type = "s16"
        factor = 0.1
        [[vector]]
        data = "a0f300ff"
        values = { temperature = 24.3 }
        """

    static func mistakes(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try DecoderFile(text, file: "d")
            return []
        } catch {
            return error.issues.map(\.description)
        }
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        var from: String
        var to: String
        var says: String
        var testDescription: String { says }
    }

    @Test(
        "a fault is reported with its line",
        arguments: [
            Mistake(from: "length = 4\n", to: "", says: "d:2: [match] has no length"),
            Mistake(from: "manufacturer = \"fffe\"\n", to: "", says: "d:2: [match] needs one of manufacturer"),
            Mistake(from: "family = \"acme-t1\"\n", to: "", says: "there is no family"),
            Mistake(from: "acme-t1", to: "ruuvi", says: "d:1: family is \"ruuvi\", a family that is built in"),
            Mistake(
                from: "[match]", to: "name = \"A\\u001b[31mB\"\n[match]", says: "d:2: name is \"A\\u001B[31mB\""),
            Mistake(
                from: "[match]", to: "hint = \"A\\u202eB\"\n[match]",
                says: "wanted is text without control characters"),
            Mistake(from: "acme-t1", to: "Acme T1", says: "d:1: family is \"Acme T1\"; wanted are up to 32"),
            Mistake(from: "prefix = \"a?\"", to: "prefix = \"a\"", says: "d:5: match.prefix has 1 digits"),
            Mistake(from: "prefix = \"a?\"", to: "prefix = \"xx\"", says: "d:5: match.prefix is \"xx\""),
            Mistake(from: "prefix = \"a?\"", to: "prefix = \"a?bbccdde0\"", says: "d:5: is longer than the shortest"),
            Mistake(from: "length = 4", to: "length = [2, 4]", says: "d:4: a field ends at octet 3"),
            Mistake(from: "length = 4", to: "length = [4, 2]", says: "d:4: match.length is no range"),
            Mistake(
                from: "length = 4", to: "length = 600",
                says: "d:4: match.length is 600; wanted is an integer from 1 to 512"),
            Mistake(
                from: "length = 4\nprefix = \"a?\"\n", to: "length = [4, 5]\n",
                says: "[match] needs a prefix, a local_name or address_at beside a length that varies"),
            Mistake(from: "factor = 0.1", to: "factor = 0", says: "has a factor of 0"),
            Mistake(from: "offset = 1", to: "offset = 99999999999999999999", says: "d:8: this number is too large"),
            Mistake(from: "\"temperature\"\n", to: "\"temprature\"\n", says: "did you mean \"temperature\"?"),
            Mistake(
                from: "\"temperature\"\n", to: "\"button\"\n",
                says: "d:7: this [[field]] is about button, which is no quantity that is a number"),
            Mistake(from: "type = \"s16\"", to: "type = \"s12\"", says: "d:9: field.type is \"s12\""),
            Mistake(from: "type = \"s16\"\n", to: "", says: "d:6: this [[field]] has no type"),
            Mistake(from: "offset = 1\n", to: "", says: "d:6: this [[field]] has no offset"),
            Mistake(from: "offset = 1", to: "offset = 3", says: "a field ends at octet 5"),
            Mistake(from: "factor = 0.1", to: "factor = 0.1\nunit = \"°F\"", says: "temperature is in \"°C\""),
            Mistake(from: "factor = 0.1", to: "factor = 0.1\nmask = 0x10000", says: "has a mask without bits"),
            Mistake(from: "factor = 0.1", to: "factor = 1e300", says: "d:10: field.factor is 1e+300"),
            Mistake(from: "factor = 0.1", to: "faktor = 0.1", says: "did you mean \"factor\"?"),
            Mistake(
                from: "24.3 }", to: "24.4 }",
                says: "this [[vector]] gives temperature = 24.3; it says temperature = 24.4"),
            Mistake(from: "a0f300ff", to: "b0f300ff", says: "this [[vector]] is not taken"),
            Mistake(from: "a0f300ff", to: "a0f300f", says: "vector.data is no string"),
            Mistake(
                from: "values = { temperature = 24.3 }", to: "refused = true",
                says: "there is no [[vector]] with values"),
            Mistake(from: "values = { temperature = 24.3 }", to: "", says: "needs values, or refused = true"),
            Mistake(
                from: "values = { temperature = 24.3 }", to: "values = { temperature = \"warm\" }",
                says: "is a string and no number"),
            Mistake(
                from: "[[vector]]", to: "[[field]]\nquantity = \"humidity\"\noffset = 3\ntype = \"u8\"\n[[vector]]",
                says: "gives humidity = 255, temperature = 24.3"),
            Mistake(
                from: "[[vector]]",
                to: "[[field]]\nquantity = \"humidity\"\noffset = 3\ntype = \"u8\"\nunknown = [255]\n[[vector]]",
                says: "no [[vector]] has a value of humidity"),
            Mistake(from: "[match]", to: "[matches]", says: "did you mean \"match\"?"),
            Mistake(from: "factor = 0.1", to: "compute = [\"*\"]", says: "d:10: this [[field]] has nothing for \"*\""),
            Mistake(from: "factor = 0.1", to: "compute = [\"?\", 1]", says: "has \"?\", which is no step"),
            Mistake(from: "factor = 0.1", to: "compute = [\"+\", \"tare\"]", says: "no field before it has this id"),
            Mistake(from: "factor = 0.1", to: "when = { offset = 3 }", says: "needs one of equals, not"),
            Mistake(from: "factor = 0.1", to: "when = { offset = 3, equal = 3 }", says: "did you mean \"equals\"?"),
            Mistake(from: "factor = 0.1", to: "lookup = { x = 1 }", says: "has \"x\", which is no number like 12"),
            Mistake(from: "factor = 0.1", to: "lookup = { 1 = \"warm\" }", says: "which temperature is not"),
            Mistake(from: "factor = 0.1", to: "ends_after = 60", says: "only what is true or false does"),
            Mistake(from: "factor = 0.1", to: "of = \"tare\"\nfactor = 0.1", says: "no field before it has this id"),
            Mistake(
                from: "prefix = \"a?\"", to: "prefix = \"a?\"\nevent = true",
                says: "d:6: is true without counter or unique"),
            Mistake(
                from: "prefix = \"a?\"", to: "prefix = \"a?\"\ncheck = { kind = \"crc9\", over = [0, 2], offset = 3 }",
                says: "d:6: match.check has kind = \"crc9\""),
            Mistake(
                from: "prefix = \"a?\"", to: "prefix = \"a?\"\ncheck = { kind = \"sum\", over = [0, 2], offset = 3 }",
                says: "this [[vector]] is not taken"),
            Mistake(
                from: "prefix = \"a?\"",
                to: "prefix = \"a?\"\ncipher = { kind = \"aes-ccm\", over = [0, 2], nonce = [\"address\"] }",
                says: "needs a tag"),
            Mistake(from: "manufacturer = \"fffe\"", to: "manufacturer = \"any\"", says: "or beside any manufacturer"),
        ])
    func mistake(_ mistake: Mistake) throws {
        #expect(Self.mistakes(Self.good) == [])
        try #require(Self.good.contains(mistake.from))
        let said = Self.mistakes(Self.good.replacingOccurrences(of: mistake.from, with: mistake.to))
        #expect(said.contains { $0.contains(mistake.says) }, "\(said)")
    }

    @Test("a vector that must be refused and is accepted is reported")
    func refused() {
        let text = Self.good + "\n[[vector]]\ndata = \"a10000ff\"\nrefused = true"
        #expect(Self.mistakes(text) == ["d:14: this [[vector]] must be refused, and gives temperature = 0"])
    }

    // MARK: Numbers

    @Test("signs, masks and sentinels; a value beyond 64 bits belongs to no packet")
    func numbers() throws {
        var number = OctetNumber(offset: 0, octets: 2, kind: .signed, isBigEndian: true, mask: 0x0FF0)
        var field = FormField(.temperature, .octets(number))
        (field.factor, field.add) = (.init(mantissa: 5, places: 1), .init(mantissa: -27_315, places: 2))
        field.unknown = [-128]
        func read(_ octets: [UInt8]) throws -> Field? {
            let decoder = SensorDefinition(
                key: "x", name: "x", source: .characteristic("x"), length: 2...2, fields: [field])
            return try decoder.decode(octets).first
        }
        #expect(try read([0xF0, 0x1F]) == .decimal(.temperature, -27_265, places: 2), "1")
        #expect(try read([0x0F, 0xF0]) == .decimal(.temperature, -27_365, places: 2), "-1")
        #expect(try read([0x08, 0x0F]) == nil)
        field.unknownAbove = 1
        #expect(try read([0xF0, 0x1F]) == .decimal(.temperature, -27_265, places: 2), "1 is known")
        #expect(try read([0xF0, 0x2F]) == nil)
        (number.mask, field.unknownAbove) = (nil, nil)
        field.origin = .octets(number)
        field.factor = .init(mantissa: .max, places: 0)
        #expect(throws: DecodeError.self) { try read([0x7F, 0xFF]) }
        // The product and the added number fit, and their sum does not.
        (field.factor, field.add) = (.init(mantissa: 1, places: 0), .init(mantissa: .max, places: 0))
        #expect(try read([0, 0]) == .int(.temperature, .max))
        #expect(throws: DecodeError.self) { try read([0, 1]) }
        field.quantity = .opening
        #expect(try read([0, 2]) == .binary(.opening, true))
        let wide = FormField(.count, offset: 0, octets: 8)
        let decoder = SensorDefinition(key: "x", name: "x", source: .characteristic("x"), length: 8...8, fields: [wide])
        let greatest: [UInt8] = Array(repeating: 0xFF, count: 7) + [0x7F]
        #expect(try decoder.decode(greatest) == [.int(.count, .max)])
        #expect(throws: DecodeError.self) { try decoder.decode(Array(repeating: 0xFF, count: 8)) }
    }

    @Test(
        "a sensor is known by its name where a file says so",
        arguments: [
            ("ACME", "ACME", true), ("ACME", "ACME 1", false), ("ACME", nil, false), ("ACME*", "ACME 1", true),
            ("ACME*", "ACME", true), ("ACME*", "My ACME", false), ("ACME*", nil, false),
        ] as [(String, String?, Bool)])
    func localName(_ pattern: String, _ name: String?, _ isKnown: Bool) {
        var decoder = SensorDefinition(
            key: "acme", name: "ACME", source: .manufacturer(0xFFFE), length: 1...1,
            fields: [FormField(.count, offset: 0, octets: 1)])
        decoder.forms[0].localName = pattern
        let advertisement = Advertisement(address: 1, name: name, manufacturerData: [0xFE, 0xFF, 7])
        #expect((decoder.recognise(advertisement) != nil) == isKnown)
    }

    @Test("a packet that two files decode is reported with its line")
    func twins() throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(atPath: folder.path("decoders.d"), withIntermediateDirectories: true)
        try folder.write("decoders.d/a.toml", Self.good)
        try folder.write("decoders.d/b.toml", "# The same again.\n" + Self.good)
        let flow = """
            [match]
            length = 1
            characteristic = "ffe1"
            [[field]]
            quantity = "count"
            offset = 0
            type = "u8"
            [[vector]]
            data = "01"
            values = { count = 1 }
            """
        try folder.write("decoders.d/c.toml", flow)
        try folder.write("decoders.d/d.toml", flow)
        let said = DecoderFiles(beside: folder.path("martlet.toml")).issues.map(\.description)
        #expect(said.count == 2, "\(said)")
        #expect(said.first?.contains("b.toml:2: \"acme-t1\" is decoded by") == true, "\(said)")
        #expect(said.last?.contains("d.toml:3: \"ffe1\" is decoded by") == true, "\(said)")
    }

    @Test("64 files are read, and a further file is reported")
    func manyFiles() throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(atPath: folder.path("decoders.d"), withIntermediateDirectories: true)
        func add(_ number: Int) throws {
            try folder.write(
                "decoders.d/\(number).toml", Self.good.replacingOccurrences(of: "acme-t1", with: "acme-\(number)"))
        }
        for number in 0..<64 { try add(number) }
        var files = DecoderFiles(beside: folder.path("martlet.toml"))
        #expect(files.issues.isEmpty && files.decoders.count == 64)
        try add(64)
        files = DecoderFiles(beside: folder.path("martlet.toml"))
        #expect(files.decoders.count == 64)
        #expect(files.issues.map(\.message) == ["there are more than 64 files"])
    }

    @Test("octets of any kind never trap, whatever a file describes")
    func hostile() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let number = OctetNumber(
                offset: Int.random(in: -520...520, using: &generator), octets: Int.random(in: 0...9, using: &generator),
                kind: Bool.random(using: &generator) ? .signed : .unsigned, isBigEndian: Bool.random(using: &generator),
                mask: Bool.random(using: &generator) ? UInt64.random(in: 0...(.max), using: &generator) : nil)
            var field = FormField(Quantity.allCases.randomElement(using: &generator) ?? .count, .octets(number))
            field.factor = .init(mantissa: .random(in: .min...(.max), using: &generator), places: .random(in: 0...18))
            field.add = .init(mantissa: .random(in: .min...(.max), using: &generator), places: .random(in: 0...18))
            let decoder = SensorDefinition(
                key: "x", name: "x", source: .characteristic("x"), length: 1...512, fields: [field])
            let value = (0..<Int.random(in: 0...600, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? decoder.decode(value)
        }
    }

    @Test("a pipe is no file to wait for, and a key of ten thousand parts is a mistake with its line")
    func hostileFiles() throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(atPath: folder.path("decoders.d"), withIntermediateDirectories: true)
        #expect(mkfifo(folder.path("decoders.d/pipe.toml"), 0o600) == 0)
        let long = "[a" + String(repeating: ".a", count: 10_000) + "]\n"
        try folder.write("decoders.d/long.toml", "# ......................................\n" + long)
        let issues = DecoderFiles(beside: folder.path("martlet.toml")).issues
        #expect(issues.count == 2)
        #expect(issues.contains { $0.file.hasSuffix("pipe.toml") && $0.message == "is no regular file" })
        #expect(issues.contains { $0.file.hasSuffix("long.toml") && $0.line == 2 && $0.message.contains("255 points") })
    }

    @Test("a value of battery_low is no battery value, and battery_2 is one")
    func untriedField() throws {
        let fields = "[[field]]\nquantity = \"battery\"\noffset = 0\ntype = \"u8\"\n"
        let head = "family = \"acme\"\nname = \"Acme\"\n[match]\nmanufacturer = \"FFFE\"\nlength = 2\n"
        let low = "[[field]]\nquantity = \"battery_low\"\noffset = 1\ntype = \"u8\"\n"
        let unknown = fields + "unknown = [255]\n" + low
        let tried = "[[vector]]\ndata = \"FF01\"\nvalues = { battery_low = 1 }\n"
        #expect(Self.mistakes(head + unknown + tried).contains { $0.contains("has a value of battery:") })
        let both = "[[vector]]\ndata = \"6464\"\nvalues = { battery_1 = 100, battery_2 = 100 }\n"
        let second = fields.replacingOccurrences(of: "offset = 0", with: "offset = 1")
        #expect(!Self.mistakes(head + fields + second + both).contains { $0.contains("has a value of battery") })
    }
}
