// SPDX-License-Identifier: Apache-2.0

/// The name of a problem's second wording. Names never change.
package enum ProblemVariant: String, Sendable, CaseIterable {
    /// `radio-trouble`: the gateway has taken a step, or has failed to.
    case step
    /// `radio-silent`: links bring values, and the scan brings nothing.
    case scan
    /// `disk-fails`: no error, and readings wait.
    case stuck
    /// `disk-low`, `disk-full`: of the disk itself, not of the journal.
    case free
    /// `broker-unreachable`: the journal keeps the readings meanwhile.
    case kept
    /// `broker-unreachable`: no attempt has ended yet; with and without the journal.
    case early
    case earlyKept = "early-kept"
    /// `webhook-fails`, `history-paused`: a single event or reading waits.
    case single
    /// `certificate-invalid`: the file has no certificate.
    case empty
    /// `certificate-invalid`: the time of the certificate has not come.
    case notYet = "not-yet"
    /// `broker-refuses-readings`: the broker gave a reason.
    case reason
    /// `sensor-silent`: the usual interval is known.
    case usually
    /// `sensor-awaited`: devices like the entry's are in the air.
    case nearest
    /// `sensor-awaited`: nothing like the entry's device was heard.
    case unheard
}

/// The texts of a variant. For a text without a value, the row has the text.
package struct ProblemWording: Sendable {
    package var text: String?
    package var remedy: Advice?

    package init(text: String? = nil, remedy: Advice? = nil) { (self.text, self.remedy) = (text, remedy) }
}
