// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Health
import Provisioning

/// The texts of `martlet configure` for people. Names and texts from the air are shown without control characters.
enum ConfigureText {
    static func strength(_ perCent: Int?) -> String {
        guard let perCent else { return "····" }
        let bars = ["▂", "▄", "▆", "█"]
        let count = perCent >= 75 ? 4 : perCent >= 50 ? 3 : perCent >= 25 ? 2 : 1
        return bars.prefix(count).joined() + String(repeating: "·", count: 4 - count)
    }

    static func found(
        _ gateways: [(address: String, name: String?, rssi: Int?, open: GatewayPresentation?)], _ width: Int?
    )
        -> [String]
    {
        var table = TextTable(
            columns: [
                .init(title: "NAME", least: 12), .init(title: "ADDRESS"),
                .init(title: "dBm", rank: 2, isRightAligned: true), .init(title: "STATE", rank: 1),
                .init(title: "MODEL", rank: 3, least: 12),
            ], rows: [])
        for gateway in gateways {
            table.rows.append([
                Text.plain(gateway.open?.name ?? gateway.name ?? "–"), gateway.address,
                gateway.rssi.map(String.init) ?? "–", Text.plain(gateway.open?.state ?? "–"),
                Text.plain(gateway.open?.model ?? "–"),
            ])
        }
        let layout = table.layout(width: width)
        return [layout.header] + layout.rows
    }

    static func networks(_ networks: [NetworkMessage], _ width: Int?) -> [String] {
        var table = TextTable(
            columns: [
                .init(title: "SIGNAL"), .init(title: "NETWORK", least: 16),
                .init(title: "SECURITY", rank: 1), .init(title: "", rank: 2),
            ], rows: [])
        for network in networks {
            table.rows.append([
                strength(network.strength), Text.plain(network.ssid ?? "–"),
                Text.plain(network.security ?? "–"), network.joined == true ? "in use" : "",
            ])
        }
        let layout = table.layout(width: width)
        return [layout.header] + layout.rows
    }

    static func sensors(_ sensors: [SensorMessage], _ width: Int?) -> [String] {
        var table = TextTable(
            columns: [
                .init(title: "NAME", least: 12), .init(title: "ADDRESS"),
                .init(title: "dBm", rank: 2, isRightAligned: true), .init(title: "KIND", rank: 3, least: 8),
                .init(title: "ACCEPTED", rank: 1, least: 8), .init(title: "VALUE", least: 8),
            ], rows: [])
        for sensor in sensors {
            let values = sensor.values?.joined(separator: ", ") ?? ""
            table.rows.append([
                Text.plain(sensor.name ?? "–"), Text.plain(sensor.address), sensor.rssi.map(String.init) ?? "–",
                Text.plain(sensor.family ?? "–"),
                sensor.accepted ? Text.plain(sensor.id ?? "yes") : "no", Text.plain(values.isEmpty ? "–" : values),
            ])
        }
        let layout = table.layout(width: width)
        let troubles = sensors.compactMap { sensor in
            sensor.trouble.map { "\(Text.plain(sensor.name ?? sensor.address)): \(Text.plain($0))" }
        }
        return [layout.header] + layout.rows + troubles.flatMap { Text.wrapped($0, width ?? .max, indent: 2) }
    }

    static func status(_ status: StatusMessage, _ width: Int) -> [String] {
        func line(_ title: String, _ text: String) -> [String] {
            Text.wrapped(Text.fit(title, 10) + Text.plain(text), width, indent: 10)
        }
        let addresses = (status.addresses ?? []).joined(separator: ", ")
        let network = status.connected ? "connected" : "not connected"
        var lines = line("state", status.state)
        lines += line(
            "network",
            [network, status.ssid, addresses.isEmpty ? nil : addresses].compactMap(\.self).joined(separator: ", "))
        let broker = status.brokerConnected ? "connected" : status.brokerError ?? "not connected"
        lines += line("broker", [status.broker, broker].compactMap(\.self).joined(separator: ": "))
        let states = (status.states ?? [:]).sorted { $0.key < $1.key }.map { state, count in
            ", \(count) \(SensorState(rawValue: state)?.words ?? state)"
        }
        lines += line("sensors", "\(status.sensors) accepted, \(status.collecting) with values" + states.joined())
        lines += line("readings", "\(status.received) received, \(status.buffered) wait for the broker")
        if let problem = status.problem { lines += line("problem", problem) }
        return lines
    }

    static func window(_ window: WindowMessage) -> String {
        guard window.open else { return "The pairing window is closed." }
        let time = window.seconds.map { " for \($0) s" } ?? ""
        let passkey = window.passkey.map { "; the next phone enters \($0)" } ?? ""
        return Text.plain("The pairing window is open\(time)\(passkey).")
    }

    static func time(_ time: TimeMessage) -> String {
        let source = time.source.map { ", from \($0)" } ?? ""
        let error = time.errorMs.map { ", ± \($0) ms" } ?? ""
        return Text.plain("The gateway's clock: \(time.time ?? "no time"), \(time.clock)\(source)\(error).")
    }

    /// The calls that a person may type next.
    static func calls(for device: String) -> [String] {
        // The same program as now, wherever the gateway is.
        let call = "  " + AdvisedCommand.martlet(.configure, Text.plain(device)).line(on: Installation(.hand))
        return [
            "To set a gateway up, type its settings, like:",
            call + " --passkey - --country DE --wifi NETWORK --wifi-password-file - --broker HOST --tls",
            call + " --sensors", call + " --accept ADDRESS=ID --status",
            "The first call wants the passkey, and --time where the gateway's clock is wrong. All options:",
            "  " + AdvisedCommand.martlet(.configure, "--help").line(on: Installation(.hand)),
        ]
    }

    // MARK: Applying

    private static func words(_ step: ProgressMessage.Step) -> (doing: String, done: String) {
        switch step {
        case .check: ("Checking the settings", "The settings are in order")
        case .country: ("Setting the Wi-Fi country", "The Wi-Fi country is set")
        case .associate: ("Joining the Wi-Fi network", "In the Wi-Fi network")
        case .address: ("Getting an address", "Has an address")
        case .name: ("Looking up the broker's name", "The broker's name is known")
        case .connect: ("Connecting to the broker", "The broker can be reached")
        case .tls: ("Agreeing on TLS with the broker", "The broker is who it says")
        case .broker: ("Logging in to the broker", "The broker takes the gateway")
        case .keep: ("Keeping the settings", "The settings are kept")
        case .done: ("Finishing", "The gateway uses its new settings.")
        case .rolledBack: ("Going back", "Nothing has changed: the settings of before hold again.")
        }
    }

    /// The step in progress; nil after its end.
    static func running(_ message: ProgressMessage) -> String? {
        guard message.state == .running else { return nil }
        let limit = message.limit.map { " (up to \($0) s)" } ?? ""
        return "  … \(words(message.step).doing)\(limit)"
    }

    /// The result of a step; empty while the step runs.
    static func progress(_ message: ProgressMessage, _ width: Int) -> [String] {
        let (doing, done) = words(message.step)
        switch message.state {
        case .running: return []
        case .done: return message.isEnd ? [done] : ["  ✓ \(done)"]
        case .failed:
            let text = Text.plain(message.text ?? message.reason ?? "it failed")
            return Text.wrapped("  ✗ \(doing): \(text)", width, indent: 4)
        }
    }

    /// Advice about a reason of docs/provisioning-protocol.md; nil if the gateway's words are all there is.
    static func advice(_ reason: String) -> String? {
        switch reason {
        case "wrong-password": "Type the Wi-Fi password again; capitals count."
        case "password-or-signal":
            "Either the Wi-Fi password is wrong or the signal is too weak: type it again, and see the signal."
        case "network-not-found": "Check that the network is on and near, and check the spelling of its name."
        case "no-country": "Set the Wi-Fi country first: the radio is blocked without it."
        case "no-wifi": "This gateway has no Wi-Fi: connect it by cable, and leave Wi-Fi out."
        case "no-manager":
            "The gateway does not set up its network: leave Wi-Fi out, or install NetworkManager there."
        case "no-address": "The network gives no address: restart its router, or see its list of allowed devices."
        case "no-name": "Check the spelling of the broker's name; if the name is right, try the address."
        case "no-connection": "Check that the broker runs, the port is right, and no firewall is in between."
        case "tls": "Check that the broker speaks TLS on this port (8883 is usual; 1883 is without)."
        case "certificate": "Give the certificate of the authority that the broker's is from, with --ca or when asked."
        case "clock-wrong": "Set the gateway's clock, with --time."
        case "broker-refused": "Type the broker's user and password again."
        case "timed-out": "Try again; if it takes too long again, go nearer to the router."
        default: nil
        }
    }
}
