// SPDX-License-Identifier: Apache-2.0

/// An update of the flashed image, as Home Assistant and the page are told of it.
package struct ImageUpdate: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable {
        /// Nothing is done.
        case idle
        /// It is being read and judged.
        case checking
        case installing
        /// It starts with the next restart.
        case installed
        /// The last one was not installed.
        case failed
    }

    package var state = State.idle
    /// The version that runs.
    package var installed: String
    /// The version that was seen last; nil while there was none.
    package var available: String?
    /// 0…1; nil while it is not known.
    package var progress: Double?
    /// Why the last one was not installed.
    package var error: String?

    package init(installed: String) { self.installed = installed }

    package var isUnderway: Bool { state == .checking || state == .installing }
}
