// SPDX-License-Identifier: Apache-2.0

/// BTHome's objects: the quantity of each object number (bthome.io, "Format").
struct BTHomeObject: Sendable {
    enum Kind: Sendable {
        /// A number of this many octets. The mantissa is `multiplier` times the number, with `places` decimal places.
        case number(octets: Int, isSigned: Bool, multiplier: Int64, places: Int)
        case binary
        /// A length, followed by this many octets.
        case text, raw
        case button, dimmer, command
        /// The number of the packet.
        case packetID
        /// Firmware versions, last part first.
        case version(octets: Int)
    }

    let quantity: Quantity?
    let kind: Kind

    private static func unsigned(
        _ quantity: Quantity, _ octets: Int, _ places: Int = 0, times multiplier: Int64 = 1
    ) -> BTHomeObject {
        BTHomeObject(
            quantity: quantity,
            kind: .number(octets: octets, isSigned: false, multiplier: multiplier, places: places))
    }

    private static func signed(
        _ quantity: Quantity, _ octets: Int, _ places: Int = 0, times multiplier: Int64 = 1
    ) -> BTHomeObject {
        BTHomeObject(
            quantity: quantity, kind: .number(octets: octets, isSigned: true, multiplier: multiplier, places: places))
    }

    private static func binary(_ quantity: Quantity) -> BTHomeObject { BTHomeObject(quantity: quantity, kind: .binary) }

    static let all: [UInt8: BTHomeObject] = numbers.merging(binaries) { $1 }.merging(others) { $1 }

    /// For each octet, the object of this number.
    static let byNumber: [BTHomeObject?] = (UInt8.min ... .max).map { all[$0] }

    private static let numbers: [UInt8: BTHomeObject] = [
        0x01: unsigned(.battery, 1), 0x02: signed(.temperature, 2, 2), 0x03: unsigned(.humidity, 2, 2),
        0x04: unsigned(.pressure, 3, 2), 0x05: unsigned(.illuminance, 3, 2), 0x06: unsigned(.weight, 2, 2),
        // Hundredths of a pound, of 0.45359237 kg.
        0x07: unsigned(.weight, 2, 10, times: 45_359_237),
        0x08: signed(.dewpoint, 2, 2), 0x09: unsigned(.count, 1), 0x0A: unsigned(.energy, 3, 3),
        0x0B: unsigned(.power, 3, 2), 0x0C: unsigned(.voltage, 2, 3), 0x0D: unsigned(.pm25, 2),
        0x0E: unsigned(.pm10, 2), 0x12: unsigned(.co2, 2), 0x13: unsigned(.tvoc, 2), 0x14: unsigned(.moisture, 2, 2),
        0x2E: unsigned(.humidity, 1), 0x2F: unsigned(.moisture, 1), 0x3D: unsigned(.count, 2),
        0x3E: unsigned(.count, 4), 0x3F: signed(.rotation, 2, 1), 0x40: unsigned(.distance, 2, 3),
        0x41: unsigned(.distance, 2, 1), 0x42: unsigned(.duration, 3, 3), 0x43: unsigned(.current, 2, 3),
        0x44: unsigned(.speed, 2, 2), 0x45: signed(.temperature, 2, 1), 0x46: unsigned(.uvIndex, 1, 1),
        0x47: unsigned(.volume, 2, 1), 0x48: unsigned(.volume, 2, 3), 0x49: unsigned(.volumeFlow, 2, 3),
        0x4A: unsigned(.voltage, 2, 1), 0x4B: unsigned(.gas, 3, 3), 0x4C: unsigned(.gas, 4, 3),
        0x4D: unsigned(.energy, 4, 3), 0x4E: unsigned(.volume, 4, 3), 0x4F: unsigned(.water, 4, 3),
        0x50: unsigned(.timestamp, 4), 0x51: unsigned(.acceleration, 2, 3), 0x52: unsigned(.gyroscope, 2, 3),
        0x55: unsigned(.storedVolume, 4, 3), 0x56: unsigned(.conductivity, 2), 0x57: signed(.temperature, 1),
        0x58: signed(.temperature, 1, 2, times: 35), 0x59: signed(.count, 1), 0x5A: signed(.count, 2),
        0x5B: signed(.count, 4), 0x5C: signed(.power, 4, 2), 0x5D: signed(.current, 2, 3),
        0x5E: unsigned(.direction, 2, 2), 0x5F: unsigned(.precipitation, 2, 1), 0x60: unsigned(.channel, 1),
        0x61: unsigned(.rotationalSpeed, 2), 0x62: signed(.speed, 4, 6), 0x63: signed(.acceleration, 4, 6),
        0x64: unsigned(.lightLevel, 1), 0x65: unsigned(.settingsRevision, 1), 0xF0: unsigned(.deviceType, 2),
    ]

    private static let binaries: [UInt8: BTHomeObject] = [
        0x0F: binary(.generic), 0x10: binary(.powerOn), 0x11: binary(.opening), 0x15: binary(.batteryLow),
        0x16: binary(.charging), 0x17: binary(.carbonMonoxideDetected), 0x18: binary(.cold),
        0x19: binary(.connectivity), 0x1A: binary(.door), 0x1B: binary(.garageDoor), 0x1C: binary(.gasDetected),
        0x1D: binary(.heat), 0x1E: binary(.light), 0x1F: binary(.lock), 0x20: binary(.moistureDetected),
        0x21: binary(.motion), 0x22: binary(.moving), 0x23: binary(.occupancy), 0x24: binary(.plug),
        0x25: binary(.presence), 0x26: binary(.problem), 0x27: binary(.running), 0x28: binary(.safety),
        0x29: binary(.smoke), 0x2A: binary(.soundDetected), 0x2B: binary(.tamper), 0x2C: binary(.vibration),
        0x2D: binary(.window),
    ]

    private static let others: [UInt8: BTHomeObject] = [
        0x00: BTHomeObject(quantity: nil, kind: .packetID), 0x3A: BTHomeObject(quantity: .button, kind: .button),
        0x3B: BTHomeObject(quantity: .command, kind: .command), 0x3C: BTHomeObject(quantity: .dimmer, kind: .dimmer),
        0x53: BTHomeObject(quantity: .text, kind: .text), 0x54: BTHomeObject(quantity: nil, kind: .raw),
        0xF1: BTHomeObject(quantity: .firmwareVersion, kind: .version(octets: 4)),
        0xF2: BTHomeObject(quantity: .firmwareVersion, kind: .version(octets: 3)),
    ]

    /// A button's event; nil for a button that is not pressed, or for an unknown code.
    static func event(ofButton code: UInt8) -> String? {
        switch code {
        case 0x01: "press"
        case 0x02: "double_press"
        case 0x03: "triple_press"
        case 0x04: "long_press"
        case 0x05: "long_double_press"
        case 0x06: "long_triple_press"
        // Shelly's firmware before 1.0.20 sends 0xFE.
        case 0x80, 0xFE: "hold_press"
        case 0x81: "hold_release"
        default: nil
        }
    }

    static func event(ofDimmer code: UInt8) -> String? {
        switch code {
        case 0x01: "rotate_left"
        case 0x02: "rotate_right"
        default: nil
        }
    }

    static func name(ofCommand code: UInt8) -> String? {
        switch code {
        case 0x00: "off"
        case 0x01: "on"
        case 0x02: "toggle"
        case 0x03: "step_up"
        case 0x04: "step_down"
        default: nil
        }
    }
}
