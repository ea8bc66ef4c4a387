// SPDX-License-Identifier: Apache-2.0

import Health

/// The result of a check, with advice.
package struct Finding: Codable, Equatable, Sendable {
    package enum Verdict: String, Codable, CaseIterable, Sendable {
        case fine
        /// Worth knowing; needs no action.
        case note
        /// The gateway works, but not for ever, or not well.
        case warning
        /// The gateway cannot work.
        case failure
        /// The check could not find out.
        case unknown
    }

    /// The checked part: `configuration`, `service`, `adapter`…
    package var check: String
    package var verdict: Verdict
    /// A sentence without a full stop.
    package var found: String
    /// Advice, with the command to type; nil if none is needed.
    package private(set) var remedy: String?
    /// The advice as a value; nil if none is needed, and for a finding that was read.
    package private(set) var advice: Advice?

    private enum CodingKeys: String, CodingKey { case check, verdict, found, remedy }

    package init(_ check: String, _ verdict: Verdict, _ found: String, _ advice: Advice? = nil) {
        (self.check, self.verdict, self.found, self.advice) = (check, verdict, found, advice)
        remedy = advice?.text(on: .package)
    }

    /// The finding with the commands of an installation.
    func shown(on installation: Installation) -> Finding {
        var finding = self
        finding.remedy = advice?.text(on: installation) ?? remedy
        return finding
    }
}

/// The findings of `martlet doctor`.
package struct Diagnosis: Codable, Equatable, Sendable {
    package var version: String
    package var findings: [Finding]
    /// No failure among the findings.
    package var isHealthy: Bool

    package init(version: String, findings: [Finding]) {
        (self.version, self.findings) = (version, findings)
        isHealthy = !findings.contains { $0.verdict == .failure }
    }
}
