// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestMaterials
import Testing

@testable import Configuration
@testable import Gateway

/// The configuration as the page shows it: without secrets, else as in the file; and the way back.
struct MaskedTOMLTests {
    static let file = """
        # The broker in the cellar. Its password is hunter2-in-a-comment
        [mqtt]
        host = "broker"   # by name
        # password = "an older one"
        password = "s1 # no comment"
        port = 1884

        [gateway]
        id = 'attic'

        # The fridge
        [[sensor]]
        name = "Fridge*"
        bindkey = "00112233445566778899aabbccddeeff"
        sequence = { characteristic = "181a/2a6e", offset = 2, length = 1, order = "little" }

        [[sensor]]
        address = "C4:7C:8D:00:11:04"
        id = "greenhouse"
        passkey = "123456"
        """

    private static let root = Checkout.root

    private static func masked(_ text: String) throws -> MaskedTOML { try MaskedTOML(text, name: "martlet.toml") }

    @Test func `comments, order and spaces stay, and only the secrets are replaced`() throws {
        let shown = try Self.masked(Self.file).text
        let wanted = Self.file
            .replacingOccurrences(of: "is hunter2-in-a-comment", with: "is …")
            .replacingOccurrences(of: "\"an older one\"", with: "…")
            .replacingOccurrences(of: "\"s1 # no comment\"", with: "\"…\"")
            .replacingOccurrences(of: "\"00112233445566778899aabbccddeeff\"", with: "\"…\"")
            .replacingOccurrences(of: "\"123456\"", with: "\"…\"")
        #expect(shown == wanted)
    }

    @Test(arguments: [
        "a = \"x\"\n[mqtt]\npassword = \"\"\"\ns5 \\\" s5\"\"\"\nhost = \"h\"\n",
        "[mqtt]\npassword = '''s5'''\n\"host\" = \"h\"\n",
        "[mqtt]\r\npassword = \"s5\" # s\r\nhost = \"h\"\r\n",
        "mqtt = { password = \"s5\", host = \"h\" }\n",
        "mqtt.password = \"s5\"\nmqtt.host = \"h\"\n",
        "[mqtt]\npass_word = [ # why\n  \"s5\",\n  { deep = \"s5\", host = \"s5\" },\n]\n",
        "[mqtt]\n\"pass\\u0077ord\" = \"s5\"\nhost = \"h\"\n",
        "[ mqtt ]\nhost = \"mqtt://user:s5@h\"\n",
        "[mqtt]\nhost = \"mqtt:\\u002f\\u002fuser:s5@h\"\n",
        "[mqtt]\nsecret = 1979-05-27 07:32:00\nhost = \"h\"\n",
    ]) func `no form of a secret is shown`(file: String) throws {
        let shown = try Self.masked(file).text
        #expect(!shown.contains("s5") && !shown.contains("1979"), "\(shown)")
        #expect(shown.contains("…"))
        #expect(
            try TOMLDocument(shown, file: "f").root.keys == TOMLDocument(file, file: "f").root.keys, "\(shown)")
    }

    @Test(arguments: [
        "# password: s5", "# bindkey = \"s5\"", "# the Password was s5", "#pass_word=s5", "# mqtt.password = 's5'",
        "# token: s5 and more", "# aabbccddeeff00112233445566778899 s4",
    ]) func `no comment shows a secret`(comment: String) {
        let shown = MaskedComment.text(of: comment)
        #expect(!shown.contains("s5") && !shown.contains("aabb") && shown.contains("…"), "\(shown)")
    }

    @Test(arguments: [
        "# The broker in the cellar",
        "# the password lies in another file", "# host = \"other\"",
        "# port = 1883",
    ])
    func `other comments stay`(comment: String) {
        #expect(MaskedComment.text(of: comment) == comment)
    }

    @Test func `the untouched text is the file again, for the check`() throws {
        let masked = try Self.masked(Self.file)
        let restored = masked.restored(masked.text)
        #expect(try TOMLDocument(restored.text, file: "f").root == TOMLDocument(Self.file, file: "f").root)
        #expect(Set(restored.secrets) == ["s1 # no comment", "00112233445566778899aabbccddeeff", "123456"])
    }

    @Test func `an edit changes nothing but what was edited`() throws {
        let masked = try Self.masked(Self.file)
        let edited = masked.text.replacingOccurrences(of: "port = 1884", with: "port = 8883")
        let wanted = Self.file.replacingOccurrences(of: "port = 1884", with: "port = 8883")
        #expect(
            try TOMLDocument(masked.restored(edited).text, file: "f").root == TOMLDocument(wanted, file: "f").root)
    }

    @Test func `a sensor keeps its own secret when another one is put before it`() throws {
        let masked = try Self.masked(Self.file)
        let added = masked.text.replacingOccurrences(
            of: "# The fridge\n", with: "[[sensor]]\nname = \"New\"\nbindkey = \"…\"\n\n# The fridge\n")
        let restored = masked.restored(added).text
        guard case .list(let sensors)? = try TOMLDocument(restored, file: "f").root["sensor"] else {
            Issue.record("no sensors in \(restored)")
            return
        }
        let keys = sensors.map { sensor -> ConfigurationValue? in
            if case .table(let entries) = sensor { entries["bindkey"] } else { nil }
        }
        #expect(keys == [.string("…"), .string("00112233445566778899aabbccddeeff"), nil])
    }

    @Test func `no secret moves to another key, table or section`() throws {
        let masked = try Self.masked(Self.file)
        for text in [
            "[mqtt]\nhost = \"…\"\n", "[page]\npassword = \"…\"\n", "password = \"…\"\n",
            "[[sensor]]\nname = \"Other\"\nbindkey = \"…\"\n", "[[mqtt]]\npassword = \"…\"\n",
        ] {
            #expect(masked.restored(text).text == text)
        }
    }

    @Test func `a sign in a file is a mistake, and says why`() throws {
        let found = #expect(throws: ConfigurationError.self) {
            _ = try GatewayConfiguration.parse(
                "[mqtt]\nhost = \"b\"\npassword = \"…\"\n", gateway: "g", environment: [:], isCheck: true)
        }
        #expect(found?.issues.first?.line == 3)
        #expect(found?.issues.first?.message.contains("write the secret itself") == true)
    }

    /// The files that people begin with.
    @Test(arguments: ["docs/martlet.toml", "board/deb/martlet.toml", "board/common/martlet-example.toml"])
    func `the files of the documents are shown as they are`(path: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let masked = try Self.masked(text)
        let (lines, shown) = (text.split(separator: "\n"), masked.text.split(separator: "\n"))
        #expect(lines.count == shown.count)
        for (line, other) in zip(lines, shown) where line != other {
            #expect(other.contains("…"), "\(line) is shown as \(other)")
        }
        #expect(
            try TOMLDocument(masked.restored(masked.text).text, file: "f").root == TOMLDocument(text, file: "f").root)
    }
}
