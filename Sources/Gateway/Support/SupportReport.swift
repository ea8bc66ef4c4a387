// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Collector
import Configuration
import CoreBluetooth
import Foundation
import HCITransport
import Platform
import Publisher

/// All facts that a helper needs to find a gateway's fault, as one text, without secrets.
///
/// Each part is made without secrets. As a second defence, the report masks every secret of the configuration in the
/// whole text.
package struct SupportReport: Sendable {
    /// The title of the part from `martlet doctor`.
    package static let diagnosisTitle = "doctor"

    /// At most this many sensors are explained; the status has all.
    private static let maximumSensors = 64
    /// The flight recorder's last recordings, its present content included.
    private static let maximumRecordings = 2
    /// Octets of a recording: its newest packets.
    private static let recordingLength = 48 << 10
    /// Shorter secrets are not masked, because short texts also occur by chance.
    private static let shortestSecret = 4

    private let gateway: GatewayService

    init(_ gateway: GatewayService) { self.gateway = gateway }

    func text() async -> String {
        let operations = gateway.operations
        let status = await operations.status()
        var parts = [
            "Martlet \(GatewayVersion.current), \(gateway.configuration.gateway): for whoever helps. Passwords and keys are not in "
                + "it; names and addresses of devices are.",
            Self.part("system", Self.system()),
            Self.part("status", Self.json(status)),
        ]
        let shown = await gateway.shownConfiguration(hasComments: false)
        for file in shown.files {
            parts.append(Self.part("configuration \(file.path)", file.problem.map { "! \($0)" } ?? file.text))
        }
        if !shown.warnings.isEmpty {
            parts.append(Self.part("configuration, warnings", shown.warnings.joined(separator: "\n")))
        }
        for sensor in status.collector.sensors.prefix(Self.maximumSensors) {
            guard let explanation = try? await operations.explain(sensor.id) else { continue }
            parts.append(Self.part("why \(sensor.id)", Self.json(explanation)))
        }
        parts.append(Self.part("nearby devices", Self.json(await operations.heardSensors())))
        parts.append(Self.part("bonds", Self.json(await operations.bonds())))
        if let update = gateway.imageUpdate { parts.append(Self.part("update", Self.json(update))) }
        parts += await recordings()
        parts.append(
            Self.part("log", await operations.logTail(lines: LogRing.capacity).joined(separator: "\n")))
        return Self.masked(parts.joined(separator: "\n\n") + "\n", secrets: gateway.configuration.secrets)
    }

    /// The newest packets before a fault, and the present packets, as base64 text.
    private func recordings() async -> [String] {
        let found = await Waiting.answer(within: .seconds(5)) {
            (answer: @escaping @Sendable ([FlightRecording]) -> Void) in
            gateway.controller.askForFlightRecordings(answer)
        }
        return (found ?? []).suffix(Self.maximumRecordings).flatMap { recording in
            let when =
                recording.age == .zero ? "now" : "\(recording.age.wholeMilliseconds / 1_000) s ago: \(recording.reason)"
            let log = recording.log.isEmpty ? [] : [Self.part("log before that", recording.log.joined(separator: "\n"))]
            return [Self.recording(when, recording.file)] + log
        }
    }

    /// - Parameter when: Time and reason of the recording.
    static func recording(_ when: String, _ file: [UInt8]) -> String {
        let tail = FlightRing.tail(of: file, limit: recordingLength)
        return part(
            SupportRecordings.title + when,
            "the verb replay of this program reads this text, and base64 -d gives a file for btmon -r or Wireshark; values, names and addresses "
                + "are in it, keys are not\n"
                + Data(tail).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed]))
    }

    package static func part(_ title: String, _ text: String) -> String {
        "\(SupportRecordings.border)\(title)\n\(text)"
    }

    /// The text without these secrets.
    static func masked(_ text: String, secrets: [String]) -> String {
        // The longest secret is replaced first, because a longer secret may begin with a shorter one. The user of a URL
        // may be a password, also in an unknown key.
        let text = text.replacing(/:\/\/[^\/@\s"'<>]+@/, with: "://…@")
        let long = secrets.filter { $0.count >= shortestSecret }
        // A secret may look different in JSON.
        return Set(long + long.map { String(json($0).dropFirst().dropLast()) }).sorted { $0.count > $1.count }
            .reduce(text) { $0.replacing($1, with: "…") }
    }

    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "it cannot be written"
    }

    static func system() -> String {
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
    /// All secrets of the configuration.
    var secrets: [String] {
        ([mqtt.password, page.password, page.metricsToken, webhook.url, webhook.header]
            + sensors.flatMap { [$0.bindKey, $0.passkey] })
            .compactMap { $0?.revealed }
    }
}
