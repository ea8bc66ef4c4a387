// SPDX-License-Identifier: Apache-2.0

import Gateway
import Provisioning

/// Events as lines for people; lists are shown as a table once they are complete.
final class ConfigureScreen: ConfigureReport {
    private let columns: Int
    /// On a terminal, a line of progress is shown, and the next line replaces it.
    private let isLive: Bool
    private let write: (String) -> Void
    private var isDraftShown = false
    private var networks: [NetworkMessage] = []
    private var sensors: [SensorMessage] = []
    private var found: [(address: String, name: String?, rssi: Int?, open: GatewayPresentation?)] = []

    init(columns: Int, isLive: Bool, _ write: @escaping (String) -> Void) {
        self.columns = columns
        self.isLive = isLive
        self.write = write
    }

    func show(_ event: ConfigureEvent) {
        switch event {
        case .found(let address, let name, let rssi, let open): found.append((address, name, rssi, open))
        case .network(let network): networks.append(network)
        case .sensor(let sensor): sensors.append(sensor)
        case .progress(let message):
            if let draft = ConfigureText.running(message) { return self.draft(draft) }
            lines(ConfigureText.progress(message, columns))
        case .uploaded(let octets, let size):
            if octets < size {
                draft("  … Sending the certificate: \(octets) of \(size) octets")
            } else {
                line("The certificate is there (\(size) octets).")
            }
        case .connected(let address): line("Connected to \(address): the link is encrypted, and the keys are known.")
        case .staged(let setting): line("\(setting): written, not applied yet")
        case .accepted(let sensor): line("\(Text.plain(sensor)) is accepted.")
        case .forgotten(let sensor): line("\(Text.plain(sensor)) is not accepted any more.")
        case .time(let message): line(ConfigureText.time(message))
        case .window(let message): line(ConfigureText.window(message))
        case .status(let message): lines(ConfigureText.status(message, columns))
        case .log(let text): line(Text.plain(text))
        case .identified: line("The gateway's LED blinks for 10 seconds.")
        case .rolledBack: line("The gateway is back at the settings before its last change.")
        case .dropped: line("Settings that were not applied are dropped; the settings in use have not changed.")
        case .reset:
            line("The gateway forgets everything and starts anew. Forget it on the phones that knew it, too.")
        case .calls(let device): table(ConfigureText.calls(for: device))
        case .failed(let error):
            lines([error.description] + [ConfigureText.advice(error.reason)].compactMap(\.self))
        }
    }

    func flush() {
        if !found.isEmpty { table(ConfigureText.found(found, columns)) }
        if !networks.isEmpty { table(ConfigureText.networks(networks, columns)) }
        if !sensors.isEmpty { table(ConfigureText.sensors(sensors, columns)) }
        (found, networks, sensors) = ([], [], [])
    }

    private func table(_ lines: [String]) {
        clear()
        for line in lines { write(line + "\n") }
    }

    private func line(_ text: String) { lines([text]) }

    private func lines(_ texts: [String]) {
        guard !texts.isEmpty else { return }
        clear()
        for text in texts { for line in Text.wrapped(text, columns, indent: 2) { write(line + "\n") } }
    }

    private func draft(_ text: String) {
        guard isLive else { return }
        write("\r" + Text.prefix(text, columns - 1) + "\u{1B}[K")
        isDraftShown = true
    }

    private func clear() {
        if isDraftShown { write("\r\u{1B}[K") }
        isDraftShown = false
    }
}
