// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSeeds
import Glibc
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Publisher

/// Advice for people who have never heard of TOML.
@Suite("Advice on configurations")
struct ConfigurationAdviceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var issue: String
        var testDescription: String { text }

        init(_ text: String, _ issue: String) {
            self.text = text
            self.issue = issue
        }

        /// Something below `[mqtt]`, in the second line.
        static func mqtt(_ line: String, _ advice: String) -> Row { Row("[mqtt]\n\(line)\n", "f:2: \(advice)") }
    }

    static let rows: [Row] = [
        .mqtt("host = broker.local", "text needs quotes around it: write host = \"broker.local\""),
        .mqtt("host = broker.local # mine", "text needs quotes around it: write host = \"broker.local\""),
        .mqtt("host = 192.168.1.5", "text needs quotes around it: write host = \"192.168.1.5\""),
        .mqtt("\thost\t=\tbroker\r", "text needs quotes around it: write host = \"broker\""),
        .mqtt("ca_file = /etc/ca.pem", "text needs quotes around it: write ca_file = \"/etc/ca.pem\""),
        .mqtt("retain = no", "TOML has true and false: write retain = false"),
        .mqtt("retain = True", "TOML has true and false: write retain = true"),
        .mqtt("retain = yes", "TOML has true and false: write retain = true"),
        .mqtt("retain = off # why", "TOML has true and false: write retain = false"),
        .mqtt("retain = maybe", "it is true or false: write retain = true"),
        .mqtt("host = no", "text needs quotes around it: write host = \"no\""),
        .mqtt(
            "host = “broker.local”",
            "these are typographic quotes, and TOML has straight ones: write host = \"broker.local\""),
        .mqtt(
            "host = „broker.local“",
            "these are typographic quotes, and TOML has straight ones: write host = \"broker.local\""),
        .mqtt(
            "host = ‘broker’", "these are typographic quotes, and TOML has straight ones: write host = \"broker\""),
        .mqtt(
            "brokers = [“a”, “b:1884”]",
            "these are typographic quotes, and TOML has straight ones: write brokers = [\"a\", \"b:1884\"]"),
        .mqtt("dead_band = 0,2", "a fraction is written with a point: write dead_band = 0.2"),
        .mqtt("port = 01883", "a number has no unit and no zeros in front: write port = 1883"),
        .mqtt("keep_alive_s = 9223372036854775808", "this number is too large"),
        .mqtt("keep_alive_s = 30s", "a number has no unit and no zeros in front: write keep_alive_s = 30"),
        .mqtt("keep_alive_s = 30 s", "a number has no unit and no zeros in front: write keep_alive_s = 30"),
        .mqtt("port = default", "a number is wanted: write port = 1"),
        .mqtt("host = \"broker", "the quotes are not closed: write host = \"broker\""),
        .mqtt("host = 'broker", "the quotes are not closed: write host = \"broker\""),
        .mqtt("host = \"broker\",", "nothing can follow the value: write host = \"broker\""),
        .mqtt("host = \"broker\";", "nothing can follow the value: write host = \"broker\""),
        .mqtt("host = \"broker\" // mine", "nothing can follow the value: write host = \"broker\""),
        .mqtt("host =", "it has no value: write host = \"…\""),
        .mqtt("host = # later", "it has no value: write host = \"…\""),
        .mqtt("host: \"broker\"", "a key and its value have = between them: write host = \"broker\""),
        .mqtt("host broker", "a key and its value have = between them: write host = \"broker\""),
        .mqtt("port: 1883", "a key and its value have = between them: write port = 1883"),
        .mqtt("host == \"broker\"", "one = is enough: write host = \"…\""),
        .mqtt("client id = \"a\"", "a key has no blanks: write client_id = \"…\""),
        .mqtt("; host = \"a\"", "a comment begins with #"),
        .mqtt("// host", "a comment begins with #"),
        .mqtt("brokers = [a, b]", "each text of a list needs quotes: write brokers = [\"a\", \"b\"]"),
        .mqtt("brokers = [\"a\", \"b\"", "the list is not closed: write brokers = [\"a\", \"b\"]"),
        .mqtt("brokers = [\n\"a\"\nport = 1", "the list of this line is not closed: write ] after its last value"),
        .mqtt(
            "ca_file = \"C:\\etc\"", "a backslash between double quotes is written twice: write ca_file = '…', or \\\\"),
        Row("[mqtt]\nhost = \"a\"\nport = 1\nhost = \"b\"\n", "f:4: host is already in line 2; write it once"),
        .mqtt("port = 1\u{A0}", "the invisible U+00A0 can only stand between quotes: write port = 1"),
        .mqtt("host = ä", "\"ä\" (U+00E4) can only stand between quotes: write host = \"ä\""),
        Row("[mqtt\nhost = \"a\"\n", "f:1: write [mqtt]"),
        Row("[[sensor]\nname = \"a\"\n", "f:1: write [[sensor]]"),
        Row("[sensor\nname = \"a\"\n", "f:1: write [[sensor]]"),
        Row("[mqtt]]\nhost = \"a\"\n", "f:1: write [mqtt]"),
        Row("[mqtt]\nport = 1\n[mqtt]\nhost = \"a\"\n", "f:3: [mqtt] is already in line 1; write it once"),
        Row(
            "[sensor]\nname = \"a\"\n[sensor]\nname = \"b\"\n",
            "f:3: [sensor], which has to be [[sensor]] for each sensor, is already in line 1; write it once"),
        Row(
            "[[sensor]]\naddress = C4:7C:8D:00:11:22\n",
            "f:2: text needs quotes around it: write address = \"C4:7C:8D:00:11:22\""),
        Row(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\n  \"180d/2a37\",\n  180f/2a19,\n]\n",
            "f:5: each text of a list needs straight quotes: write \"…\""),
        Row(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\",\n[[sensor]]\nname = \"b\"\n",
            "f:3: the list of this line is not closed: write ] after its last value"),
    ]

    private static func issues(_ text: String) -> [String] {
        SeedFolder.current?.write(Array(text.utf8), for: "configuration")
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse(text, file: "f", gateway: "gw-test")
        }
        return error?.issues.map(\.description) ?? []
    }

    @Test(arguments: rows)
    func `what is not TOML is told with its line, and with what to write instead`(_ row: Row) {
        #expect(Self.issues(row.text) == [row.issue])
    }

    /// No advice on misspelt keys and URLs, either.
    @Test(arguments: [
        "password = hunter2", "password hunter2", "password: hunter2", "password = “hunter2”", "password = \"hunter2",
        "password = \"hunter2\" x", "pasword = hunter2", "pasword hunter2", "password = hun,ter2", "passkey = 019655x",
        "host = u:hunter2@broker", "brokers = [u:hunter2@a, b]", "password = [hunter2]", "password = 019655",
        "password = hunter2ä", "mqtt.password = hunter2", "\"password\" = hunter2", "password = \"hunter2\\q\"",
        "password = {hunter2", "bindkey = hunter2", "bindkey hunter2",
    ])
    func `of a secret nothing is repeated`(_ line: String) {
        let said = Self.issues("[mqtt]\n\(line)\n").joined()
        #expect(said.hasPrefix("f:2: "))
        #expect(!said.contains("hunter2") && !said.contains("hun,ter2") && !said.contains("019655"), "\(said)")
    }

    @Test func `line ends of other systems, tabs and a byte order mark change nothing`() throws {
        let text = "[mqtt]\nhost = \"a\" # why\n[[sensor]]\nname = \"b\"\nsubscribe = [\n\t\"180d/2a37\",\n]\n"
        let plain = try GatewayConfiguration.parse(text, gateway: "g")
        let other = try GatewayConfiguration.parse("\u{FEFF}" + text.replacing("\n", with: "\r\n"), gateway: "g")
        #expect(plain == other && plain.mqtt.host == "a" && plain.sensors.count == 1)
        #expect(
            Self.issues("\u{FEFF}[mqtt]\r\nport = 1\r\nhost = a\r\n") == [
                "f:3: text needs quotes around it: write host = \"a\""
            ])
    }

    @Test func `a file that cannot be read says why, and what to do`() throws {
        let folder = try TestFolder()
        func said() -> [String] {
            let error = #expect(throws: ConfigurationError.self) {
                try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
            }
            return error?.issues.map { $0.description.replacing(folder.path + "/", with: "") } ?? []
        }
        try FileManager.default.createDirectory(atPath: folder.path("martlet.toml"), withIntermediateDirectories: false)
        #expect(
            said().map { $0.replacing(folder.path, with: "") } == [
                "martlet.toml: is a folder; write the path of a file, like \"martlet.toml/martlet.toml\""
            ])
        try FileManager.default.removeItem(atPath: folder.path("martlet.toml"))
        try Data([0xFF, 0xFE, 0x5B, 0x00]).write(to: URL(fileURLWithPath: folder.path("martlet.toml")))
        #expect(said() == ["martlet.toml: is UTF-16; save it as UTF-8"])
        try Data("[mqtt]\nhost = \"".utf8 + [0xE4] + "\"\n".utf8).write(
            to: URL(fileURLWithPath: folder.path("martlet.toml")))
        #expect(said() == ["martlet.toml: is not UTF-8 in line 2; save it as UTF-8"])
        // A file in place of the folder for further files.
        try folder.write("martlet.toml", "")
        try folder.write("conf.d", "")
        #expect(said() == ["conf.d: Not a directory"])
    }

    /// Root may read everything: a test cannot be refused.
    @Test func `a file that the user may not read names the user`() {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? ""
        #expect(
            GatewayConfiguration.refusal(EACCES, of: "/etc/martlet/martlet.toml").reason
                == "the user \(user) may not read it; run this as root")
        #expect(GatewayConfiguration.refusal(EIO, of: "/x").reason == "cannot be read: Input/output error")
        #expect(GatewayConfiguration.refusal(ENOENT, of: "/x").reason == "there is no such file")
    }

    @Test func `what is probably not meant is a warning`() throws {
        let feeds = "subscribe = [\"180d/2a37\"]\n"
        func warnings(_ text: String, isCheck: Bool = true) throws -> [String] {
            try GatewayConfiguration.parse(text, file: "f", gateway: "g", isCheck: isCheck).warnings
        }
        let noHost =
            "no mqtt.host is set, so the broker is looked for at localhost:1883: write host = \"broker.local\" below [mqtt]"
        let host = "[mqtt]\nhost = \"a\"\n"
        for empty in ["", "# host = \"a\"\n\n"] {
            #expect(try warnings(empty) == ["f: it has no key, so that it changes nothing", noHost])
        }
        #expect(try warnings("[mqtt]\nport = 1884\n") == [noHost.replacing("1883", with: "1884")])
        #expect(try warnings(host).isEmpty)
        #expect(try warnings("[mqtt]\nbrokers = [\"a\"]\n").isEmpty)
        // A running gateway does not warn: the setting may be intentional.
        #expect(try warnings("", isCheck: false).isEmpty)

        let address = "address = \"C4:7C:8D:00:11:22\"\n\(feeds)"
        let twins = host + "[[sensor]]\nid = \"a\"\n\(address)[[sensor]]\nid = \"b\"\n\(address.lowercased())"
        let said =
            "f:7: the address \"C4:7C:8D:00:11:22\" is in the [[sensor]] of f:3, too, which is taken: make one of them"
        #expect(try warnings(twins, isCheck: false) == [said])
        let same = host + "[[sensor]]\nname = \"a\"\n\(feeds)[[sensor]]\nname = \"a\"\n\(feeds)"
        #expect(try warnings(same).count == 1)
        let other =
            host + "[[sensor]]\nname = \"a\"\n\(feeds)[[sensor]]\nname = \"a\"\nservice = \"heart_rate\"\n\(feeds)"
        #expect(try warnings(other).isEmpty)
    }

    @Test func `an entry that a later file replaces is no twin of it`() throws {
        let folder = try TestFolder()
        let entry = "[[sensor]]\nid = \"a\"\naddress = \"C4:7C:8D:00:11:22\"\nsubscribe = [\"180d/2a37\"]\n"
        try folder.write("martlet.toml", "[gateway]\nid = \"g\"\n[mqtt]\nhost = \"a\"\n" + entry)
        try folder.write("conf.d/a.toml", entry)
        let configuration = try GatewayConfiguration.load(
            path: folder.path("martlet.toml"), environment: [:], isCheck: true)
        #expect(configuration.warnings.isEmpty && configuration.sensors.count == 1)
    }
}
