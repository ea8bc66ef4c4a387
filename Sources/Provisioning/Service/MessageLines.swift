// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Health
import NetworkControl
import Publisher
import Readings

/// Messages as lines of at most ``LineQueue/lineLimit`` octets. Texts from other devices are shortened.
private func encodeLine(_ value: some Encodable) -> String {
    String(decoding: (try? ControlCoding.encode(value)) ?? [], as: UTF8.self)
}

private func fits(_ line: String) -> Bool { line.utf8.count <= LineQueue.lineLimit }

extension ProgressMessage {
    var line: String {
        var message = self
        message.text = text.map { PlainText.sentence($0, limit: 300) }
        let line = encodeLine(message)
        guard !fits(line) else { return line }
        // Characters such as quotation marks take two octets each.
        message.text = text.map { PlainText.sentence($0, limit: 150) }
        return encodeLine(message)
    }
}

extension NetworkMessage {
    init(_ network: WirelessNetwork) {
        self.init()
        ssid = network.ssid
        strength = network.strength
        security = network.security.rawValue
        joined = network.isJoined ? true : nil
    }

    var line: String { encodeLine(self) }
}

extension SensorMessage {
    init(_ sensor: HeardSensor) {
        self.init(address: sensor.address, accepted: sensor.isAccepted)
        name = (sensor.title ?? sensor.name).map { PlainText.line($0, limit: 48) }
        rssi = sensor.rssi
        family = sensor.family.map { PlainText.line($0, limit: 32) }
        id = sensor.id.map { PlainText.line($0, limit: 32) }
        values = sensor.values.isEmpty ? nil : sensor.values.prefix(4).map { PlainText.line($0, limit: 32) }
        trouble = sensor.trouble.map { PlainText.sentence($0, limit: 120) }
    }

    var line: String {
        let line = encodeLine(self)
        guard !fits(line) else { return line }
        var message = self
        message.values = nil
        message.trouble = trouble.map { PlainText.sentence($0, limit: 60) }
        return encodeLine(message)
    }

    /// Signal strength always varies a little.
    func differs(from old: SensorMessage) -> Bool {
        var same = old
        if let rssi, let former = old.rssi, abs(rssi - former) < 5 { same.rssi = rssi }
        return self != same
    }
}

extension StatusMessage {
    init(_ status: GatewayStatus, _ network: NetworkStatus?, state: String) {
        let sensors = status.collector.sensors
        self.init(
            state: state, connected: network?.isConnected ?? false, brokerConnected: status.mqtt.connected,
            sensors: sensors.count, collecting: sensors.count { $0.health.isPresent },
            received: status.journal.received, buffered: status.journal.buffered)
        let absent = sensors.map(\.health).filter { !$0.isPresent }
        states = absent.isEmpty ? nil : Dictionary(absent.map { ($0.rawValue, 1) }, uniquingKeysWith: &+)
        ssid = network?.ssid.map { PlainText.line($0, limit: 32) }
        addresses = network.map { $0.addresses.prefix(2).map { PlainText.line($0, limit: 45) } }
        broker = PlainText.line(status.mqtt.broker, limit: 64)
        brokerError = status.mqtt.lastError.map { PlainText.sentence($0, limit: 100) }
        // The error of the broker has a place of its own.
        let open = status.openProblems.first { $0.code != .brokerUnreachable }
        problem = open.map { PlainText.sentence($0.line, limit: 100) }
        problemCode = open?.code.rawValue
        problemAbout = open.flatMap { open in open.sensor.map { _ in PlainText.sentence(open.title, limit: 32) } }
    }

    var line: String {
        let line = encodeLine(self)
        guard !fits(line) else { return line }
        var message = self
        (message.addresses, message.broker) = (nil, nil)
        message.brokerError = brokerError.map { PlainText.sentence($0, limit: 40) }
        message.problem = problem.map { PlainText.sentence($0, limit: 40) }
        return encodeLine(message)
    }
}
