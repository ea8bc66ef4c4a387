// SPDX-License-Identifier: Apache-2.0

/// A device's means to show values to its user, and to let the user enter them. Core 5.4, Vol 3, Part H, 2.3.2 and
/// 3.5.1.
package enum IOCapability: UInt8, CaseIterable, Codable, Sendable {
    case displayOnly = 0
    case displayYesNo = 1
    case keyboardOnly = 2
    case noInputNoOutput = 3
    case keyboardDisplay = 4
}
