// SPDX-License-Identifier: Apache-2.0

import Testing

/// A configuration with mistakes, and the line of each report.
struct ConfigurationMistake: Sendable, CustomTestStringConvertible {
    var text: String
    var issues: [String]
    var testDescription: String { issues.first ?? "" }

    init(_ text: String, _ issues: String...) {
        self.text = text
        self.issues = issues
    }

    static let all = [
        ConfigurationMistake("[mqt]\n", "f:1: unknown section [mqt] – did you mean [mqtt]?"),
        ConfigurationMistake("[sensors]\nname = \"a\"\n", "f:1: unknown section [sensors] – did you mean [[sensor]]?"),
        ConfigurationMistake(
            "host = \"a\"\n", "f:1: unknown section [host] – did you mean the key of that name in [mqtt]?"),
        ConfigurationMistake("colour = 1\n", "f:1: unknown section [colour]"),
        ConfigurationMistake(
            "[mqtt]\n\n# hots = 1\nhots = \"a\"\n", "f:4: unknown key \"mqtt.hots\" – did you mean \"host\"?"),
        ConfigurationMistake("mqtt.hots = \"a\"\n", "f:1: unknown key \"mqtt.hots\" – did you mean \"host\"?"),
        ConfigurationMistake("[mqtt]\ncolour = 1\n", "f:2: unknown key \"mqtt.colour\""),
        ConfigurationMistake("[mqtt.tsl]\nenabled = true\n", "f:1: unknown key \"mqtt.tsl\" – did you mean \"tls\"?"),
        ConfigurationMistake(
            "[mqtt.tls]\nenable = true\n", "f:2: unknown key \"mqtt.tls.enable\" – did you mean \"enabled\"?"),
        ConfigurationMistake(
            "mqtt = { port = 1, hots = \"a\" }\n", "f:1: unknown key \"mqtt.hots\" – did you mean \"host\"?"),
        ConfigurationMistake("[mqtt]\nport = \"1883\"\n", "f:2: mqtt.port is a string; wanted is an integer"),
        ConfigurationMistake("[mqtt]\nport = 70000\n", "f:2: mqtt.port is 70000; allowed are 1 to 65535"),
        ConfigurationMistake("[mqtt]\nhost = 5\n", "f:2: mqtt.host is an integer; wanted is a string"),
        ConfigurationMistake("[mqtt]\nhost = \"\"\n", "f:2: mqtt.host is empty"),
        ConfigurationMistake("[mqtt]\nretain = \"no\"\n", "f:2: mqtt.retain is a string; wanted is true or false"),
        ConfigurationMistake(
            "[mqtt]\ntopic_prefix = \"a/#\"\n",
            "f:2: mqtt.topic_prefix is \"a/#\"; a topic has no +, # or $, and no / at its ends"),
        ConfigurationMistake("mqtt = 1\n", "f:1: mqtt is an integer; wanted is a table, [mqtt]"),
        ConfigurationMistake(
            "[bluetooth]\nprivacy = \"allways\"\n",
            "f:2: bluetooth.privacy is \"allways\"; allowed are \"off\" or \"advertising\" or \"always\" "
                + "– did you mean \"always\"?"),
        ConfigurationMistake(
            "[journal]\ndurability = \"fats\"\n",
            "f:2: journal.durability is \"fats\"; allowed are \"power-safe\" or \"fast\" – did you mean \"fast\"?"),
        ConfigurationMistake(
            "[journal]\npath = \"journal.db\"\n", "f:2: journal.path is \"journal.db\"; wanted is an absolute path"),
        ConfigurationMistake(
            "[journal]\ncommit_interval_ms = 0\n", "f:2: journal.commit_interval_ms is 0; allowed are 1 to 60000"),
        ConfigurationMistake(
            "[gateway]\nid = \"Kitchen\"\n", "f:2: gateway.id is \"Kitchen\"; allowed are 1 to 32 of a–z, 0–9, _ and -"),
        ConfigurationMistake(
            "[bluetooth]\ncontroller = \"usb\"\n",
            "f:2: bluetooth.controller is \"usb\"; wanted is hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD or virtual"
        ),
        ConfigurationMistake(
            "[control]\nsocket = \"/\(String(repeating: "a", count: 120))\"\n",
            "f:2: control.socket is longer than the 107 octets of a socket's path"),
        ConfigurationMistake("[mqtt]\npassword = \"a\"\n", "f:2: mqtt.password is given without mqtt.username"),
        ConfigurationMistake(
            "[mqtt]\nusername = \"u\"\npassword = \"a\"\npassword_file = \"/etc/hostname\"\n",
            "f:3: mqtt.password and mqtt.password_file are both given; keep one"),
        ConfigurationMistake(
            "[mqtt]\nusername = \"u\"\npassword_file = \"/no/such\"\n",
            "f:3: mqtt.password_file \"/no/such\": there is no such file"),
        ConfigurationMistake(
            "[mqtt.tls]\nenabled = true\nkey_file = \"/k\"\n",
            "f:3: mqtt.tls.key_file is given without mqtt.tls.certificate_file"),
        ConfigurationMistake(
            "[mqtt.tls]\nca_file = \"/c\"\n", "f:2: mqtt.tls.ca_file is given, but mqtt.tls.enabled is not true"),
        ConfigurationMistake("[sensor]\nname = \"a\"\n", "f:1: sensor is a table; wanted are tables headed [[sensor]]"),
        ConfigurationMistake(
            "[[sensor]]\nsubscribe = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] accepts nothing: give it a name, address, identifier, service, manufacturer, family or "
                + "model"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nfamily = \"bthom\"\n",
            "f:3: sensor.family is \"bthom\", which is no family that is known – did you mean \"bthome\"?"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nmanufacturer = \"499\"\n",
            "f:3: sensor.manufacturer is \"499\"; wanted are four hexadecimal digits like \"0499\""),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nrssi_min = -200\n",
            "f:3: sensor.rssi_min is -200; allowed are -127 to 20"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"231d39c1d7cc1ab1aee224cd096db93\"\n",
            "f:3: sensor.bindkey is not 32 hexadecimal digits, or 24 for older sensors of Xiaomi; it has 31 characters"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"231d39c1d7cc1ab1aee224cd096db932\"\nbindkey_file = \"/k\"\n",
            "f:1: this [[sensor]] has bindkey and bindkey_file; keep one"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"231d39c1d7cc1ab1aee224cd096db932\"\nsubscribe = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] has a bindkey, which opens advertisements, and subscribe, read or profile; keep one"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nprofile = \"heart_rate\"\nread = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] has a profile, and subscribe or read; keep one"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nprofile = \"airthings\"\n",
            "f:3: sensor.profile is \"airthings\"; profiles are airthings-wave, aranet4, battery_service, blood_pressure, "
                + "body_composition, continuous_glucose_monitoring, cycling_power, cycling_speed_and_cadence, environmental_sensing, fitness_machine, health_thermometer, "
                + "heart_rate, pulse_oximeter, running_speed_and_cadence, weight_scale"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\nread_every_s = 9\n",
            "f:1: this [[sensor]] has read_every_s and no read: say what to read"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\nlink = \"close\"\n",
            "f:1: this [[sensor]] has link = \"close\", and subscribe, for which the link stays; keep one"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nread = [\"180f/2a19\"]\nvalue_every_s = 9\n",
            "f:1: this [[sensor]] has value_every_s and no subscribe: for what is read there is read_every_s"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nbindkey = \"\(String(repeating: "0", count: 32))\"\nvalue_every_s = 9\n",
            "f:1: this [[sensor]] has value_every_s, which is for links, and a bindkey, for advertisements; keep one"),
        ConfigurationMistake(
            "[[sensor]]\nvalue_every_s = 1e3\n",
            "f:2: sensor.value_every_s is a number with a fraction or an exponent; wanted is an integer"),
        ConfigurationMistake("[[sensor]]\nread_every_s = 0\n", "f:2: sensor.read_every_s is 0; allowed are 1 to 86400"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nbindkey_file = \"/nowhere/key\"\n",
            "f:3: sensor.bindkey_file \"/nowhere/key\": there is no such file"),
        ConfigurationMistake(
            "[[sensor]]\nid = \"a\"\nname = \"a*\"\nsubscribe = [\"180d/2a37\"]\n",
            "f:1: this [[sensor]] has an id, which is for one sensor, and a name with *"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\n\n[[sensor]]\nnmae = \"b\"\n",
            "f:6: unknown key \"sensor.nmae\" – did you mean \"name\"?"),
        ConfigurationMistake(
            "[[sensor]]\naddress = \"C4:7C\"\n",
            "f:2: sensor.address is \"C4:7C\"; wanted is an address like \"C4:7C:8D:00:11:22\""),
        ConfigurationMistake(
            "[[sensor]]\naddress = \"00:00:00:00:00:00\"\n",
            "f:2: sensor.address is \"00:00:00:00:00:00\", which is no address of a device"),
        ConfigurationMistake(
            "[[sensor]]\nidentifier = \"x\"\n", "f:2: sensor.identifier is \"x\", which is not a UUID"),
        ConfigurationMistake(
            "[[sensor]]\nservice = \"hart_rate\"\n",
            "f:2: sensor.service holds \"hart_rate\", which is neither the UUID nor the name of a service – did you mean \"heart_rate\"?"
        ),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\n  \"180d\",\n]\n",
            "f:3: sensor.subscribe holds \"180d\"; wanted is \"SERVICE/CHARACTERISTIC\", like \"180d/2a37\""),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [1]\n", "f:3: sensor.subscribe holds an integer, not only strings"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = \"180d/2a37\"\n",
            "f:3: sensor.subscribe is a string; wanted is a list of strings"),
        ConfigurationMistake(
            "[[sensor]]\nid = \"a\"\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\n[[sensor]]\nid = \"a\"\nname = \"b\"\nsubscribe = [\"180d/2a37\"]\n",
            "f:6: sensor.id \"a\" is already used in line 1"),
        ConfigurationMistake(
            "[mqtt]\nport = 0\nhots = \"a\"\n[gateway]\nid = \"\"\n",
            "f:2: mqtt.port is 0; allowed are 1 to 65535",
            "f:3: unknown key \"mqtt.hots\" – did you mean \"host\"?",
            "f:5: gateway.id is \"\"; allowed are 1 to 32 of a–z, 0–9, _ and -"),
        ConfigurationMistake("[mqtt]\nhost = \"a\u{0}b\"\n", "f:2: a zero octet is not text"),
        ConfigurationMistake("[mqtt]\nhost = \"a\\u0000b\"\n", "f:2: a zero octet is not text"),
        ConfigurationMistake("[mqtt]\nport = 1\ntopic_prefix = \"a\\U00000000b\"\n", "f:3: a zero octet is not text"),
        ConfigurationMistake(
            "[mqtt]\nhost = \"a\\uFFFE\"\nclient_id = \"\\u0001\"\nusername = \"\\U0001FFFF\"\n"
                + "topic_prefix = \"a\\uFDD0\"\n",
            "f:2: mqtt.host has the character U+FFFE, which MQTT does not allow",
            "f:3: mqtt.client_id has the character U+0001, which MQTT does not allow",
            "f:4: mqtt.username has the character U+1FFFF, which MQTT does not allow",
            "f:5: mqtt.topic_prefix has the character U+FDD0, which MQTT does not allow"),
        ConfigurationMistake("[mqtt]\n[!]\n", "f:2: a table's name is no TOML key"),
        ConfigurationMistake("[mqtt]\nx = \"\"\"b\"\"\"\"\n[`]\n", "f:3: a table's name is no TOML key"),
        ConfigurationMistake("[mqtt]\nx = ''''b'''''\n[`]\n", "f:3: a table's name is no TOML key"),
        ConfigurationMistake("[mqtt]\nport = 5x1\n", "f:2: a number is wanted: write port = 1"),
        ConfigurationMistake("[mqtt]\nport = 1979-05-27Tg07:32:00Z\n", "f:2: a number is wanted: write port = 1"),
        ConfigurationMistake("sensor = [{ name = \"a\" }, }]\n", "f:1: a bracket closes what it did not open"),
        ConfigurationMistake("\u{FEFF}\n\u{A0}[!]\n", "f:2: outside of strings and comments TOML is ASCII"),
        ConfigurationMistake(
            "[mqtt]\ntopic_prefix = \"a/+/b\"\n",
            "f:2: mqtt.topic_prefix is \"a/+/b\"; a topic has no +, # or $, and no / at its ends"),
    ]
}
