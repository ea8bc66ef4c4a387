// SPDX-License-Identifier: Apache-2.0

/// The length of the page's charts.
package enum ChartRange: String, CaseIterable, Decodable, Sendable {
    case hour = "1h"
    case day = "1d"
    case week = "7d"
    case month = "31d"
}
