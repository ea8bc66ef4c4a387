// SPDX-License-Identifier: Apache-2.0

import Readings

/// What is known of sensors beside their values, and how far their values are kept back for it; a value.
struct SensorDescriptions {
    /// For sensors that say nothing else.
    private let pacing: LivePacing
    private var descriptions: [String: SensorDescription] = [:]
    /// By the journal's number of the device; what is not here is not known yet.
    private var pacings: [Int64: LivePacing] = [:]
    /// Some sensor's values are kept back.
    private var isPacing: Bool

    init(_ pacing: LivePacing) {
        self.pacing = pacing
        isPacing = pacing.isActive
    }

    subscript(device: String) -> SensorDescription? { descriptions[device] }

    /// - Returns: Whether it differs from what is known.
    mutating func take(_ description: SensorDescription, of device: String) -> Bool {
        guard descriptions[device] != description else { return false }
        descriptions[device] = description
        pacings.removeAll(keepingCapacity: true)
        isPacing = pacing.isActive || descriptions.values.contains { $0.pacing != LivePacingRule() }
        return true
    }

    /// Nil where nothing is ever kept back.
    mutating func pacing(of device: Int64, from rows: any DeliveryRows) -> LivePacing? {
        guard isPacing else { return nil }
        if let known = pacings[device] { return known }
        guard let name = try? rows.deviceName(device) else { return pacing }
        let own = (descriptions[name]?.pacing ?? LivePacingRule()).applied(to: pacing)
        pacings[device] = own
        return own
    }
}
