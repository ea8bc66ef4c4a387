// SPDX-License-Identifier: Apache-2.0

/// Times in sentences, in a single unit: `2 s`, `14 min`, `3 h`, `5 d`.
package enum SpokenTime {
    /// `milliseconds`: negative counts as 0.
    package static func of(_ milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1_000: "less than 1 s"
        case ..<120_000: "\(milliseconds / 1_000) s"
        case ..<7_200_000: "\(milliseconds / 60_000) min"
        case ..<172_800_000: "\(milliseconds / 3_600_000) h"
        default: "\(milliseconds / 86_400_000) d"
        }
    }
}
