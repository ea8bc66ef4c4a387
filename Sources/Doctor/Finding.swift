// SPDX-License-Identifier: Apache-2.0

/// What one check has found, and what to do about it.
package struct Finding: Codable, Equatable, Sendable {
    package enum Verdict: String, Codable, CaseIterable, Sendable {
        case fine
        /// Worth knowing; nothing has to be done.
        case note
        /// It works, and will not for ever, or not well.
        case warning
        /// It keeps the gateway from its work.
        case failure
        /// It could not be found out.
        case unknown
    }

    /// What was looked at: `configuration`, `service`, `adapter`…
    package var check: String
    package var verdict: Verdict
    /// A sentence without its full stop.
    package var found: String
    /// What to do, with the command to type; nil where nothing has to be done.
    package var remedy: String?

    package init(_ check: String, _ verdict: Verdict, _ found: String, _ remedy: String? = nil) {
        (self.check, self.verdict, self.found, self.remedy) = (check, verdict, found, remedy)
    }
}

/// What `martlet doctor` has found.
package struct Diagnosis: Codable, Equatable, Sendable {
    package var version: String
    package var findings: [Finding]
    /// Nothing keeps the gateway from its work.
    package var isHealthy: Bool

    package init(version: String, findings: [Finding]) {
        (self.version, self.findings) = (version, findings)
        isHealthy = !findings.contains { $0.verdict == .failure }
    }
}
