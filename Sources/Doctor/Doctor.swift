// SPDX-License-Identifier: Apache-2.0

import Configuration
import Gateway
import Health
import Journal
import Platform

/// Checks everything that a gateway needs, from the configuration to the broker, without changing anything. A running
/// gateway is asked, and the doctor touches neither its adapter nor its broker.
package struct Doctor: Sendable {
    /// A running gateway's answer, or why there is none.
    package enum Running: Sendable {
        case answers(GatewayStatus)
        /// No process answers at the socket; the reason.
        case silent(String)
    }

    let surroundings: Surroundings
    /// The configuration's file.
    let path: String
    /// The configuration, or its mistakes.
    let configuration: Result<GatewayConfiguration, ConfigurationError>
    let running: Running

    /// - Parameter configuration: The configuration as read by `martlet check-config`.
    package init(
        _ surroundings: Surroundings = Surroundings(), path: String,
        configuration: Result<GatewayConfiguration, ConfigurationError>, running: Running
    ) {
        (self.surroundings, self.path, self.configuration, self.running) = (surroundings, path, configuration, running)
    }

    /// The configuration for the checks; the default configuration in place of an invalid one.
    var settings: GatewayConfiguration {
        switch configuration {
        case .success(let configuration): configuration
        case .failure: GatewayConfiguration(gateway: "")
        }
    }

    var status: GatewayStatus? {
        if case .answers(let status) = running { status } else { nil }
    }

    /// Runs all checks, in the order of the report. Calls `progress` with each check's name before the check begins.
    package func diagnose(progress: (String) -> Void = { _ in }) -> Diagnosis {
        // The gateway's own file may name any file: root reads such files with the rights of the gateway's user.
        let (journal, state) = (settings.journal.path, settings.bluetooth.stateDirectory)
        let checks: [(String, String?, () -> [Finding])] = [
            ("machine", nil, machine), ("configuration", nil, configurationFindings), ("service", nil, service),
            ("adapter", nil, adapter), ("rights", nil, rights), ("rfkill", nil, switches),
            ("wi-fi", nil, wirelessNetwork), ("disk", journal, disk), ("clock", nil, clock), ("radio", nil, radio),
            ("certificates", state, certificates), ("broker", state, broker), ("sensors", nil, sensors),
            ("settings", nil, settled),
        ]
        let findings = checks.flatMap { name, place, check -> [Finding] in
            progress(name)
            guard let place else { return check() }
            do {
                return try PathOwner.run(at: surroundings.root + place, check)
            } catch {
                return [Finding(name, .unknown, "\(place): \(error)", "Ask as the gateway's user.")]
            }
        }
        let installation = Installation.here(configuration: path, surroundings)
        return Diagnosis(
            version: GatewayVersion.current, findings: findings.map { $0.shown(on: installation) })
    }
}
