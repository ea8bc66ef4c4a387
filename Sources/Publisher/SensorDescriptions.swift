// SPDX-License-Identifier: Apache-2.0

import Readings

/// Descriptions of sensors, and the pacing of their values; a value.
struct SensorDescriptions {
    /// For sensors without settings of their own.
    private let pacing: LivePacing
    private var descriptions: [String: SensorDescription] = [:]
    /// By the journal's number of the device; unknown so far if missing.
    private var pacings: [Int64: LivePacing] = [:]
    /// Some sensor has pacing.
    private var isPacing: Bool

    init(_ pacing: LivePacing) {
        self.pacing = pacing
        isPacing = pacing.isActive
    }

    subscript(device: String) -> SensorDescription? { descriptions[device] }

    /// - Returns: Whether the description has changed.
    mutating func take(_ description: SensorDescription, of device: String) -> Bool {
        guard descriptions[device] != description else { return false }
        descriptions[device] = description
        pacings.removeAll(keepingCapacity: true)
        isPacing = pacing.isActive || descriptions.values.contains { $0.pacing != LivePacingRule() }
        return true
    }

    /// Nil if no sensor has pacing.
    mutating func pacing(of device: Int64, from rows: any DeliveryRows) -> LivePacing? {
        guard isPacing else { return nil }
        if let known = pacings[device] { return known }
        guard let name = try? rows.deviceName(device) else { return pacing }
        let own = (descriptions[name]?.pacing ?? LivePacingRule()).applied(to: pacing)
        pacings[device] = own
        return own
    }
}
