// SPDX-License-Identifier: Apache-2.0

import Readings

/// A report of `martlet update` to the running gateway.
package struct UpdateReport: Codable, Equatable, Sendable {
    package var state: ImageUpdate.State
    /// The version of the update; nil until known.
    package var version: String?
    /// 0…100.
    package var percentage: Int?
    /// The error of a failed update.
    package var error: String?

    package init(_ state: ImageUpdate.State, version: String? = nil, percentage: Int? = nil, error: String? = nil) {
        (self.state, self.version, self.percentage, self.error) = (state, version, percentage, error)
    }
}
