// SPDX-License-Identifier: Apache-2.0

import Gateway
import Journal
import Platform

/// Looks at everything that a gateway needs, from the configuration to the broker, without changing anything: a gateway that runs
/// is asked, and neither its adapter nor its broker is touched.
package struct Doctor: Sendable {
    /// What a running gateway has said; nil where none answers.
    package enum Running: Sendable {
        case answers(GatewayStatus)
        /// Nobody answers at the socket; the reason.
        case silent(String)
    }

    let surroundings: Surroundings
    /// The configuration's file.
    let path: String
    /// What it says, or why it cannot be taken.
    let configuration: Result<GatewayConfiguration, ConfigurationError>
    let running: Running

    /// - Parameter configuration: As `martlet check-config` reads it.
    package init(
        _ surroundings: Surroundings = Surroundings(), path: String,
        configuration: Result<GatewayConfiguration, ConfigurationError>, running: Running
    ) {
        (self.surroundings, self.path, self.configuration, self.running) = (surroundings, path, configuration, running)
    }

    /// What the checks go by: the configuration, or what is the default where that cannot be taken.
    var settings: GatewayConfiguration {
        switch configuration {
        case .success(let configuration): configuration
        case .failure: GatewayConfiguration(gateway: "")
        }
    }

    var status: GatewayStatus? {
        if case .answers(let status) = running { status } else { nil }
    }

    /// The names of the checks, in the order in which they are made and shown; `progress` hears each before it begins.
    package func diagnose(progress: (String) -> Void = { _ in }) -> Diagnosis {
        // What the gateway has written itself may name any file: root looks there with the rights of the gateway's user.
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
        return Diagnosis(version: GatewayVersion.current, findings: findings)
    }
}
