// SPDX-License-Identifier: Apache-2.0

import Readings

/// What `martlet update` tells a running gateway of what it does.
package struct UpdateReport: Codable, Equatable, Sendable {
    package var state: ImageUpdate.State
    /// The version of the update, once it is known.
    package var version: String?
    /// 0…100.
    package var percentage: Int?
    /// Of one that failed.
    package var error: String?

    package init(_ state: ImageUpdate.State, version: String? = nil, percentage: Int? = nil, error: String? = nil) {
        (self.state, self.version, self.percentage, self.error) = (state, version, percentage, error)
    }
}
