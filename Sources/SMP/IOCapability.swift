// SPDX-License-Identifier: Apache-2.0

/// What a device can show its user and take in from them. Core 5.4, Vol 3, Part H, 2.3.2 and 3.5.1.
package enum IOCapability: UInt8, CaseIterable, Codable, Sendable {
    case displayOnly = 0
    case displayYesNo = 1
    case keyboardOnly = 2
    case noInputNoOutput = 3
    case keyboardDisplay = 4
}
