// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Temperature Measurement, 0x2A1C. Health Thermometer Service 1.0, 3.1.
///
/// The thermometer's own time of day, if sent, is left out, because it has no time zone. Readings carry the time of
/// their reception.
enum TemperatureMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A1C
    static let name = "Temperature Measurement"
    static let quantities: [Quantity] = [.temperature]

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let fahrenheit = Flags(rawValue: 1 << 0)
        static let timeStamp = Flags(rawValue: 1 << 1)
        static let temperatureType = Flags(rawValue: 1 << 2)
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = Flags(rawValue: try reader.u8("flags"))
        let number = MedicalFloat(rawValue: try reader.u32("temperature"))
        if flags.contains(.timeStamp) { _ = try reader.bytes(7, "timeStamp") }
        if flags.contains(.temperatureType) { _ = try reader.u8("temperatureType") }
        try reader.finish()
        guard !number.isSpecial else { return [] }
        guard let sent = number.decimal(exponents: -9...3) else { throw .invalid(field: "temperature") }
        return [Field(.temperature, .decimal(flags.contains(.fahrenheit) ? celsius(fromFahrenheit: sent) : sent))]
    }

    /// (F − 32) × 5 ÷ 9 with one decimal place more than sent, rounded half away from zero.
    private static func celsius(fromFahrenheit sent: Field.Decimal) -> Field.Decimal {
        // At most 24 bits of mantissa times 10^4, and 32 times 10^10: far within 64 bits.
        let one = (0...sent.places).reduce(Int64(1)) { product, _ in product * 10 }
        let ninths = (sent.mantissa * 10 - 32 * one) * 5
        return Field.Decimal(mantissa: (ninths * 2 + (ninths < 0 ? -9 : 9)) / 18, places: sent.places + 1)
    }
}

/// Intermediate Temperature, 0x2A1E: the temperature during a measurement. Health Thermometer Service 1.0, 3.3.
enum IntermediateTemperatureDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A1E
    static let name = "Intermediate Temperature"
    static let quantities = TemperatureMeasurementDecoder.quantities

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try TemperatureMeasurementDecoder.decode(value)
    }
}
