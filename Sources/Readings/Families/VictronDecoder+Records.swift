// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The records, field by field. Nothing authenticates the records, so a packet with impossible values is dropped.
extension VictronDecoder {
    static func solarCharger(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try stateAndError(&bits)
        fields += try battery(.voltage, bits.signed(16))
        fields += try decimal(.current, bits.signed(16), 1, within: -5_000...5_000)
        if let yield = try bits.unsigned(16) { fields.append(.int(.yieldToday, yield * 10)) }
        fields += try integer(.power, bits.unsigned(16))
        fields += try decimal(.loadCurrent, bits.unsigned(9), 1)
        return fields
    }

    static func batteryMonitor(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try remaining(&bits)
        fields += try battery(.voltage, bits.signed(16))
        fields.append(.int(.alarmCode, try bits.raw(16)))
        fields += try auxiliary(&bits)
        fields += try milliamperes(&bits)
        fields += try consumed(&bits)
        fields += try charge(&bits)
        return fields
    }

    static func inverter(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try state(&bits)
        fields.append(.int(.alarmCode, try bits.raw(16)))
        fields += try battery(.voltage, bits.signed(16))
        fields += try integer(.apparentPower, bits.unsigned(16))
        fields += try decimal(.acVoltage, bits.unsigned(15), 2)
        fields += try decimal(.acCurrent, bits.unsigned(11), 1)
        return fields
    }

    static func converter(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try stateAndError(&bits)
        fields += try battery(.inputVoltage, bits.unsigned(16))
        fields += try battery(.voltage, bits.signed(16))
        fields.append(.int(.offReason, try bits.raw(32)))
        return fields
    }

    static func lithium(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields: [Field] = [.int(.alarmCode, try bits.raw(32)), .int(.errorCode, try bits.raw(16))]
        for cell in UInt8(1)...8 {
            // 0 is any voltage below the range, 0x7E any voltage above.
            if let code = try bits.unsigned(7), (1..<0x7E).contains(code) {
                fields.append(
                    Field(.cellVoltage, .decimal(Field.Decimal(mantissa: code + 260, places: 2)), index: cell))
            }
        }
        fields += try decimal(.voltage, bits.unsigned(12), 2)
        _ = try bits.raw(4)
        fields += try temperature(&bits)
        return fields
    }

    static func charger(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try stateAndError(&bits)
        for output in UInt8(1)...3 {
            if let voltage = try bits.unsigned(13) {
                fields.append(Field(.voltage, .decimal(Field.Decimal(mantissa: voltage, places: 2)), index: output))
            }
            if let current = try bits.unsigned(11) {
                fields.append(Field(.current, .decimal(Field.Decimal(mantissa: current, places: 1)), index: output))
            }
        }
        fields += try temperature(&bits)
        fields += try decimal(.acCurrent, bits.unsigned(9), 1)
        return fields
    }

    static func protect(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try state(&bits)
        switch try bits.raw(8) {
        case 1: fields.append(.binary(.powerOn, true))
        case 0, 4: fields.append(.binary(.powerOn, false))
        case 0xFF: break
        default: throw .invalid(field: "output")
        }
        fields += try error(&bits)
        fields.append(.int(.alarmCode, try bits.raw(16)))
        fields.append(.int(.warningCode, try bits.raw(16)))
        fields += try battery(.inputVoltage, bits.signed(16))
        fields += try battery(.voltage, bits.unsigned(16))
        fields.append(.int(.offReason, try bits.raw(32)))
        return fields
    }

    static func lynx(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields: [Field] = [.int(.errorCode, try bits.raw(8))]
        fields += try remaining(&bits)
        fields += try battery(.voltage, bits.signed(16))
        fields += try decimal(.current, bits.signed(16), 1, within: -20_000...20_000)
        _ = try bits.raw(16)
        fields.append(.int(.alarmCode, try bits.raw(18)))
        fields += try charge(&bits)
        fields += try consumed(&bits)
        fields += try temperature(&bits)
        return fields
    }

    static func multi(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try stateAndError(&bits)
        fields += try decimal(.current, bits.signed(16), 1, within: -5_000...5_000)
        fields += try battery(.voltage, bits.unsigned(14))
        fields += try acInput(&bits)
        fields += try integer(.acInputPower, bits.signed(16))
        fields += try integer(.acPower, bits.signed(16))
        fields += try integer(.power, bits.unsigned(16))
        if let yield = try bits.unsigned(16) { fields.append(.int(.yieldToday, yield * 10)) }
        return fields
    }

    static func veBus(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try state(&bits)
        fields += try integer(.errorCode, bits.unsigned(8))
        fields += try decimal(.current, bits.signed(16), 1, within: -20_000...20_000)
        fields += try battery(.voltage, bits.unsigned(14))
        fields += try acInput(&bits)
        fields += try integer(.acInputPower, bits.signed(19))
        fields += try integer(.acPower, bits.signed(19))
        fields += try integer(.alarmCode, bits.unsigned(2))
        fields += try temperature(&bits)
        if let percent = try bits.unsigned(7) {
            guard percent <= 100 else { throw .invalid(field: "charge") }
            fields.append(.int(.stateOfCharge, percent))
        }
        return fields
    }

    static func meter(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        let type = try bits.raw(16)
        var fields: [Field] = [.int(.deviceType, Int64(Int16(truncatingIfNeeded: type)))]
        fields += try battery(.voltage, bits.signed(16))
        fields.append(.int(.alarmCode, try bits.raw(16)))
        fields += try auxiliary(&bits)
        fields += try milliamperes(&bits)
        return fields
    }

    static func orion(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        var fields = try stateAndError(&bits)
        fields += try battery(.voltage, bits.unsigned(16))
        fields += try decimal(.current, bits.unsigned(16), 1, within: 0...5_000)
        fields += try battery(.inputVoltage, bits.unsigned(16))
        fields += try decimal(.inputCurrent, bits.unsigned(16), 1, within: 0...5_000)
        fields.append(.int(.offReason, try bits.raw(32)))
        return fields
    }

    // MARK: - Fields shared by records

    private static let states: [Int64: String] = [
        0: "off", 1: "low_power", 2: "fault", 3: "bulk", 4: "absorption", 5: "float", 6: "storage", 7: "equalize",
        8: "pass_through", 9: "inverting", 10: "assisting", 11: "power_supply", 244: "sustain", 245: "starting_up",
        246: "repeated_absorption", 247: "recondition", 248: "battery_safe", 249: "active", 252: "external_control",
    ]

    private static func state(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        guard let code = try bits.unsigned(8) else { return [] }
        guard let name = states[code] else { throw .invalid(field: "state") }
        return [.text(.chargerState, name)]
    }

    /// Victron's number of an error. Victron's manuals and site explain each number.
    private static func error(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        guard let code = try bits.unsigned(8) else { return [] }
        return [.text(.chargerError, code == 0 ? "none" : "error_\(code)")]
    }

    private static func stateAndError(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        try state(&bits) + error(&bits)
    }

    private static func acInput(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        switch try bits.raw(2) {
        case 0: [.text(.acInput, "ac_in_1")]
        case 1: [.text(.acInput, "ac_in_2")]
        case 2: [.text(.acInput, "not_connected")]
        default: []
        }
    }

    private static func remaining(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        try bits.unsigned(16).map { [.int(.remainingTime, $0 * 60)] } ?? []
    }

    /// A starter battery's voltage, a midpoint's voltage, a temperature or nothing, by the two bits after the value.
    private static func auxiliary(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        let value = try bits.raw(16)
        switch try bits.raw(2) {
        case 0 where value != 0x7FFF:
            return try battery(.starterVoltage, Int64(Int16(truncatingIfNeeded: value)))
        case 1 where value != 0xFFFF: return try battery(.midpointVoltage, value)
        case 2 where value != 0xFFFF:
            // −60…150 °C.
            return try decimal(.temperature, value - 27_315, 2, within: -6_000...15_000)
        default: return []
        }
    }

    private static func milliamperes(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        // Documents call for all ones. A Battery Sense sends the largest number.
        guard let current = try bits.signed(22), current != -1 else { return [] }
        return [.decimal(.current, current, places: 3)]
    }

    private static func consumed(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        try bits.unsigned(20).map { [.decimal(.consumedCharge, -$0, places: 1)] } ?? []
    }

    private static func charge(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        try decimal(.stateOfCharge, bits.unsigned(10), 1, within: 0...1_000)
    }

    private static func temperature(_ bits: inout VictronBits) throws(DecodeError) -> [Field] {
        try bits.unsigned(7).map { [.int(.temperature, $0 - 40)] } ?? []
    }

    /// Hundredths of a volt of a direct current. A number a little below 0 is noise, and these products bear no more
    /// than 150 V.
    private static func battery(_ quantity: Quantity, _ value: Int64?) throws(DecodeError) -> [Field] {
        try decimal(quantity, value, 2, within: -100...15_000)
    }

    private static func integer(_ quantity: Quantity, _ value: Int64?) -> [Field] {
        value.map { [.int(quantity, $0)] } ?? []
    }

    private static func decimal(
        _ quantity: Quantity, _ value: Int64?, _ places: Int, within range: ClosedRange<Int64>? = nil
    ) throws(DecodeError) -> [Field] {
        guard let value else { return [] }
        if let range, !range.contains(value) { throw .invalid(field: "range") }
        return [.decimal(quantity, value, places: places)]
    }
}
