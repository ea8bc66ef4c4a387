// SPDX-License-Identifier: Apache-2.0

import Gateway
import Synchronization
import Testing

@testable import Provisioning
@testable import martlet

/// The texts of `martlet configure`, on 80 and on 60 columns, and as JSON.
@Suite("The screens of configure") struct ConfigureTextTests {
    private static func network(_ ssid: String, _ strength: Int, _ security: String, joined: Bool? = nil)
        -> NetworkMessage
    {
        var message = NetworkMessage()
        (message.ssid, message.strength, message.security, message.joined) = (ssid, strength, security, joined)
        return message
    }

    private static let networks = [
        network("Attic", 92, "wpa2", joined: true), network("Café au lait – Gäste", 61, "open"),
        network("evil\u{1B}[2J", 26, "wpa3"), network("温度計の部屋のネットワーク", 8, "enterprise"),
    ]

    private static let sensors: [SensorMessage] = {
        var strap = SensorMessage(address: "C4:7C:8D:00:11:22", accepted: true)
        (strap.name, strap.rssi, strap.family, strap.id) = ("Heart-rate strap", -58, "heart_rate", "strap")
        strap.values = ["61 bpm", "97 %"]
        var fridge = SensorMessage(address: "C4:7C:8D:00:11:01", accepted: false)
        (fridge.name, fridge.rssi, fridge.family) = ("Fridge in the cellar kitchen", -71, "health_thermometer")
        fridge.trouble = "it wants a passkey: accept it again with the one on its label"
        return [strap, fridge, SensorMessage(address: "C4:7C:8D:00:11:02", accepted: false)]
    }()

    private static let status: StatusMessage = {
        var status = StatusMessage(
            state: "provisioned", connected: true, brokerConnected: false, sensors: 3, collecting: 2, received: 1234,
            buffered: 17)
        (status.ssid, status.addresses) = ("Attic", ["192.168.1.20", "fd00::20"])
        (status.broker, status.brokerError) = ("mqtt.local:8883", "the broker's certificate is of an unknown authority")
        status.states = ["silent": 1]
        status.problem = "one sensor wants a passkey: see martlet status"
        return status
    }()

    private static let gateways: [(address: String, name: String?, rssi: Int?, open: GatewayPresentation?)] = [
        (
            "B8:27:EB:00:11:22", "Attic", -48,
            GatewayPresentation(
                model: "Martlet 1.0.0 on Raspberry Pi 4 Model B", name: "Attic", state: "unprovisioned", nextStep: "")
        ),
        ("B8:27:EB:00:11:23", nil, nil, nil),
    ]

    @Test("lists on 80 columns have everything") func lists80() {
        #expect(
            ConfigureText.networks(Self.networks, 80).joined(separator: "\n") == """
                SIGNAL  NETWORK                     SECURITY
                ▂▄▆█    Attic                       wpa2        in use
                ▂▄▆·    Café au lait – Gäste        open
                ▂▄··    evil?[2J                    wpa3
                ▂···    温度計の部屋のネットワーク  enterprise
                """)
        #expect(
            ConfigureText.sensors(Self.sensors, 80).joined(separator: "\n") == """
                NAME             ADDRESS            dBm  KIND             ACCEPTED  VALUE
                Heart-rate str…  C4:7C:8D:00:11:22  -58  heart_rate       strap     61 bpm, 97 %
                Fridge in the …  C4:7C:8D:00:11:01  -71  health_thermom…  no        –
                –                C4:7C:8D:00:11:02    –  –                no        –
                Fridge in the cellar kitchen: it wants a passkey: accept it again with the one
                  on its label
                """)
        #expect(
            ConfigureText.found(Self.gateways, 80).joined(separator: "\n") == """
                NAME   ADDRESS            dBm  STATE          MODEL
                Attic  B8:27:EB:00:11:22  -48  unprovisioned  Martlet 1.0.0 on Raspberry Pi 4 M…
                –      B8:27:EB:00:11:23    –  –              –
                """)
    }

    @Test("lists on 60 columns leave out the least important columns") func lists60() {
        #expect(
            ConfigureText.networks(Self.networks, 60).joined(separator: "\n") == """
                SIGNAL  NETWORK                     SECURITY
                ▂▄▆█    Attic                       wpa2        in use
                ▂▄▆·    Café au lait – Gäste        open
                ▂▄··    evil?[2J                    wpa3
                ▂···    温度計の部屋のネットワーク  enterprise
                """)
        #expect(
            ConfigureText.sensors(Self.sensors, 60).joined(separator: "\n") == """
                NAME          ADDRESS            dBm  ACCEPTED  VALUE
                Heart-rate …  C4:7C:8D:00:11:22  -58  strap     61 bpm, 97 %
                Fridge in t…  C4:7C:8D:00:11:01  -71  no        –
                –             C4:7C:8D:00:11:02    –  no        –
                Fridge in the cellar kitchen: it wants a passkey: accept it
                  again with the one on its label
                """)
        #expect(
            ConfigureText.found(Self.gateways, 60).joined(separator: "\n") == """
                NAME   ADDRESS            dBm  STATE          MODEL
                Attic  B8:27:EB:00:11:22  -48  unprovisioned  Martlet 1.0.0…
                –      B8:27:EB:00:11:23    –  –              –
                """)
        for line in ConfigureText.sensors(Self.sensors, 60) + ConfigureText.found(Self.gateways, 60) {
            #expect(Text.width(line) <= 60)
        }
    }

    @Test("the status on 80 and on 60 columns") func status() {
        #expect(
            ConfigureText.status(Self.status, 80).joined(separator: "\n") == """
                state     provisioned
                network   connected, Attic, 192.168.1.20, fd00::20
                broker    mqtt.local:8883: the broker's certificate is of an unknown authority
                sensors   3 accepted, 2 with values, 1 silent
                readings  1234 received, 17 wait for the broker
                problem   one sensor wants a passkey: see martlet status
                """)
        #expect(
            ConfigureText.status(Self.status, 60).joined(separator: "\n") == """
                state     provisioned
                network   connected, Attic, 192.168.1.20, fd00::20
                broker    mqtt.local:8883: the broker's certificate is of an
                          unknown authority
                sensors   3 accepted, 2 with values, 1 silent
                readings  1234 received, 17 wait for the broker
                problem   one sensor wants a passkey: see martlet status
                """)
    }

    private static let applying: [ProgressMessage] = [
        ProgressMessage(.check, .running, limit: 20), ProgressMessage(.check, .done),
        ProgressMessage(.connect, .running, limit: 30), ProgressMessage(.connect, .done),
        ProgressMessage(.broker, .running, limit: 30),
        ProgressMessage(
            .broker, .failed, reason: "broker-refused",
            text: "the broker mqtt.local:8883 refused: not authorized. See user and password."),
        ProgressMessage(.rolledBack, .done),
    ]

    private func shown(_ events: [ConfigureEvent], columns: Int, isLive: Bool) -> String {
        let text = Mutex("")
        let screen = ConfigureScreen(columns: columns, isLive: isLive) { part in text.withLock { $0 += part } }
        for event in events { screen.show(event) }
        screen.flush()
        return text.withLock { $0 }
    }

    @Test("applying is reported step by step, and a terminal sees the present step") func applying() {
        let events = Self.applying.map { ConfigureEvent.progress($0) }
        #expect(
            shown(events, columns: 60, isLive: false) == """
                  ✓ The settings are in order
                  ✓ The broker can be reached
                  ✗ Logging in to the broker: the broker mqtt.local:8883
                    refused: not authorized. See user and password.
                Nothing has changed: the settings of before hold again.

                """)
        let live = shown(events, columns: 80, isLive: true)
        #expect(
            live.hasPrefix("\r  … Checking the settings (up to 20 s)\u{1B}[K\r\u{1B}[K  ✓ The settings are in order\n"))
        #expect(!live.dropFirst(live.count - 60).contains("\u{1B}"))
    }

    @Test("the gateway's texts cannot control the terminal") func hostile() {
        var sensor = SensorMessage(address: "C4:7C:8D\u{1B}[31m", accepted: true)
        (sensor.name, sensor.id, sensor.trouble) = ("\u{1B}]0;x\u{7}", "\u{9B}2J", "a\nb\u{202E}c")
        var failed = ProgressMessage(.tls, .failed, reason: "tls")
        failed.text = "\u{1B}[2J"
        var status = Self.status
        (status.ssid, status.brokerError) = ("\u{1B}[1m", "\r\nok")
        let window = WindowMessage(open: true, seconds: 1, passkey: "\u{1B}c")
        let text = shown(
            [
                .sensor(sensor), .progress(failed), .status(status), .window(window), .log("\u{1B}[H"),
                .accepted("\u{8}\u{8}"),
                .time(TimeMessage(time: "\u{1B}", clock: "\u{7}", source: "\u{B}", errorMs: 1)),
            ], columns: 80, isLive: false)
        let controls = text.unicodeScalars.filter {
            $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
        }
        #expect(controls.isEmpty && !text.contains("\nok"))
    }

    @Test("each event is one JSON object, with the keys of the protocol") func json() {
        let open = GatewayPresentation(model: "Martlet 1.0.0", name: "Attic", state: "staged", nextStep: "Apply")
        let rows: [(ConfigureEvent, String)] = [
            (
                .found(address: "B8:27:EB:00:11:22", name: "A", rssi: -40, open),
                #"{"event":"gateway","address":"B8:27:EB:00:11:22","model":"Martlet 1.0.0","name":"Attic","next_step":"Apply","rssi":-40,"state":"staged"}"#
            ),
            (.connected(address: "B8:27:EB:00:11:22"), #"{"event":"connected","address":"B8:27:EB:00:11:22"}"#),
            (.staged("Broker"), #"{"event":"staged","setting":"Broker"}"#),
            (.uploaded(octets: 508, size: 1024), #"{"event":"upload","received":508,"size":1024}"#),
            (
                .progress(ProgressMessage(.rolledBack, .done)),
                #"{"event":"progress","state":"done","step":"rolled-back"}"#
            ),
            (
                .network(Self.networks[1]),
                #"{"event":"network","security":"open","ssid":"Café au lait – Gäste","strength":61}"#
            ),
            (.sensor(Self.sensors[2]), #"{"event":"sensor","accepted":false,"address":"C4:7C:8D:00:11:02"}"#),
            (.accepted("kitchen"), #"{"event":"accepted","sensor":"kitchen"}"#),
            (.forgotten("kitchen"), #"{"event":"forgotten","sensor":"kitchen"}"#),
            (
                .time(TimeMessage(time: "2026-06-30T21:40:12.480Z", clock: "synced", source: "trusted", errorMs: 500)),
                #"{"event":"time","clock":"synced","error_ms":500,"source":"trusted","time":"2026-06-30T21:40:12.480Z"}"#
            ),
            (
                .window(WindowMessage(open: true, seconds: 540, passkey: "019655")),
                #"{"event":"window","open":true,"passkey":"019655","seconds":540}"#
            ),
            (
                .status(Self.status),
                #"{"event":"status","addresses":["192.168.1.20","fd00::20"],"broker":"mqtt.local:8883","broker_connected":false,"broker_error":"the broker's certificate is of an unknown authority","buffered":17,"collecting":2,"connected":true,"problem":"one sensor wants a passkey: see martlet status","received":1234,"sensors":3,"ssid":"Attic","state":"provisioned","states":{"silent":1}}"#
            ),
            (.log("a \"line\""), #"{"event":"log","line":"a \"line\""}"#), (.identified, #"{"event":"identify"}"#),
            (.rolledBack, #"{"event":"rolled-back"}"#), (.reset, #"{"event":"factory-reset"}"#),
            (
                .failed(ProvisioningClientError(.rolledBack("tls"), "no TLS there")),
                #"{"event":"error","reason":"tls","text":"no TLS there"}"#
            ),
        ]
        for (event, line) in rows { #expect(ConfigureJSON.line(event) == line) }
        #expect(ConfigureJSON.line(.calls(device: "attic")) == nil)
    }

    @Test("each of the protocol's reasons with a remedy has its advice") func advice() {
        let reasons = [
            "wrong-password", "password-or-signal", "network-not-found", "no-country", "no-wifi", "no-manager",
            "timed-out", "no-address", "no-name", "no-connection", "tls", "certificate", "clock-wrong",
            "broker-refused",
        ]
        for reason in reasons { #expect(ConfigureText.advice(reason) != nil, "\(reason)") }
        #expect(ConfigureText.advice("not-valid") == nil && ConfigureText.advice("failed") == nil)
    }
}
