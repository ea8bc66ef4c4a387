// SPDX-License-Identifier: Apache-2.0

/// What a field of a reading is about. Its raw value is the key in payloads, exports and dead bands, and never changes.
///
/// Everything that goes with a quantity is said here, once: decoders, payloads, the command line and docs/decoders.md read
/// it. A new quantity is a case here and a row in ``details``.
package enum Quantity: String, CaseIterable, Sendable {
    case battery
    case energyExpended = "energy_expended"
    case heartRate = "heart_rate"
    case humidity
    case pressure
    case rrInterval = "rr_interval"
    case sensorContact = "sensor_contact"
    case temperature

    /// How values of a quantity follow on each other.
    package enum Kind: String, Sendable {
        /// Goes up and down.
        case measurement
        /// Only goes up, until the sensor begins at 0 again.
        case total
        /// 1 or 0.
        case binary
    }

    /// What is known of a quantity.
    package struct Details: Sendable {
        /// For people: `Heart rate`.
        package var name: String
        package var kind = Kind.measurement
        /// The unit of its numbers, always the same; nil for a count and for what has none.
        package var unit: String?
        /// Decimal places that are worth showing.
        package var precision = 0
        /// A value is a list of numbers, oldest first.
        package var isList = false
        /// The key of OpenMQTTGateway and Theengs; nil where it is ours.
        package var theengsKey: String?
        /// What Home Assistant calls such sensors; nil where it has no word for them.
        package var deviceClass: String?
    }

    package var details: Details {
        switch self {
        case .battery:
            Details(name: "Battery", unit: "%", theengsKey: "batt", deviceClass: "battery")
        case .energyExpended:
            Details(name: "Energy expended", kind: .total, unit: "kJ", deviceClass: "energy")
        case .heartRate:
            Details(name: "Heart rate", unit: "bpm")
        case .humidity:
            Details(name: "Humidity", unit: "%", precision: 1, theengsKey: "hum", deviceClass: "humidity")
        case .rrInterval:
            Details(name: "RR intervals", unit: "s", precision: 3, isList: true)
        case .pressure:
            Details(name: "Pressure", unit: "hPa", precision: 1, deviceClass: "atmospheric_pressure")
        case .sensorContact:
            Details(name: "Sensor contact", kind: .binary)
        case .temperature:
            Details(name: "Temperature", unit: "°C", precision: 1, theengsKey: "tempc", deviceClass: "temperature")
        }
    }
}
