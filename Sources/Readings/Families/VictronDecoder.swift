// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Victron's Instant Readout: solar chargers, battery monitors, inverters and other products with VE.Direct or VE.Smart
/// ("Extra Manufacturer Data", Victron Energy, and the Unlicense library victron-ble).
///
/// A value is the kind of the record, the model's two octets and the record itself.
enum VictronDecoder: AdvertisementDecoder {
    static let family = "victron"
    static let name = "Victron"
    static let carriers: [AdvertisementCarrier] = [.manufacturer(0x02E1)]
    static let quantities: [Quantity] = [
        .voltage, .current, .temperature, .power, .apparentPower, .acPower, .acInputPower, .acVoltage, .acCurrent,
        .acInput, .inputVoltage, .inputCurrent, .loadCurrent, .yieldToday, .stateOfCharge, .consumedCharge,
        .remainingTime, .starterVoltage, .midpointVoltage, .cellVoltage, .chargerState, .chargerError, .alarmCode,
        .warningCode, .errorCode, .offReason, .powerOn, .deviceType,
    ]
    static let needs = FamilyNeeds(
        key: .required,
        products:
            "SmartSolar and BlueSolar MPPT, SmartShunt, BMV-712, Smart Battery Sense, Phoenix inverters and chargers, "
            + "Orion Smart and XS, Smart BatteryProtect, Smart Lithium, Lynx Smart BMS, Multi RS, VE.Bus Smart dongle",
        hint: "VictronConnect: product info, switch on “Instant readout via Bluetooth”, then “Show” has the key.")

    /// The kind of a record. Its last field determines its size. A product may send more, up to one block.
    enum Record: UInt8 {
        case solarCharger = 0x01
        case batteryMonitor = 0x02
        case inverter = 0x03
        case converter = 0x04
        case lithium = 0x05
        case charger = 0x08
        case protect = 0x09
        case lynx = 0x0A
        case multi = 0x0B
        case veBus = 0x0C
        case meter = 0x0D
        case orion = 0x0F
        /// Smart Battery Sense: a battery monitor's record with a voltage and a temperature only. The number is ours.
        case batterySense = 0x82

        var length: Int {
            switch self {
            case .converter: 10
            case .inverter, .meter: 11
            case .solarCharger: 12
            case .charger, .veBus: 13
            case .multi, .orion: 14
            case .batteryMonitor, .batterySense, .protect: 15
            case .lithium, .lynx: 16
            }
        }
    }

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let data = advertisement.manufacturerData(of: 0x02E1).map(Array.init), data.count > 8, data[0] == 0x10,
            var record = Record(rawValue: data[4]), record != .batterySense
        else { return nil }
        // The record type of a Battery Sense does not identify it. The models A3A4 and A3A5 are Battery Senses.
        if data[3] == 0xA3, data[2] == 0xA4 || data[2] == 0xA5 { record = .batterySense }
        let ciphertext = Array(data[8...])
        // Victron counts blocks with the low octet first. For a single block, the counter is simply the nonce.
        guard (record.length...16).contains(ciphertext.count) else { return nil }
        let block = [data[5], data[6]] + [UInt8](repeating: 0, count: 14)
        return .sealed(
            SealedPacket(
                .ctr(block: block), ciphertext: ciphertext, header: [record.rawValue, data[2], data[3]],
                keyCheck: data[7]))
    }

    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        let value = packet.header + plaintext
        return (try? decode(value)) == nil ? nil : AdvertisedPacket(value)
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        guard value.count > 3, let record = Record(rawValue: value[0]) else { throw .invalid(field: "record") }
        guard (record.length...16).contains(value.count - 3) else { throw .invalid(field: "length") }
        var bits = VictronBits(value[3...])
        switch record {
        case .solarCharger: return try solarCharger(&bits)
        case .batteryMonitor: return try batteryMonitor(&bits)
        case .batterySense:
            return try batteryMonitor(&bits).filter { $0.quantity == .voltage || $0.quantity == .temperature }
        case .inverter: return try inverter(&bits)
        case .converter: return try converter(&bits)
        case .lithium: return try lithium(&bits)
        case .charger: return try charger(&bits)
        case .protect: return try protect(&bits)
        case .lynx: return try lynx(&bits)
        case .multi: return try multi(&bits)
        case .veBus: return try veBus(&bits)
        case .meter: return try meter(&bits)
        case .orion: return try orion(&bits)
        }
    }
}

/// Reads fields of any width, the lowest bit first. All ones, and a signed field's largest number, stand for no value.
struct VictronBits {
    private let octets: ArraySlice<UInt8>
    private var position = 0

    init(_ octets: ArraySlice<UInt8>) { self.octets = octets }

    /// The next bits as they are: at most 32.
    mutating func raw(_ count: Int) throws(DecodeError) -> Int64 {
        guard count <= 32, position + count <= octets.count * 8 else { throw .truncated(field: "record") }
        var value: Int64 = 0
        for bit in 0..<count {
            let octet = octets[octets.startIndex + (position + bit) / 8]
            value |= Int64(octet >> UInt8((position + bit) % 8) & 1) << Int64(bit)
        }
        position += count
        return value
    }

    mutating func unsigned(_ count: Int) throws(DecodeError) -> Int64? {
        let value = try raw(count)
        return value == 1 << Int64(count) - 1 ? nil : value
    }

    mutating func signed(_ count: Int) throws(DecodeError) -> Int64? {
        let value = try raw(count)
        let half: Int64 = 1 << Int64(count - 1)
        if value == half - 1 { return nil }
        return value >= half ? value - 2 * half : value
    }
}
