// SPDX-License-Identifier: Apache-2.0

/// What Home Assistant is told of a quantity beside its device class.
extension Quantity {
    /// What kind of entity a quantity becomes; nil for those that are none: Home Assistant has no word for a list of numbers.
    package var homeAssistantPlatform: String? {
        if details.isList || self == .dimmerSteps { return nil }
        return switch details.kind {
        case .measurement, .total, .text: "sensor"
        case .binary: "binary_sensor"
        case .event: "event"
        }
    }

    /// For long-term statistics; nil where numbers are no amounts. Home Assistant adds up what is a total, and takes no
    /// `measurement` of a device class that is one.
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

    /// It tells how the sensor is, not what it measures.
    package var isDiagnostic: Bool {
        switch self {
        case .battery, .batteryLow, .voltage, .calibrating: true
        default: isOffByDefault
        }
    }

    /// Few want to see it: Home Assistant lists it, and shows it when asked.
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
