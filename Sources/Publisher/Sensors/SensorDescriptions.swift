// SPDX-License-Identifier: Apache-2.0

import Readings

/// The facts of the table of sensors beside values, and how far the publisher keeps values back for the facts.
struct SensorDescriptions {
    /// For sensors without settings of their own.
    private let pacing: LivePacing
    private let table: SensorTable
    /// By the journal's number of the device; what is not here is not known yet.
    private var pacings: [Int64: LivePacing] = [:]
    /// Some sensor has pacing.
    private var isPacing: Bool

    init(_ pacing: LivePacing, _ table: SensorTable) {
        self.pacing = pacing
        self.table = table
        isPacing = Self.isPacing(pacing, table)
    }

    subscript(device: String) -> SensorDescription? { table[device]?.description }

    /// The operator's label of a sensor, else the sensor's own name.
    func name(of device: String) -> String? { table.facts(of: device).label ?? self[device]?.name }

    /// Some sensor is described otherwise than before.
    mutating func changed() {
        pacings.removeAll(keepingCapacity: true)
        isPacing = Self.isPacing(pacing, table)
    }

    private static func isPacing(_ pacing: LivePacing, _ table: SensorTable) -> Bool {
        pacing.isActive || table.contains { $0.pacing != LivePacingRule() }
    }

    /// Nil if no sensor has pacing.
    mutating func pacing(of device: Int64, from rows: any DeliveryRows) -> LivePacing? {
        guard isPacing else { return nil }
        if let known = pacings[device] { return known }
        guard let name = try? rows.deviceName(device) else { return pacing }
        let own = (self[name]?.pacing ?? LivePacingRule()).applied(to: pacing)
        pacings[device] = own
        return own
    }
}
