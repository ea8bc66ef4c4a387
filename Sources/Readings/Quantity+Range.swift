// SPDX-License-Identifier: Apache-2.0

extension Quantity {
    /// What a value can be at all, in the quantity's unit; nil where nothing is ruled out. What a sensor of its kind can
    /// measure may be less: that is the family's to know.
    package var physicalRange: ClosedRange<Double>? {
        switch self {
        // From absolute zero to more than any thermocouple bears; beyond that are marks of broken probes.
        case .temperature, .dewpoint, .alarmTemperature, .targetTemperature, .heatIndex, .windChill, .bodyTemperature:
            -273.15...2_000
        case .battery, .humidity, .moisture, .consumable, .position: 0...100
        // The power that is radiated, or measured at one metre: beacons with more keep something else there.
        case .txPower: -127...20
        default: nil
        }
    }
}

extension Field {
    /// Its number is one that the quantity can have.
    package var isPossible: Bool {
        guard let range = quantity.physicalRange, let number = value.number else { return true }
        return range.contains(number)
    }
}
