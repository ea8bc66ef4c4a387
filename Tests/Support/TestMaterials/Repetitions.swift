// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How often tests of repeated work repeat it.
package enum Repetitions {
    /// The number of MARTLET_REPETITIONS; nil without the variable.
    package static let asked = ProcessInfo.processInfo.environment["MARTLET_REPETITIONS"].flatMap { Int($0) }
}
