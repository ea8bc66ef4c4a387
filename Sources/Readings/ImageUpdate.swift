// SPDX-License-Identifier: Apache-2.0

/// An update of the flashed image, for Home Assistant and the page.
package struct ImageUpdate: Codable, Hashable, Sendable {
    package enum State: String, Codable, CaseIterable, Sendable {
        /// Nothing is done.
        case idle
        /// The update is being read and judged.
        case checking
        case installing
        /// The update starts with the next restart.
        case installed
        /// The last update was not installed.
        case failed
    }

    package var state = State.idle
    /// The running version.
    package var installed: String
    /// The last seen version; nil before the first.
    package var available: String?
    /// 0…1; nil while unknown.
    package var progress: Double?
    /// Why the last update was not installed.
    package var error: String?

    package init(installed: String) { self.installed = installed }

    package var isUnderway: Bool { state == .checking || state == .installing }
}
