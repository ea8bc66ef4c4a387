// SPDX-License-Identifier: Apache-2.0

/// Facts about a quantity for Home Assistant, beside the device class.
extension Quantity {
    /// The kind of entity for a quantity; nil: none. Home Assistant has no entity for a list of numbers.
    package var homeAssistantPlatform: String? {
        if details.isList || self == .dimmerSteps { return nil }
        return switch details.kind {
        case .measurement, .total, .text: "sensor"
        case .binary: "binary_sensor"
        case .event: "event"
        }
    }

    /// For long-term statistics; nil if numbers are no amounts. Home Assistant adds up totals, and refuses
    /// `measurement` for a device class of totals.
    package var stateClass: String? {
        guard self != .volume else { return "total" }
        guard details.isAmount else { return nil }
        return switch details.kind {
        case .measurement: details.isList ? nil : "measurement"
        case .total: "total_increasing"
        case .binary, .event, .text: nil
        }
    }

    /// The quantity describes the sensor, not a measurement.
    package var isDiagnostic: Bool { details.use != .measurement }

    /// Few users want this quantity: Home Assistant lists it, and shows it on request.
    package var isOffByDefault: Bool { details.use == .hidden }

    /// The names of an event that decoders know.
    package var eventTypes: [String] { details.events.split(separator: " ").map(String.init) }
}
