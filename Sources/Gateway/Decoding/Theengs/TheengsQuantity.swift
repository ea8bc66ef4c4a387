// SPDX-License-Identifier: Apache-2.0

import Readings

/// The quantities behind the names of Theengs Decoder, and their units.
enum TheengsQuantity {
    private static let names: [String: Quantity] = [
        "open": .opening, "motion": .motion, "lowbatt": .batteryLow, "state": .text, "weight": .weight,
        "impedance": .impedance, "status": .text, "presence": .presence, "power": .power, "current": .current,
        "act_bpm": .heartRate, "lvl_cm": .liquidLevel, "litres": .volume, "seconds": .duration, "tx": .txPower,
        "tempc2_dp": .dewpoint, "x_axis": .accelerationX, "y_axis": .accelerationY, "z_axis": .accelerationZ,
        "alarm": .problem, "tempf": .temperature,
    ]
    /// How many of our units one of theirs is.
    private static let factors: [String: [String: Double]] = [
        "hPa": ["bar": 1_000, "kPa": 10, "Pa": 0.01], "kg": ["g": 0.001, "lb": 0.45359237], "m": ["cm": 0.01],
    ]
    /// Their other spellings of our units.
    private static let spellings = ["lux": "lx", "SG": "", "0": "°", "μg/m³": "µg/m³", "ohm": "Ω"]
    private static let unitless = ["int", "status", "string", "hex", ""]

    /// The quantity of a name, and its number among several.
    static func named(_ name: String) -> (Quantity, Int?)? {
        if let found = alone(name) { return (found, nil) }
        let digits = name.reversed().prefix { $0.isNumber }.reversed()
        guard !digits.isEmpty, let number = Int(String(digits)), (1...64).contains(number),
            let found = alone(String(name.dropLast(digits.count)))
        else { return nil }
        return (found, number)
    }

    /// The factor that brings a value to the quantity's unit; nil for 1. Throws if the units cannot be brought together.
    static func factor(_ name: String, _ unit: String?, _ quantity: Quantity) throws(TheengsError) -> Double? {
        let ours = quantity.details.unit ?? ""
        guard let theirs = unit ?? (name == "lvl_cm" ? "cm" : nil) else { return nil }
        let spelled = spellings[theirs] ?? theirs
        if spelled == ours || ours.isEmpty && unitless.contains(spelled) { return nil }
        guard let factor = factors[ours]?[spelled] else {
            throw TheengsError("whose unit \(theirs) is not \(ours.isEmpty ? "that of \(quantity.key)" : ours)")
        }
        return factor
    }

    private static func alone(_ name: String) -> Quantity? {
        if let found = names[name] ?? Quantity(key: name), !found.details.isList { return found }
        return Quantity.allCases.first { $0.details.theengsKey == name && !$0.details.isList }
    }
}
