// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The number of rounds in tests of repeated work.
package enum Repetitions {
    /// The number of MARTLET_REPETITIONS; nil without the variable.
    package static let asked = ProcessInfo.processInfo.environment["MARTLET_REPETITIONS"].flatMap { Int($0) }

    /// The rounds of a test: `full` with the release's programs, a fifth in a debug build, whose reader waits for each change.
    package static func rounds(_ full: Int) -> Int {
        #if DEBUG
            asked ?? full / 5
        #else
            asked ?? full
        #endif
    }
}
