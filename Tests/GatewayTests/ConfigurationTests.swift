// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import FuzzSeeds
import Testing

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Platform
@testable import Publisher

@Suite("Configuration")
struct ConfigurationTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        var text: String
        var issues: [String]
        var testDescription: String { issues.first ?? "" }

        init(_ text: String, _ issues: String...) {
            self.text = text
            self.issues = issues
        }
    }

    static let mistakes = [
        Mistake("[mqt]\n", "f:1: unknown section [mqt] – did you mean [mqtt]?"),
        Mistake("[sensors]\nname = \"a\"\n", "f:1: unknown section [sensors] – did you mean [[sensor]]?"),
        Mistake("host = \"a\"\n", "f:1: unknown section [host] – did you mean the key of that name in [mqtt]?"),
        Mistake("colour = 1\n", "f:1: unknown section [colour]"),
        Mistake("[mqtt]\n\n# hots = 1\nhots = \"a\"\n", "f:4: unknown key \"mqtt.hots\" – did you mean \"host\"?"),
        Mistake("mqtt.hots = \"a\"\n", "f:1: unknown key \"mqtt.hots\" – did you mean \"host\"?"),
        Mistake("[mqtt]\ncolour = 1\n", "f:2: unknown key \"mqtt.colour\""),
        Mistake("[mqtt.tsl]\nenabled = true\n", "f:1: unknown key \"mqtt.tsl\" – did you mean \"tls\"?"),
        Mistake("[mqtt.tls]\nenable = true\n", "f:2: unknown key \"mqtt.tls.enable\" – did you mean \"enabled\"?"),
        Mistake("mqtt = { port = 1, hots = \"a\" }\n", "f:1: unknown key \"mqtt.hots\" – did you mean \"host\"?"),
        Mistake("[mqtt]\nport = \"1883\"\n", "f:2: mqtt.port is a string; wanted is an integer"),
        Mistake("[mqtt]\nport = 70000\n", "f:2: mqtt.port is 70000; allowed are 1 to 65535"),
        Mistake("[mqtt]\nhost = 5\n", "f:2: mqtt.host is an integer; wanted is a string"),
        Mistake("[mqtt]\nhost = \"\"\n", "f:2: mqtt.host is empty"),
        Mistake("[mqtt]\nretain = \"no\"\n", "f:2: mqtt.retain is a string; wanted is true or false"),
        Mistake(
            "[mqtt]\ntopic_prefix = \"a/#\"\n",
            "f:2: mqtt.topic_prefix is \"a/#\"; a topic has no +, # or $, and no / at its ends"),
        Mistake("mqtt = 1\n", "f:1: mqtt is an integer; wanted is a table, [mqtt]"),
        Mistake(
            "[bluetooth]\nprivacy = \"allways\"\n",
            "f:2: bluetooth.privacy is \"allways\"; allowed are \"off\" or \"advertising\" or \"always\" "
                + "– did you mean \"always\"?"),
        Mistake(
            "[journal]\ndurability = \"fats\"\n",
            "f:2: journal.durability is \"fats\"; allowed are \"power-safe\" or \"fast\" – did you mean \"fast\"?"),
        Mistake(
            "[journal]\npath = \"journal.db\"\n", "f:2: journal.path is \"journal.db\"; wanted is an absolute path"),
        Mistake("[journal]\ncommit_interval_ms = 0\n", "f:2: journal.commit_interval_ms is 0; allowed are 1 to 60000"),
        Mistake(
            "[gateway]\nid = \"Kitchen\"\n", "f:2: gateway.id is \"Kitchen\"; allowed are 1 to 32 of a–z, 0–9, _ and -"),
        Mistake(
            "[bluetooth]\ncontroller = \"usb\"\n",
            "f:2: bluetooth.controller is \"usb\"; wanted is hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD or virtual"
        ),
        Mistake(
            "[control]\nsocket = \"/\(String(repeating: "a", count: 120))\"\n",
            "f:2: control.socket is longer than the 107 octets of a socket's path"),
        Mistake("[mqtt]\npassword = \"a\"\n", "f:2: mqtt.password is given without mqtt.username"),
        Mistake(
            "[mqtt]\nusername = \"u\"\npassword = \"a\"\npassword_file = \"/etc/hostname\"\n",
            "f:3: mqtt.password and mqtt.password_file are both given; keep one"),
        Mistake(
            "[mqtt]\nusername = \"u\"\npassword_file = \"/no/such\"\n",
            "f:3: mqtt.password_file \"/no/such\": there is no such file"),
        Mistake(
            "[mqtt.tls]\nenabled = true\nkey_file = \"/k\"\n",
            "f:3: mqtt.tls.key_file is given without mqtt.tls.certificate_file"),
        Mistake("[mqtt.tls]\nca_file = \"/c\"\n", "f:2: mqtt.tls.ca_file is given, but mqtt.tls.enabled is not true"),
        Mistake("[sensor]\nname = \"a\"\n", "f:1: sensor is a table; wanted are tables headed [[sensor]]"),
        Mistake(
            "[[sensor]]\nsubscribe = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] accepts nothing: give it a name, address, identifier, service, manufacturer, family or "
                + "model"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nfamily = \"bthom\"\n",
            "f:3: sensor.family is \"bthom\", which is no family that is known – did you mean \"bthome\"?"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nmanufacturer = \"499\"\n",
            "f:3: sensor.manufacturer is \"499\"; wanted are four hexadecimal digits like \"0499\""),
        Mistake(
            "[[sensor]]\nname = \"a\"\nrssi_min = -200\n",
            "f:3: sensor.rssi_min is -200; allowed are -127 to 20"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"231d39c1d7cc1ab1aee224cd096db93\"\n",
            "f:3: sensor.bindkey is not 32 hexadecimal digits, or 24 for older sensors of Xiaomi; it has 31 characters"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"231d39c1d7cc1ab1aee224cd096db932\"\nbindkey_file = \"/k\"\n",
            "f:1: this [[sensor]] has bindkey and bindkey_file; keep one"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"231d39c1d7cc1ab1aee224cd096db932\"\nsubscribe = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] has a bindkey, which opens advertisements, and subscribe, read or profile; keep one"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nprofile = \"heart_rate\"\nread = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] has a profile, and subscribe or read; keep one"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nprofile = \"airthings\"\n",
            "f:3: sensor.profile is \"airthings\"; profiles are airthings-wave, aranet4, battery_service, blood_pressure, "
                + "body_composition, cycling_power, cycling_speed_and_cadence, environmental_sensing, health_thermometer, "
                + "heart_rate, pulse_oximeter, running_speed_and_cadence, weight_scale"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\nread_every_s = 9\n",
            "f:1: this [[sensor]] has read_every_s and no read: say what to read"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\nlink = \"close\"\n",
            "f:1: this [[sensor]] has link = \"close\", and subscribe, for which the link stays; keep one"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nread = [\"180f/2a19\"]\nvalue_every_s = 9\n",
            "f:1: this [[sensor]] has value_every_s and no subscribe: for what is read there is read_every_s"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"\(String(repeating: "0", count: 32))\"\nvalue_every_s = 9\n",
            "f:1: this [[sensor]] has value_every_s, which is for links, and a bindkey, for advertisements; keep one"),
        Mistake(
            "[[sensor]]\nvalue_every_s = 1e3\n",
            "f:2: sensor.value_every_s is a number with a fraction or an exponent; wanted is an integer"),
        Mistake("[[sensor]]\nread_every_s = 0\n", "f:2: sensor.read_every_s is 0; allowed are 1 to 86400"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nbindkey_file = \"/nowhere/key\"\n",
            "f:3: sensor.bindkey_file \"/nowhere/key\": there is no such file"),
        Mistake(
            "[[sensor]]\nid = \"a\"\nname = \"a*\"\nsubscribe = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] has an id, which is for one sensor, and a name with *"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\n\n[[sensor]]\nnmae = \"b\"\n",
            "f:6: unknown key \"sensor.nmae\" – did you mean \"name\"?"),
        Mistake(
            "[[sensor]]\naddress = \"C4:7C\"\n",
            "f:2: sensor.address is \"C4:7C\"; wanted is an address like \"C4:7C:8D:00:11:22\""),
        Mistake(
            "[[sensor]]\naddress = \"00:00:00:00:00:00\"\n",
            "f:2: sensor.address is \"00:00:00:00:00:00\", which is no address of a device"),
        Mistake("[[sensor]]\nidentifier = \"x\"\n", "f:2: sensor.identifier is \"x\", which is not a UUID"),
        Mistake(
            "[[sensor]]\nservice = \"hart_rate\"\n",
            "f:2: sensor.service holds \"hart_rate\", which is neither the UUID nor the name of a service – did you mean \"heart_rate\"?"
        ),
        Mistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\n  \"180d\",\n]\n",
            "f:3: sensor.subscribe holds \"180d\"; wanted is \"SERVICE/CHARACTERISTIC\", like \"180d/2a37\""),
        Mistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [1]\n", "f:3: sensor.subscribe holds an integer, not only strings"),
        Mistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = \"180d/2a37\"\n",
            "f:3: sensor.subscribe is a string; wanted is a list of strings"),
        Mistake(
            "[[sensor]]\nid = \"a\"\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\n[[sensor]]\nid = \"a\"\nname = \"b\"\nsubscribe = [\"180d/2a37\"]\n",
            "f:6: sensor.id \"a\" is already used in line 1"),
        Mistake(
            "[mqtt]\nport = 0\nhots = \"a\"\n[gateway]\nid = \"\"\n",
            "f:2: mqtt.port is 0; allowed are 1 to 65535",
            "f:3: unknown key \"mqtt.hots\" – did you mean \"host\"?",
            "f:5: gateway.id is \"\"; allowed are 1 to 32 of a–z, 0–9, _ and -"),
        Mistake("[mqtt]\nhost = \"a\u{0}b\"\n", "f:2: a zero octet is not text"),
        Mistake("[mqtt]\nhost = \"a\\u0000b\"\n", "f:2: a zero octet is not text"),
        Mistake("[mqtt]\nport = 1\ntopic_prefix = \"a\\U00000000b\"\n", "f:3: a zero octet is not text"),
        Mistake(
            "[mqtt]\nhost = \"a\\uFFFE\"\nclient_id = \"\\u0001\"\nusername = \"\\U0001FFFF\"\n"
                + "topic_prefix = \"a\\uFDD0\"\n",
            "f:2: mqtt.host has the character U+FFFE, which MQTT does not allow",
            "f:3: mqtt.client_id has the character U+0001, which MQTT does not allow",
            "f:4: mqtt.username has the character U+1FFFF, which MQTT does not allow",
            "f:5: mqtt.topic_prefix has the character U+FDD0, which MQTT does not allow"),
        Mistake("[mqtt]\n[!]\n", "f:2: a table's name is no TOML key"),
        Mistake("[mqtt]\nx = \"\"\"b\"\"\"\"\n[`]\n", "f:3: a table's name is no TOML key"),
        Mistake("[mqtt]\nx = ''''b'''''\n[`]\n", "f:3: a table's name is no TOML key"),
        Mistake("[mqtt]\nport = 5x1\n", "f:2: a number is wanted: write port = 1"),
        Mistake("[mqtt]\nport = 1979-05-27Tg07:32:00Z\n", "f:2: a number is wanted: write port = 1"),
        Mistake("sensor = [{ name = \"a\" }, }]\n", "f:1: a bracket closes what it did not open"),
        Mistake("\u{FEFF}\n\u{A0}[!]\n", "f:2: outside of strings and comments TOML is ASCII"),
        Mistake(
            "[mqtt]\ntopic_prefix = \"a/+/b\"\n",
            "f:2: mqtt.topic_prefix is \"a/+/b\"; a topic has no +, # or $, and no / at its ends"),
    ]

    @Test("Every mistake is told with its file, its line and what was probably meant", arguments: mistakes)
    func mistake(_ mistake: Mistake) {
        SeedFolder.current?.write(Array(mistake.text.utf8), for: "configuration")
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse(mistake.text, file: "f", gateway: "gw-test")
        }
        #expect(error?.issues.map(\.description) == mistake.issues)
    }

    @Test("Text that is not TOML is told with its line")
    func notTOML() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse("[mqtt]\nhost = \n", file: "f", gateway: "gw-test")
        }
        let issue = try #require(error?.issues.first)
        #expect(issue.file == "f" && issue.line == 2)
    }

    @Test("Everything that can be written is read")
    func everything() throws {
        let text = """
            [gateway]
            id = "attic"
            [bluetooth]
            controller = "tcp:127.0.0.1:6402"
            state_directory = "/tmp/state"
            capture = "/tmp/capture.btsnoop"
            privacy = "always"
            [journal]
            path = "/tmp/j.db"
            commit_rows = 7
            commit_interval_ms = 250
            durability = "fast"
            queue_capacity = 500
            max_rows = 2000
            [mqtt]
            host = "broker"
            port = 8883
            username = "u"
            password = "secret"
            client_id = "c"
            topic_prefix = "a/b"
            retain = false
            publish_raw = true
            publish_unsynced = true
            max_in_flight = 3
            live_window_s = 5
            keep_alive_s = 60
            [mqtt.tls]
            enabled = true
            ca_file = "/ca"
            certificate_file = "/cert"
            key_file = "/key"
            verify_hostname = false
            [clock]
            require_sync = false
            [control]
            socket = "/tmp/c.sock"
            [[sensor]]
            id = "fridge"
            address = "C4:7C:8D:00:11:22"
            subscribe = ["environmental_sensing/temperature", "180f/2a19"]
            read = ["0000180f-0000-1000-8000-00805f9b34fb/2A19"]
            [[sensor]]
            name = "Heart*"
            service = "heart_rate"
            subscribe = ["180D/2A37"]
            """
        SeedFolder.current?.write(Array(text.utf8), for: "configuration")
        let configuration = try GatewayConfiguration.parse(text, gateway: "gw-test")
        #expect(configuration.gateway == "attic")
        #expect(configuration.bluetooth.capture == "/tmp/capture.btsnoop")
        #expect(configuration.bluetooth.privacy == .always)
        #expect(configuration.journal.commitInterval == .milliseconds(250))
        #expect(configuration.journal.durability == .fast)
        #expect(configuration.mqtt.port == 8883)
        #expect(configuration.mqtt.password?.revealed == "secret")
        #expect(configuration.mqtt.liveWindow == .seconds(5))
        #expect(configuration.mqtt.tls?.certificateFile == "/cert")
        #expect(configuration.mqtt.tls?.verifyHostname == false)
        #expect(!configuration.clock.requiresSynchronization)
        let fridge = try #require(configuration.sensors.first)
        #expect(fridge.address == 0xC47C_8D00_1122 && fridge.isSingle)
        #expect(fridge.subscribe.map(\.description) == ["181A/2A6E", "180F/2A19"])
        #expect(fridge.read == [fridge.subscribe[1]])
        #expect(configuration.sensors.last?.service == BluetoothUUID(0x180D as UInt16))
        #expect("\(configuration)".contains("secret") == false)
    }

    @Test("An empty file gives the defaults")
    func defaults() throws {
        #expect(try GatewayConfiguration.parse("", gateway: "gw-test") == GatewayConfiguration(gateway: "gw-test"))
    }

    @Test("Later files win key by key, and sensors add up unless they have the same id")
    func merging() throws {
        let folder = try TestFolder()
        try folder.write(
            "martlet.toml",
            """
            [mqtt]
            host = "a"
            port = 1
            [[sensor]]
            id = "x"
            name = "first"
            subscribe = ["180d/2a37"]
            """)
        try folder.write("conf.d/20-late.toml", "[mqtt]\nhost = \"late\"\n")
        try folder.write(
            "conf.d/10-early.toml",
            """
            [mqtt]
            host = "early"
            [[sensor]]
            id = "x"
            name = "second"
            subscribe = ["180d/2a37"]
            [[sensor]]
            name = "third"
            subscribe = ["180d/2a37"]
            """)
        try folder.write("conf.d/30-other.conf", "nonsense")
        let configuration = try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
        #expect(configuration.mqtt.host == "late")
        #expect(configuration.mqtt.port == 1)
        #expect(configuration.sensors.map(\.name) == ["second", "third"])
    }

    @Test("A mistake in a later file is told with that file's name")
    func mistakeInLaterFile() throws {
        let folder = try TestFolder()
        try folder.write("martlet.toml", "[mqtt]\nhosst = \"a\"\n")
        try folder.write("conf.d/a.toml", "\n[journal]\ncommit_row = 1\n")
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
        }
        let lines = error?.issues.map(\.description) ?? []
        #expect(
            lines == [
                "\(folder.path("martlet.toml")):2: unknown key \"mqtt.hosst\" – did you mean \"host\"?",
                "\(folder.path("conf.d/a.toml")):3: unknown key \"journal.commit_row\" – did you mean \"commit_rows\"?",
            ])
    }

    @Test("A missing file is told, not taken for an empty one")
    func missing() {
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.load(path: "/no/such/martlet.toml", environment: [:])
        }
        #expect(error?.description == "/no/such/martlet.toml: there is no such file")
    }

    @Test("The password comes from its file, or from the service manager's credentials")
    func secrets() throws {
        let folder = try TestFolder()
        try folder.write("mqtt.password", "from credentials\nsecond line\n")
        try folder.write("other", "from file\r\n")
        let user = "[mqtt]\nusername = \"u\"\n"
        let environment = ["CREDENTIALS_DIRECTORY": folder.path]
        let credential = try GatewayConfiguration.parse(user, gateway: "g", environment: environment)
        #expect(credential.mqtt.password?.revealed == "from credentials")
        let file = try GatewayConfiguration.parse(
            user + "password_file = \"\(folder.path("other"))\"\n", gateway: "g", environment: environment)
        #expect(file.mqtt.password?.revealed == "from file")
        let anonymous = try GatewayConfiguration.parse("", gateway: "g", environment: environment)
        #expect(anonymous.mqtt.password == nil)
    }

    @Test("A passkey's file that others can read is warned of, and what is no file is refused")
    func openPasskeyFile() throws {
        let folder = try TestFolder()
        try folder.write("passkey", "019655\n")
        let entry = { (file: String) in
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\npasskey_file = \"\(file)\"\n"
        }
        for (mode, isOpen) in [(0o600, false), (0o604, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("passkey"))
            let read = try GatewayConfiguration.parse(entry(folder.path("passkey")), gateway: "g")
            #expect(read.sensors.first?.passkey?.revealed == "019655")
            #expect(read.warnings.count == (isOpen ? 1 : 0))
        }
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse(entry("/dev/zero"), gateway: "g")
        }
        #expect(error?.description.contains("is no regular file") == true)
    }

    @Test(
        "A bindkey in a configuration file that others can read is warned of, once a file, and one in a file of its own is not"
    )
    func openBindKey() throws {
        let folder = try TestFolder()
        let key = SimulatedKeys.digits
        try folder.write("key", key + "\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("key"))
        func warnings(_ entry: String, _ mode: Int) throws -> [String] {
            let text = "[mqtt]\nhost = \"a\"\n" + entry
            try folder.write("martlet.toml", text)
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.path("martlet.toml"))
            return try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:]).warnings
        }
        let sensor = "[[sensor]]\naddress = \"A4:C1:38:00:00:0\"\n"
        func entry(_ number: Int, _ secret: String) -> String {
            sensor.replacingOccurrences(of: "00:0\"", with: "00:0\(number)\"") + secret
        }
        let inline = "bindkey = \"\(key)\"\n"
        #expect(try warnings(entry(1, inline), 0o600) == [])
        let said = try warnings(entry(1, inline) + entry(2, inline), 0o604)
        #expect(
            said.count == 1 && said[0].contains("martlet.toml:3: this [[sensor]] has a bindkey, and others can read"))
        #expect(!said.contains { $0.contains(key) })
        #expect(try warnings(entry(1, "bindkey_file = \"\(folder.path("key"))\"\n"), 0o604) == [])
    }

    private enum SimulatedKeys {
        static let digits = "231d39c1d7cc1ab1aee224cd096db932"
    }

    @Test("Lines are found behind strings, comments and brackets of every kind")
    func outline() throws {
        let text = #"""
            a = """
            [not.a.table]
            b = 1
            """ # c
            c = [ # [
              "]", ']',
              { d = "#" }, ]
            'quoted key' = 1
            [x . "y"]
            e = '''
            ''' # end
            f = "\"["
            [[s]]
            [[s]]
            g = 2024-01-01
            [s.t]
            h = 1
            """#
        let outline = TOMLOutline(text)
        let expected: [([String], Int)] = [
            (["a"], 1), (["c"], 5), (["quoted key"], 8), (["x", "y"], 9), (["x", "y", "e"], 10), (["x", "y", "f"], 12),
            (["s", "0"], 13), (["s", "1"], 14), (["s", "1", "g"], 15), (["s", "1", "t", "h"], 17), (["none"], 1),
        ]
        for (path, line) in expected { #expect(outline.line(of: path) == line, "\(path)") }
        #expect(throws: Never.self) { try TOMLDocument(text, file: "f") }
    }

    @Test(
        "Every way to write a value is understood",
        arguments: [
            "1_883", "+1883", "0x75B", "0x7_5b", "0o3533", "0b11_101011011", "1883 # why",
        ])
    func numbers(text: String) throws {
        let configuration = try GatewayConfiguration.parse("[mqtt]\nport = \(text)\n", gateway: "g")
        #expect(configuration.mqtt.port == 1883)
    }
}
