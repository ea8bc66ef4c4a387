// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GatewayBench
import SensorCipher
import Testing

@testable import Configuration
@testable import Gateway
@testable import Readings

@Suite("The language of decoder files")
struct DecoderLanguageTests {
    @Test(
        "every file of Sources/Readings/Sensors is valid, and equals its Swift",
        arguments: try FileManager.default.contentsOfDirectory(atPath: sensors.path).filter { $0.hasSuffix(".toml") })
    func builtIn(name: String) throws {
        let text = try String(contentsOf: Self.sensors.appending(path: name), encoding: .utf8)
        let read = try $areBuiltInFamiliesRead.withValue(true) { try DecoderFile(text, file: name).decoder }
        let compiled = (SensorFamilies.described + Decoders.described).first { $0.key == read.key }
        #expect(compiled == read, "run Sources/Readings/Sensors/generate.py")
    }

    private static let sensors = Checkout.url("Sources/Readings/Sensors")

    @Test("several forms, a table, a text, a tolerance and a key, as files write them")
    func language() throws {
        let text = """
            family = "acme-t2"
            [[form]]
            manufacturer = "fffe"
            length = [4, 12]
            prefix = "01"
            when = [{ offset = 1, maximum = 9 }, { length = [4, 12] }]
            [[form.field]]
            quantity = "temperature"
            offset = 2
            type = "sm16"
            order = "big"
            compute = ["/", 3]
            [[form.field]]
            quantity = "text"
            offset = 4
            type = "text"
            octets = 8
            when = { length = [5, 12] }
            [[form]]
            service_data = "12345678-1234-5678-1234-56789abcdef0"
            length = 2
            check = { kind = "xor", over = [0, 0], offset = 1 }
            [[form.field]]
            quantity = "brush_state"
            offset = 0
            type = "u8"
            lookup = { 1 = "idle", 0x02 = "running" }
            [[form]]
            service_data = "fff1"
            length = 12
            cipher = { kind = "aes-ctr", over = [5, -5], nonce = ["address-reversed", "d2fc", "1:4"] }
            counter = { offset = 1, type = "u32" }
            [[form.field]]
            quantity = "battery"
            offset = 7
            type = "u8"
            [[vector]]
            data = "0109 8064 414200"
            values = { temperature = -33.3, text = "AB" }
            tolerance = 0.04
            [[vector]]
            data = "0202"
            values = { brush_state = "running" }
            [[vector]]
            data = "0203"
            refused = true
            [[vector]]
            data = "\(Self.encrypted)"
            address = "A4:C1:38:12:34:56"
            key = "000102030405060708090a0b0c0d0e0f"
            values = { battery = 100 }
            """
        #expect(DecoderFileTests.mistakes(text) == [])
        for (from, to, says) in [
            ("{ offset = 1, type = \"u32\" }", "{ offset = 4, type = \"u16\" }", "counter"),
            ("over = [5, -5]", "over = [3, -5]", "counter"),
            ("length = 12\n", "length = 12\nprefix = \"????????????41\"\n", "prefix"),
        ] {
            let mistakes = DecoderFileTests.mistakes(text.replacingOccurrences(of: from, with: to))
            #expect(
                mistakes.first?.contains(says) == true && mistakes.first?.contains("cipher.over") == true, "\(mistakes)"
            )
        }
        #expect(
            DecoderFileTests.mistakes(text.replacingOccurrences(of: "tolerance = 0.04", with: "")).first?.contains(
                "-33.3") == true)
        #expect(DecoderFileTests.mistakes(text.replacingOccurrences(of: "000102", with: "010102")).count == 1)
        #expect(
            DecoderFileTests.mistakes(text.replacingOccurrences(of: "\"running\" }\n[[v", with: "\"idle\" }\n[[v"))
                .count == 1)
    }

    @Test func `the encrypted value of a characteristic`() {
        let text = """
            [match]
            characteristic = "fff7"
            length = [16, 32]
            cipher = { kind = "aes-cbc", key = "000102030405060708090a0b0c0d0e0f", iv = "101112131415161718191a1b1c1d1e1f" }
            prefix = "a?"
            [[field]]
            quantity = "temperature"
            offset = 1
            type = "s16"
            factor = 0.1
            [[vector]]
            data = "0622fd115bdcac962de4ea41a22b5237"
            values = { temperature = 24.3 }
            [[vector]]
            data = "c0c30cb2f5e42682bbbc8b25cec36b5b0bbd868df36b9d6cbbc0759b18ff55d6"
            values = { temperature = 24.4 }
            [[vector]]
            data = "b9f2e73fb75ccdc27e66b0a0c8181d3b"
            refused = true
            [[vector]]
            data = "a0f30000000000000000000000000000"
            refused = true
            [[vector]]
            data = "0622fd115bdcac962de4ea41a22b52370622fd115bdcac96"
            refused = true
            """
        #expect(DecoderFileTests.mistakes(text) == [])
        func mistake(_ from: String, _ to: String) -> String {
            DecoderFileTests.mistakes(text.replacingOccurrences(of: from, with: to)).first ?? ""
        }
        #expect(mistake("length = [16, 32]", "length = [16, 33]").contains("no multiple of 16"))
        #expect(mistake("length = [16, 32]", "length = 12").contains("no multiple of 16"))
        #expect(mistake("0e0f\", iv", "0e\", iv").contains("has key, which is not 32 hexadecimal digits"))
        #expect(mistake("1e1f\" }", "1e1f20\" }").contains("has iv, which is not 32 hexadecimal digits"))
        #expect(mistake("key = \"000102030405060708090a0b0c0d0e0f\", ", "").contains("has no key"))
        #expect(mistake("kind = \"aes-cbc\",", "kind = \"aes-cbc\", over = [0, 15],").contains("unknown key \"over\""))
        #expect(mistake("\"aes-cbc\"", "\"aes-cbx\"").contains("has no over"))
        #expect(
            mistake("characteristic = \"fff7\"", "manufacturer = \"fffe\"").contains(
                "is about the value of a characteristic"))
        let sealed = "{ kind = \"aes-ctr\", over = [1, -1], nonce = [\"00\"] }"
        #expect(
            mistake(
                "{ kind = \"aes-cbc\", key = \"000102030405060708090a0b0c0d0e0f\", iv = \"101112131415161718191a1b1c1d1e1f\" }",
                sealed
            )
            .contains("is about advertisements"))
        #expect(mistake("iv = \"10", "iv = \"20").contains("this [[vector]]"), "another initialization vector")
    }

    @Test func `models by a number, and the text of other numbers`() {
        let text = """
            family = "acme-t3"
            [match]
            manufacturer = "fffe"
            length = 2
            models = { offset = 0, names = { 0x07 = "Seven" } }
            [[field]]
            quantity = "charger_error"
            offset = 1
            type = "u8"
            lookup = { 0 = "none" }
            otherwise = "error_#"
            [[vector]]
            data = "0700"
            values = { charger_error = "none" }
            [[vector]]
            data = "0722"
            values = { charger_error = "error_34" }
            """
        #expect(DecoderFileTests.mistakes(text) == [])
        for (from, to, says) in [
            ("lookup = { 0 = \"none\" }\n", "", "charger_error"),
            ("\"error_#\"", "\"\(String(repeating: "#", count: 65))\"", "otherwise"),
            ("{ 0x07 = \"Seven\" }", "{ 0x07 = \"\" }", "models"), ("offset = 0, names", "names", "models"),
            // A record is for built-in families.
            ("manufacturer = \"fffe\"", "record = true", "record"),
        ] {
            let mistakes = DecoderFileTests.mistakes(text.replacingOccurrences(of: from, with: to))
            #expect(mistakes.count == 1 && mistakes.first?.contains(says) == true, "\(mistakes)")
        }
    }

    private static let encrypted: String = {
        let block: [UInt8] = [0x56, 0x34, 0x12, 0x38, 0xC1, 0xA4, 0xD2, 0xFC, 9, 0, 0, 0, 0, 0, 0, 0]
        let sealed = PacketCipher.applyCTR([1, 2, 100], key: (0..<16).map { UInt8($0) }, block: block)
        return ([0x41, 9, 0, 0, 0] + sealed + [0, 0, 0, 0]).hexadecimal
    }()
}
