// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import NetworkControl
import Testing

@testable import Configuration
@testable import Gateway
@testable import Provisioning

/// The error of `body`, or nil.
func refusal(_ body: () throws -> Void) -> WriteRefusal? {
    do {
        try body()
        return nil
    } catch {
        return error as? WriteRefusal
    }
}

let notValid = WriteRefusal(.notValid, "").code

@Suite struct StagedChangesTests {
    @Test(arguments: ["de", "DE", "gB"]) func `a country has two letters`(text: String) throws {
        var changes = StagedChanges()
        try changes.setCountry(Array(text.utf8))
        #expect(changes.country == text.uppercased() && !changes.isEmpty)
    }

    @Test(arguments: ["", "D", "DEU", "1A", "ß", "ÄÖ", "D\u{0}", " DE"]) func `nothing else is a country`(text: String)
    {
        var changes = StagedChanges()
        #expect(refusal { try changes.setCountry(Array(text.utf8)) }?.code == notValid)
        #expect(changes.isEmpty)
    }

    @Test func `a name has 1 to 32 characters that can be seen`() throws {
        var changes = StagedChanges()
        for good in ["A", "Dachböden 🏠", String(repeating: "é", count: 32)] {
            try changes.setName(Array(good.utf8))
            #expect(changes.name == good)
        }
        let zalgo = "a" + String(repeating: "\u{0301}", count: 100)
        for bad in [
            "", " ", String(repeating: "a", count: 33), "a\nb", "a\u{0}b", "a\u{7F}", "a\u{202E}b", "a\u{2028}b",
            "a\u{85}b", zalgo,
        ] {
            #expect(refusal { try changes.setName(Array(bad.utf8)) }?.code == notValid, "\(bad.debugDescription)")
        }
        for octets: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xC3]] {
            #expect(refusal { try changes.setName(octets) }?.code == notValid, "\(octets)")
        }
        #expect(changes.name == String(repeating: "é", count: 32))
    }

    @Test func `a Wi-Fi network is joined with a password, without one, or no more`() throws {
        var changes = StagedChanges()
        func write(_ text: String) throws { try changes.setWireless(Array(text.utf8)) }
        try write(#"{"ssid":"Attic","password":"correct horse","hidden":true}"#)
        #expect(
            changes.wireless == .join(WirelessSettings(ssid: "Attic", password: "correct horse", isHidden: true)))
        try write(#"{"hidden":false}"#)
        #expect(changes.wireless == .join(WirelessSettings(ssid: "Attic", password: "correct horse")))
        try write(#"{"ssid":"Attic","password":""}"#)
        #expect(changes.wireless == .join(WirelessSettings(ssid: "Attic", password: nil)))
        try write(#"{"password":"\#(String(repeating: "aF", count: 32))"}"#)
        // Another network's password does not fit this network.
        try write(#"{"ssid":"Café"}"#)
        #expect(changes.wireless == .join(WirelessSettings(ssid: "Café", password: nil)))
        try write(#"{"ssid":""}"#)
        #expect(changes.wireless == ApplyPlan.Wireless.none)
        for bad in [
            "{}", "", "null", "[]", "{", #"{"ssid":1}"#, #"{"ssid":null}"#, #"{"ssid":"","password":"long enough"}"#,
            #"{"ssid":"a","pasword":"long enough"}"#, #"{"ssid":"a","password":"short"}"#,
            #"{"ssid":"a","password":"not ASCII: ä"}"#, #"{"ssid":"a","password":"\u0000\u0000\u0000\u0000long"}"#,
            #"{"ssid":"\#(String(repeating: "a", count: 33))"}"#, #"{"ssid":"a\nb"}"#, #"{"ssid":"\ud800"}"#,
            #"{"ssid":"a","hidden":"yes"}"#, #"{"ssid":"a","password":"\#(String(repeating: "g", count: 64))"}"#,
        ] {
            #expect(refusal { try write(bad) }?.code == notValid, "\(bad)")
        }
        #expect(changes.wireless == ApplyPlan.Wireless.none)
    }

    @Test func `what a network that is heard wants is asked for`() throws {
        func heard(_ ssid: String, _ security: WirelessNetwork.Security) -> WirelessNetwork {
            WirelessNetwork(ssid: ssid, strength: 50, security: security, frequency: 2412, isJoined: false)
        }
        let known = [heard("Attic", .wpa2), heard("Office", .enterprise), heard("Café", .open)]
        var changes = StagedChanges()
        #expect(
            refusal { try changes.setWireless(Array(#"{"ssid":"Attic"}"#.utf8), known: known) }?.code == notValid)
        #expect(
            refusal {
                try changes.setWireless(Array(#"{"ssid":"Office","password":"correct horse"}"#.utf8), known: known)
            }?.code == WriteRefusal(.notSupported, "").code)
        try changes.setWireless(Array(#"{"ssid":"Café"}"#.utf8), known: known)
    }

    @Test func `what is left out of a broker stays`() throws {
        var changes = StagedChanges()
        func write(_ text: String) throws { try changes.setBroker(Array(text.utf8)) }
        try write(#"{"host":"broker.local","port":8883,"tls":true,"username":"gw","password":"secret"}"#)
        try write(#"{"port":8884}"#)
        #expect(changes.broker.host == "broker.local" && changes.broker.port == 8884)
        #expect(changes.broker.usesTLS == true && changes.broker.password == Secret("secret"))
        for bad in [
            "{}", #"{"host":""}"#, #"{"host":"a b"}"#, #"{"host":"a\u0000"}"#, #"{"host":"bröker"}"#,
            #"{"host":"\#(String(repeating: "a", count: 254))"}"#, #"{"port":0}"#, #"{"port":65536}"#,
            #"{"port":-1}"#, #"{"port":1e400}"#, #"{"port":9223372036854775808}"#, #"{"port":"1883"}"#,
            #"{"port":1.5}"#, #"{"tls":1}"#, #"{"username":"a\u0007"}"#, #"{"password":"a\nb"}"#,
            String(repeating: "[", count: 512), #"{"a":"# + String(repeating: #"{"a":"#, count: 100),
            #"{"Host":"a"}"#, #"{"passwordSet":true}"#,
        ] {
            #expect(refusal { try write(bad) }?.code == notValid, "\(bad)")
        }
        #expect(changes.broker.port == 8884)
    }

    @Test func `no refusal repeats what may be a secret`() {
        var changes = StagedChanges()
        let texts = [
            #"{"ssid":"a","password":"geheim"}"#, #"{"ssid":"a","password":"geheim ä"}"#, #"{"password":"geheim!!"}"#,
            #"{"ssid":"a","password":["geheim"]}"#, #"{"ssid":"a","password":"geheim"#,
        ]
        for text in texts {
            let refused = refusal { try changes.setWireless(Array(text.utf8)) }
            #expect(refused != nil && refused?.text.contains("geheim") == false, "\(text)")
        }
        let broker = refusal { try changes.setBroker(Array(#"{"password":"geheim\n"}"#.utf8)) }
        #expect(broker != nil && broker?.text.contains("geheim") == false)
    }

    @Test func `Home Assistant is told, or not, with the broker, and left alone without a word`() throws {
        for (text, wanted) in [
            (#"{"host":"b","home_assistant":true}"#, "device"), (#"{"home_assistant":false}"#, "off"),
            (#"{"host":"b"}"#, nil),
        ] as [(String, String?)] {
            var changes = StagedChanges()
            try changes.setBroker(Array(text.utf8))
            let value = try changes.plan(for: .bench()).change.values[["home_assistant", "discovery"]]
            let told: String? = if case .text(let word)?? = value { word } else { nil }
            #expect(told == wanted, "\(text)")
        }
    }

    @Test func `nothing prints a secret`() throws {
        var changes = StagedChanges()
        try changes.setWireless(Array(#"{"ssid":"Attic","password":"correct horse"}"#.utf8))
        try changes.setBroker(Array(#"{"host":"b","password":"battery staple"}"#.utf8))
        let plan = try changes.plan(for: .bench())
        var dumped = ""
        dump(changes, to: &dumped)
        dump(plan, to: &dumped)
        dumped += "\(changes) \(plan) \(ApplyMachine(plan))"
        #expect(!dumped.contains("horse") && !dumped.contains("staple"))
    }
}

extension GatewaySettings {
    static func bench(
        host: String = "localhost", port: Int = 1883, usesTLS: Bool = false, hasPassword: Bool = false,
        authorityHash: String? = nil, isProvisioned: Bool = false
    ) -> Self {
        GatewaySettings(
            name: "Martlet", gateway: "gw", host: host, port: port, usesTLS: usesTLS, username: nil,
            hasPassword: hasPassword, authorityHash: authorityHash, isProvisioned: isProvisioned, network: nil,
            canUndo: false)
    }
}
