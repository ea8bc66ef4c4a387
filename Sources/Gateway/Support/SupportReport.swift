// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Publisher

/// Everything that somebody needs to see what is wrong with a gateway, as one text, without secrets.
///
/// What goes in is free of secrets by itself; those of the configuration are looked for all the same, and crossed out.
struct SupportReport: Sendable {
    /// Sensors of which is told why they are as they are; more are in the status.
    private static let maximumSensors = 64
    /// Texts that are shorter occur by chance.
    private static let shortestSecret = 4

    private let gateway: GatewayService

    init(_ gateway: GatewayService) { self.gateway = gateway }

    func text() async -> String {
        let operations = gateway.operations
        let status = await operations.status()
        var parts = [
            "Martlet \(GatewayVersion.current), \(gateway.configuration.gateway): for whoever helps. Passwords and keys are not in "
                + "it; names and addresses of devices are.",
            part("system", Self.system()),
            part("status", Self.json(status)),
        ]
        let shown = await gateway.shownConfiguration()
        for file in shown.files {
            parts.append(part("configuration \(file.path)", file.problem.map { "! \($0)" } ?? file.text))
        }
        if !shown.warnings.isEmpty {
            parts.append(part("configuration, warnings", shown.warnings.joined(separator: "\n")))
        }
        for sensor in status.collector.sensors.prefix(Self.maximumSensors) {
            guard let explanation = try? await operations.explain(sensor.id) else { continue }
            parts.append(part("why \(sensor.id)", Self.json(explanation)))
        }
        parts.append(part("in the air", Self.json(await operations.heardSensors())))
        parts.append(part("bonds", Self.json(await operations.bonds())))
        if let update = gateway.imageUpdate { parts.append(part("update", Self.json(update))) }
        parts.append(
            part("log", await operations.logTail(lines: LogRing.capacity).joined(separator: "\n")))
        return Self.masked(parts.joined(separator: "\n\n") + "\n", secrets: gateway.configuration.secrets)
    }

    private func part(_ title: String, _ text: String) -> String { "===== \(title)\n\(text)" }

    /// The text without these.
    static func masked(_ text: String, secrets: [String]) -> String {
        // A longer one may begin with a shorter one.
        let long = secrets.filter { $0.count >= shortestSecret }
        // As JSON writes it, a secret may look otherwise.
        return Set(long + long.map { String(json($0).dropFirst().dropLast()) }).sorted { $0.count > $1.count }
            .reduce(text) { $0.replacing($1, with: "…") }
    }

    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "it cannot be written"
    }

    private static func system() -> String {
        let files = [
            "/etc/os-release", "/proc/version", "/proc/device-tree/model", "/proc/uptime", "/proc/loadavg",
            "/proc/meminfo",
        ]
        let disk = SystemConfigurationDisk()
        return files.map { path in
            let octets = (try? disk.read(path, limit: 64 << 10)) ?? nil
            return "\(path): " + (octets.map { String(decoding: $0, as: UTF8.self).replacing("\0", with: "") } ?? "–")
        }.joined(separator: "\n")
    }
}

extension GatewayConfiguration {
    /// What nobody may see.
    var secrets: [String] {
        ([mqtt.password, page.password] + sensors.flatMap { [$0.bindKey, $0.passkey] }).compactMap { $0?.revealed }
    }
}
