// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Configuration

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
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temprature = { above = 8 } }\n",
            "f:3: sensor.limits names \"temprature\", which is no number of a value – did you mean \"temperature\"?"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = 8 }\n",
            "f:3: sensor.limits has an integer for temperature; wanted is a table like { above = 8 }"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { abov = 8 } }\n",
            "f:3: sensor.limits has an unknown key \"abov\" for temperature – did you mean \"above\"?"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { for_s = 8 } }\n",
            "f:3: sensor.limits has neither above nor below for temperature"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { above = nan } }\n",
            "f:3: sensor.limits has for temperature a value of above that is no number"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { above = 1, below = 1 } }\n",
            "f:3: sensor.limits has a below for temperature that is not less than its above"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { above = 1, below = 0, hysteresis = 2 } }\n",
            "f:3: sensor.limits has a hysteresis for temperature that is more than above minus below"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { above = 1, hysteresis = -1 } }\n",
            "f:3: sensor.limits has a hysteresis below 0 for temperature"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { above = 1, for_s = 86401 } }\n",
            "f:3: sensor.limits has a for_s that is no integer from 0 to 86400"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { silent_s = 5 }\n",
            "f:3: sensor.limits has a silent_s that is no integer from 10 to 2592000"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = {}\n", "f:3: sensor.limits is empty; wanted is \(SensorLimits.form)"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"181a/2a6e\"]\nlimits = { battery = { below = 15 } }\n",
            "f:4: sensor.limits names \"battery\", which is no number of a value – there are temperature"),
        ConfigurationMistake(
            "[webhook]\npost_url = \"http://geheim/\"\n", "f:2: webhook.post_url is no URL of https, without spaces"),
        ConfigurationMistake(
            "[webhook]\npost_url = \"https://a:geheim@b/\"\n",
            "f:2: webhook.post_url has a name or password before its server: put these into header"),
        ConfigurationMistake(
            "[webhook]\npost_url = \"https://b/\"\nheader = \"geheim\"\n",
            "f:3: webhook.header is no header; wanted is a name, a colon and a value, like Authorization: Bearer …"),
        ConfigurationMistake(
            "[webhook]\npost_url = \"https://b/\"\npost_url_file = \"/u\"\n",
            "f:2: webhook.post_url and webhook.post_url_file are both given; keep one"),
        ConfigurationMistake(
            "[webhook]\nheader = \"A: b\"\n",
            "f:2: webhook.header is given without webhook.post_url or post_url_file"),
        ConfigurationMistake("[mqt]\n", "f:1: unknown section [mqt] – did you mean [mqtt]?"),
        ConfigurationMistake("[mqtt]\nuser = \"a\"\n", "f:2: unknown key \"mqtt.user\" – did you mean \"username\"?"),
        ConfigurationMistake(
            "[webhook]\nurl = \"https://a/\"\n", "f:2: unknown key \"webhook.url\" – did you mean \"post_url\"?"),
        ConfigurationMistake("[page]\nport = 8080\n", "f:2: unknown key \"page.port\" – did you mean \"listen\"?"),
        ConfigurationMistake(
            "[page]\nenabled = true\n", "f:2: unknown key \"page.enabled\" – did you mean \"listen\"?"),
        ConfigurationMistake("[mqtt]\npass = \"a\"\n", "f:2: unknown key \"mqtt.pass\" – did you mean \"password\"?"),
        ConfigurationMistake(
            "[mqtt]\ndiscovery = true\n",
            "f:2: unknown key \"mqtt.discovery\" – did you mean the key of that name in [home_assistant]?"),
        ConfigurationMistake(
            "[home_assistant]\ndiscovery = true\n",
            "f:2: home_assistant.discovery is true; allowed are \"off\", \"device\", \"entity\", \"both\" "
                + "– did you mean \"device\"?"),
        ConfigurationMistake(
            "[home_assistant]\ndiscovery = false\n",
            "f:2: home_assistant.discovery is false; allowed are \"off\", \"device\", \"entity\", \"both\" "
                + "– did you mean \"off\"?"),
        ConfigurationMistake(
            "[[sensor]]\nid = \"a\"\nfamily = \"RuuviTag\"\n",
            "f:3: sensor.family is \"RuuviTag\", which is no family that is known – did you mean \"ruuvi\"?"),
        ConfigurationMistake(
            "[home_assistant]\ndiscovery = \"yes\"\n",
            "f:2: home_assistant.discovery is \"yes\"; allowed are \"off\", \"device\", \"entity\", \"both\" "
                + "– did you mean \"device\"?"),
        ConfigurationMistake(
            "[home_assistant]\ndiscovery = \"No\"\n",
            "f:2: home_assistant.discovery is \"No\"; allowed are \"off\", \"device\", \"entity\", \"both\" "
                + "– did you mean \"off\"?"),
        ConfigurationMistake(
            "[home_assistant]\ndiscovery = 1\n",
            "f:2: home_assistant.discovery is an integer; allowed are \"off\", \"device\", \"entity\", \"both\""),
        ConfigurationMistake(
            "[home_assistant]\nenabled = true\n",
            "f:2: unknown key \"home_assistant.enabled\" – did you mean \"discovery\"?"),
        ConfigurationMistake(
            "[mqtt]\nssl = true\n[mqtt.tls]\ncertfile = \"/c\"\nkeyfile = \"/k\"\ninsecure = true\nca_certs = \"/a\"\n",
            "f:2: unknown key \"mqtt.ssl\" – did you mean \"tls\"?",
            "f:4: unknown key \"mqtt.tls.certfile\" – did you mean \"certificate_file\"?",
            "f:5: unknown key \"mqtt.tls.keyfile\" – did you mean \"key_file\"?",
            "f:6: unknown key \"mqtt.tls.insecure\" – did you mean \"verify_hostname\"?",
            "f:7: unknown key \"mqtt.tls.ca_certs\" – did you mean \"ca_file\"?"),
        ConfigurationMistake(
            "[bluetooth]\nadapter = \"hci0\"\n", "f:2: unknown key \"bluetooth.adapter\" – did you mean \"controller\"?"
        ),
        ConfigurationMistake(
            "[[sensor]]\nid = \"a\"\nfamily = \"BTHome v2\"\n",
            "f:3: sensor.family is \"BTHome v2\", which is no family that is known – did you mean \"bthome\"?"),
        ConfigurationMistake(
            "[[sensor]]\nid = \"a\"\nfamily = \"Xiaomi Mijia\"\n",
            "f:3: sensor.family is \"Xiaomi Mijia\", which is no family that is known – did you mean \"mibeacon\"?"),
        ConfigurationMistake(
            "[[sensor]]\nmac = \"C4:7C:8D:00:11:22\"\n",
            "f:2: unknown key \"sensor.mac\" – did you mean \"address\"?"),
        ConfigurationMistake(
            "[[sensor]]\nid = \"a\"\naddress = \"C4:7C:8D:00:11:22\"\noffset = { temprature = 1 }\n",
            "f:4: sensor.offset names \"temprature\", which is no number of a value – did you mean \"temperature\"?"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\noffset = { temperature = 1e7 }\n",
            "f:3: sensor.offset is 10000000.0; an offset is from -1000000 to 1000000"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\noffset = 1\n",
            "f:3: sensor.offset is an integer; wanted is a table like { temperature = -0.5 }"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlabel = \"  \"\n",
            "f:3: sensor.label is \"  \"; wanted are 1 to 64 characters of text"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\noffset = { temp = 1 }\n",
            "f:3: sensor.offset names \"temp\", which is no number of a value – did you mean \"temperature\"?"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nlimits = { temperature = { max = 8 } }\n",
            "f:3: sensor.limits has an unknown key \"max\" for temperature – did you mean \"above\"?"),
        ConfigurationMistake(
            "[mqtt]\ntls = true\n",
            "f:2: mqtt.tls is true; wanted is a table: write below [mqtt.tls] enabled = true"),
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
        ConfigurationMistake("[mqtt]\nhost = \"\"\n", "f:2: mqtt.host is an empty string"),
        ConfigurationMistake("[mqtt]\nretain = \"no\"\n", "f:2: mqtt.retain is a string; wanted is true or false"),
        ConfigurationMistake(
            "[mqtt]\ntopic_prefix = \"a/#\"\n",
            "f:2: mqtt.topic_prefix is \"a/#\"; a topic has no +, # or $, and no / at its ends"),
        ConfigurationMistake("mqtt = 1\n", "f:1: mqtt is an integer; wanted is a table, [mqtt]"),
        ConfigurationMistake(
            "[bluetooth]\nprivacy = \"allways\"\n",
            "f:2: bluetooth.privacy is \"allways\"; allowed are \"off\", \"advertising\", \"always\" "
                + "– did you mean \"always\"?"),
        ConfigurationMistake(
            "[journal]\ndurability = \"fats\"\n",
            "f:2: journal.durability is \"fats\"; allowed are \"power-safe\", \"fast\" – did you mean \"fast\"?"),
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
            "f:3: sensor.bindkey is not 32 hexadecimal digits, 24 for older sensors of Xiaomi, or 48 for Encrypted "
                + "Advertising Data; it has 31 characters"),
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
                + "bm2, bm6, bm7, body_composition, continuous_glucose_monitoring, cycling_power, cycling_speed_and_cadence, environmental_sensing, fitness_machine, health_thermometer, "
                + "heart_rate, inkbird-idt-34c, pulse_oximeter, running_speed_and_cadence, weight_scale"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nprofile = \"bm6\"\nwrite = [{ characteristic = \"fff0/fff3\", value = \"01\" }]\n",
            "f:1: this [[sensor]] has a profile, and write; keep one"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nread = [\"180d/2a37\"]\nwrite = [{ characteristic = \"fff0/fff3\", value = \"01\" }]\n",
            "f:1: this [[sensor]] has write and no subscribe: say where the sensor answers"),
        ConfigurationMistake(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\nwrite_every_s = 9\n",
            "f:1: this [[sensor]] has write_every_s and no write: say what to write"),
        ConfigurationMistake(
            "[[sensor]]\nwrite_every_s = 0\n", "f:2: sensor.write_every_s is 0; allowed are 1 to 86400"),
        ConfigurationMistake(
            "[[sensor]]\nwrite = [\"01\"]\n", "f:2: sensor.write holds a string, not only tables"),
        ConfigurationMistake(
            "[[sensor]]\nwrite = [{ characteristic = \"fff0/fff3\", value = \"0\" }]\n",
            "f:2: sensor.write has a value that is no string of 1 to 244 octets, two hexadecimal digits each"),
        ConfigurationMistake(
            "[[sensor]]\nwrite = [{ characteristic = \"fff0/fff3\" }]\n",
            "f:2: sensor.write holds a command without characteristic or value; wanted is { characteristic = "
                + "\"SERVICE/CHARACTERISTIC\", value = \"0a01\" }"),
        ConfigurationMistake(
            "[[sensor]]\nwrite = [{ characteristic = \"fff0/fff3\", octets = \"01\", value = \"01\" }]\n",
            "f:2: sensor.write has an unknown key \"octets\""),
        ConfigurationMistake(
            "[[sensor]]\nwrite = [\(Array(repeating: "{ characteristic = \"fff0/fff3\", value = \"01\" }", count: 9).joined(separator: ", "))]\n",
            "f:2: sensor.write has more than 8 commands"),
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
