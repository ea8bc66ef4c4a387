// SPDX-License-Identifier: Apache-2.0

import Publisher

/// What `martlet buffer pause`, `resume` and `drain` are answered with.
package struct HistoryAnswer: Codable, Equatable, Sendable {
    package var mode: HistoryMode
    /// Readings on disk that the broker has not acknowledged, live ones among them.
    package var buffered: Int
}
