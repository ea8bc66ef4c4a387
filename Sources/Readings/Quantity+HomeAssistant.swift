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
        switch self {
        case .volume: return "total"
        default: if !isAmount { return nil }
        }
        return switch details.kind {
        case .measurement: details.isList ? nil : "measurement"
        case .total: "total_increasing"
        case .binary, .event, .text: nil
        }
    }

    /// The quantity describes the sensor, not a measurement.
    package var isDiagnostic: Bool {
        switch self {
        case .battery, .batteryLow, .voltage, .calibrating: true
        default: isOffByDefault
        }
    }

    /// Few users want this quantity: Home Assistant lists it, and shows it on request.
    package var isOffByDefault: Bool {
        switch self {
        case .sequence, .uptime, .channel, .timestamp, .deviceType, .firmwareVersion, .sampleAge, .sampleInterval,
            .settingsRevision, .txPower, .advertisementCount, .levelQuality, .movementCounter, .crankEventTime,
            .wheelEventTime:
            true
        default: false
        }
    }

    /// The names of an event that decoders know.
    package var eventTypes: [String] {
        switch self {
        case .button:
            [
                "press", "double_press", "triple_press", "long_press", "long_double_press", "long_triple_press",
                "hold_press", "hold_release",
            ]
        case .dimmer: ["rotate_left", "rotate_right"]
        case .command: ["off", "on", "toggle", "step_up", "step_down"]
        default: []
        }
    }
}
