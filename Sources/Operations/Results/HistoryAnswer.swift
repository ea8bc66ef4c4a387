// SPDX-License-Identifier: Apache-2.0

import Publisher

/// The answer to `martlet buffer pause`, `resume` and `drain`.
package struct HistoryAnswer: Codable, Equatable, Sendable {
    package var mode: HistoryMode
    /// Readings on disk without an acknowledgement of the broker, live readings included.
    package var buffered: Int

    package init(mode: HistoryMode, buffered: Int) { (self.mode, self.buffered) = (mode, buffered) }
}
