// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The service data of SwitchBot's older firmware, behind the model's letter: flags, the battery, and values.
enum SwitchBotService {
    static func decode(_ kind: SwitchBotModel, _ octets: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        var reader = ByteReader(octets)
        let flags = try reader.u8("flags")
        let share = try reader.u8("battery") & 0x7F
        guard share <= 100 else { throw .invalid(field: "battery") }
        let battery = Field.int(.battery, Int64(share))
        switch kind {
        // The rest may be in Manufacturer Specific Data that was not heard.
        case .meter where reader.remaining == 0: return [battery]
        case .meter, .meterCO2:
            let climate = try SwitchBotDecoder.climate(&reader)
            return climate.isEmpty ? [] : climate + [battery]
        case .contact:
            let state = try reader.u8("state")
            _ = try reader.bytes(5, "times and counts")
            return SwitchBotDecoder.contact(
                isOpen: state & 0x06 != 0, isLeft: state & 0x04 != 0, motion: flags & 0x40 != 0,
                light: state & 0x01 != 0)
                + [battery]
        case .motion:
            _ = try reader.bytes(2, "time")
            let state = try reader.u8("state")
            return [.binary(.motion, flags & 0x40 != 0), .binary(.light, state & 0x02 != 0), battery]
        case .curtain:
            return SwitchBotDecoder.cover(try reader.u8("position"), try reader.u8("light")) + [battery]
        case .bot:
            // A bot in press mode has no state.
            return (flags & 0x80 == 0 ? [] : [.binary(.powerOn, flags & 0x40 == 0)]) + [battery]
        default: throw .invalid(field: "model")
        }
    }
}
