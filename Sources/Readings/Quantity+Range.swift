// SPDX-License-Identifier: Apache-2.0

extension Quantity {
    /// The range of physically possible values, in the quantity's unit; nil: any value. The range of a sensor may be
    /// smaller; its family knows this range.
    package var physicalRange: ClosedRange<Double>? {
        switch self {
        // From absolute zero to more than any thermocouple bears. Values beyond mark broken probes.
        case .temperature, .dewpoint, .alarmTemperature, .targetTemperature, .heatIndex, .windChill, .bodyTemperature:
            -273.15...2_000
        case .battery, .humidity, .moisture, .consumable, .position: 0...100
        // The radiated power, or the power measured at one metre. Beacons with more use the octet for something else.
        case .txPower: -127...20
        default: nil
        }
    }
}

extension Field {
    /// The field's number lies in the quantity's range.
    package var isPossible: Bool {
        guard let range = quantity.physicalRange, let number = value.number else { return true }
        return range.contains(number)
    }
}
