// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Configuration
import Platform

/// A report on a gateway that does not run, as one text without secrets. The report has the gateway's files, the
/// doctor's findings and the log.
package struct OfflineSupportReport: Sendable {
    /// The configuration's file.
    private let path: String
    private let configuration: GatewayConfiguration?
    /// Octets; the flight recorder's files are shorter.
    private static let recordingLimit = 64 << 20

    /// - Parameter configuration: Nil for an invalid configuration.
    package init(path: String, configuration: GatewayConfiguration?) {
        (self.path, self.configuration) = (path, configuration)
    }

    /// - Parameters:
    ///   - reason: Why the gateway is not asked.
    ///   - diagnosis: The doctor's findings.
    ///   - log: The newest lines of the service's log; nil without a log.
    package func text(reason: String, diagnosis: String, log: String?) -> String {
        var parts = [
            "Martlet \(GatewayVersion.current), which does not run (\(reason)): for whoever helps. Passwords and keys are not in it; "
                + "names and addresses of devices are.",
            SupportReport.part(SupportReport.diagnosisTitle, diagnosis),
            SupportReport.part("system", SupportReport.system()),
        ]
        for path in [path] + GatewayConfiguration.filesBeside(path).files {
            let file = ShownConfiguration.File(path, GatewayConfiguration.contents(of: path), hasComments: false)
            parts.append(SupportReport.part("configuration \(file.path)", file.problem.map { "! \($0)" } ?? file.text))
        }
        parts += recordings()
        if let warnings = warnings() { parts.append(SupportReport.part("warnings", warnings)) }
        parts.append(SupportReport.part("log", log ?? "the service manager keeps none, or does not show it"))
        return SupportReport.masked(parts.joined(separator: "\n\n") + "\n", secrets: configuration?.secrets ?? [])
    }

    /// The newest warnings that the gateway has kept; nil: none.
    private func warnings() -> String? {
        guard let folder = configuration?.bluetooth.stateDirectory else { return nil }
        let lines = (try? PathOwner.run(at: folder) { WarningFile.lines(in: folder) }) ?? []
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The newest file of the flight recorder.
    private func recordings() -> [String] {
        guard let folder = configuration.map({ $0.bluetooth.stateDirectory + "/flight" }) else { return [] }
        let found = try? PathOwner.run(at: folder) { () -> (name: String, octets: [UInt8])? in
            guard let newest = FlightFolder.newest(in: folder) else { return nil }
            let octets = try SystemConfigurationDisk().read("\(folder)/\(newest)", limit: Self.recordingLimit)
            return octets.map { (newest, $0) }
        }
        guard let recording = found ?? nil else { return [] }
        return [SupportReport.recording(recording.name, recording.octets)]
    }
}
