// SPDX-License-Identifier: Apache-2.0

import HCI

/// Advertising data or scan response data of one set, which a host hands over whole or in pieces; a value.
struct AdvertisingPayload {
    /// Octets that legacy advertising can send.
    static let legacyLimit = 31

    private(set) var octets: [UInt8] = []
    /// The pieces so far, while more pieces must come.
    private var partial: [UInt8]?

    /// More pieces must come before the set may be enabled.
    var isUnfinished: Bool { partial != nil }

    init(_ octets: [UInt8] = []) { self.octets = octets }

    /// Carries out one command of the host. Core 5.4, Vol 4, Part E, 7.8.54.
    ///
    /// - Parameters:
    ///   - operation: 0 a piece, 1 the first, 2 the last, 3 all, 4 the unchanged data.
    ///   - limit: Octets that the controller keeps of an extended set.
    mutating func append(
        _ data: ArraySlice<UInt8>, operation: UInt8, isEnabled: Bool, isLegacy: Bool, limit: Int
    ) throws(HCIStatus) {
        switch operation {
        case 3: octets = Array(data)
        case 4:
            guard isEnabled, data.isEmpty, !isLegacy else { throw .invalidCommandParameters }
        default:
            guard !isEnabled else { throw .commandDisallowed }
            guard !data.isEmpty, !isLegacy, let start = operation == 1 ? [] : partial else {
                throw .invalidCommandParameters
            }
            partial = start + data
            if operation == 2 {
                octets = start + data
                partial = nil
            }
        }
        guard max(octets.count, partial?.count ?? 0) <= (isLegacy ? Self.legacyLimit : limit) else {
            throw isLegacy ? .invalidCommandParameters : .memoryCapacityExceeded
        }
    }
}
