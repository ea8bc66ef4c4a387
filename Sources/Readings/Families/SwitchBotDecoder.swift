// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// SwitchBot's devices. The service data, which most devices send only in the scan response, has the model and the
/// battery. The Manufacturer Specific Data has the values; with older firmware, the service data has them.
///
/// A value is the octet of ``SwitchBotModel``, the battery in percent (FF: none), and the Manufacturer Specific Data
/// after the address. For older firmware, a value is the model's octet with its highest bit set, and the rest of the
/// service data.
enum SwitchBotDecoder: AdvertisementDecoder {
    static let family = "switchbot"
    static let name = "SwitchBot"
    /// The identifiers of SwitchBot, Espressif and Nordic, which devices of several years have sent.
    private static let companies: [UInt16] = [0x0969, 0x02E5, 0x0059]
    /// The second UUID belongs to the first firmware.
    private static let services: [UInt16] = [0xFD3D, 0x0D00]
    static let carriers: [AdvertisementCarrier] = services.map { .serviceData($0) } + [.manufacturer(companies[0])]
    static let quantities: [Quantity] = [
        .temperature, .humidity, .battery, .co2, .opening, .leftOpen, .motion, .light, .moistureDetected, .tamper,
        .powerOn, .power, .position, .moving, .lightLevel, .lock, .lockState, .door,
        .targetTemperature, .problem, .window,
    ]
    static let needs = FamilyNeeds(
        needsActiveScan: true,
        products:
            "Meter, Meter Plus, Outdoor Meter, Meter Pro, Meter Pro CO2, Hub 2, Hub 3, Hub Mini Matter, Climate Panel, "
            + "Contact Sensor, Motion Sensor, Leak Detector, Plug Mini, Relay Switch 1, 1PM and 2PM, Curtain, Blind "
            + "Tilt, Bot, Lock, Lock Lite, Lock Pro, Lock Ultra, Presence Sensor, Weather Station, Smart Radiator "
            + "Thermostat",
        hint: "`position` is 0 % where the maker's app says open.")

    private static let ofService: UInt8 = 0x80
    private static let noBattery: UInt8 = 0xFF

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard
            let service = services.lazy.compactMap({ advertisement.serviceData[$0] }).first
                ?? advertisement.name.flatMap({ SwitchBotModel.names[$0] }).map({ [$0] }),
            let octet = SwitchBotModel.octet(of: service), let model = SwitchBotModel.all[octet]
        else { return nil }
        if let data = companies.lazy.compactMap({ advertisement.manufacturerData(of: $0) }).first,
            let address = advertisement.addressOctets, data.count > 7, data.prefix(6).elementsEqual(address)
        {
            let value = [octet, SwitchBotModel.battery(in: service) ?? noBattery] + data.dropFirst(6)
            if let fields = try? decode(value), !fields.isEmpty {
                return .plain(
                    AdvertisedPacket(
                        value, number: PacketNumber(UInt32(value[2]), bits: 8), model: model.name, numbersChanges: true)
                )
            }
        }
        // The address of another device is in its place.
        guard advertisement.manufacturerData(of: companies[0]) == nil else { return nil }
        let value = [octet | ofService] + service.dropFirst()
        guard let fields = try? decode(value), !fields.isEmpty else { return nil }
        return .plain(AdvertisedPacket(value, model: model.name))
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let octet = try reader.u8("model")
        guard let kind = SwitchBotModel.all[octet & 0x7F]?.kind else { throw .invalid(field: "model") }
        if octet & ofService != 0 { return try SwitchBotService.decode(kind, value.dropFirst()) }
        let share = try reader.u8("battery")
        let battery: [Field] = share == noBattery ? [] : [.int(.battery, Int64(share))]
        _ = try reader.u8("sequence")
        switch kind {
        case .meter:
            _ = try reader.u8("flags")
            return try climate(&reader) + battery
        case .meterCO2:
            _ = try reader.u8("flags")
            let fields = try climate(&reader)
            _ = try reader.bytes(2, "reserved")
            let co2 = try reader.u16("co2").byteSwapped
            return fields + (co2 <= 9_999 ? [.int(.co2, Int64(co2))] : []) + battery
        case .hub2:
            // The hub has no battery. It reports brightness in steps of its own.
            _ = try reader.bytes(6, "state")
            return try climate(&reader)
        case .hub3:
            _ = try reader.bytes(6, "state")
            let fields = try climate(&reader)
            return fields + [.binary(.motion, try reader.u8("motion") & 0x80 != 0)]
        case .climatePanel:
            let level = try reader.u8("battery") & 0x7F
            let fields = try climate(&reader)
            _ = try reader.bytes(4, "keys")
            let state = try reader.u8("state")
            return fields + [
                .binary(.motion, state & 0x80 != 0), .binary(.light, state & 0x06 == 0x04),
                .int(.battery, Int64(level)),
            ]
        case .contact:
            let flags = try reader.u8("flags")
            return contact(
                isOpen: flags & 0x30 != 0, isLeft: flags & 0x20 != 0, motion: flags & 0x80 != 0,
                light: flags & 0x40 != 0) + battery
        case .motion:
            let flags = try reader.u8("flags")
            return [.binary(.motion, flags & 0x40 != 0), .binary(.light, flags & 0x20 != 0)] + battery
        case .leak:
            let level = Int64(try reader.u8("battery") & 0x7F)
            let flags = try reader.u8("flags")
            return [
                .binary(.moistureDetected, flags & 0x01 != 0), .binary(.tamper, flags & 0x02 != 0),
                .int(.battery, level),
            ]
        case .plug, .relay, .relayPower, .relayTwo: return try switched(kind, &reader)
        case .curtain:
            _ = try reader.u8("flags")
            let fields = cover(try reader.u8("position"), try reader.u8("light"))
            _ = try reader.u8("reserved")
            // Newer models report their battery here.
            guard reader.remaining >= 2 else { return fields + battery }
            _ = try reader.u8("reserved")
            return fields + [.int(.battery, Int64(try reader.u8("battery") & 0x7F))]
        case .blind:
            _ = try reader.u8("flags")
            return cover(try reader.u8("position"), try reader.u8("light")) + battery
        case .lock:
            let state = try reader.u8("state")
            _ = try reader.u8("alarms")
            return try lock(state >> 4 & 0x07, door: state & 0x04 != 0) + battery
        case .lockPro:
            let state = try reader.u8("state")
            let door = try reader.u8("door")
            let level = Int64(try reader.u8("battery") & 0x7F)
            return try lock(state >> 3 & 0x0F, door: door & 0x10 != 0) + [.int(.battery, level)]
        case .presence:
            let flags = try reader.u8("flags")
            _ = try reader.bytes(3, "time")
            let light = Int64(try reader.u8("light") & 0x1F)
            return [.binary(.motion, flags & 0x40 != 0), .int(.lightLevel, light)] + battery
        case .thermostat: return try thermostat(&reader)
        case .bot: throw .invalid(field: "model")
        }
    }

    /// The tenths of both temperatures are in one octet: the wanted first.
    private static func thermostat(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        let level = try reader.u8("battery") & 0x7F
        let tenths = try reader.u8("tenths")
        let (here, wanted) = (try reader.u8("degrees"), try reader.u8("target"))
        _ = try reader.u8("mode")
        let flags = try reader.u8("flags")
        guard tenths & 0x0F <= 9, tenths >> 4 <= 9 else { throw .invalid(field: "tenths") }
        return [
            Self.temperature(.temperature, here, tenths & 0x0F),
            Self.temperature(.targetTemperature, wanted, tenths >> 4),
            .binary(.window, flags & 0x01 != 0), .binary(.problem, flags & 0x0E != 0), .int(.battery, Int64(level)),
        ]
    }

    private static func temperature(_ quantity: Quantity, _ whole: UInt8, _ tenths: UInt8) -> Field {
        let magnitude = Int64(whole & 0x7F) * 10 + Int64(tenths)
        return .decimal(quantity, whole & 0x80 != 0 ? magnitude : -magnitude, places: 1)
    }

    /// Whether the device is on, and its power in watts; for the plug in tenths.
    private static func switched(_ kind: SwitchBotModel, _ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        let state = try reader.u8("state")
        guard kind != .relay else { return [.binary(.powerOn, state & 0x80 != 0)] }
        _ = try reader.bytes(2, "reserved")
        let power = Int64(try reader.u16("power").byteSwapped)
        switch kind {
        case .plug: return [.binary(.powerOn, state == 0x80), .decimal(.power, power & 0x7FFF, places: 1)]
        case .relayPower: return [.binary(.powerOn, state & 0x80 != 0), .int(.power, power)]
        default:
            let second = Int64(try reader.u16("power").byteSwapped)
            return [
                Field(.powerOn, .int(state & 0x80 == 0 ? 0 : 1), index: 1), Field(.power, .int(power), index: 1),
                Field(.powerOn, .int(state & 0x40 == 0 ? 0 : 1), index: 2), Field(.power, .int(second), index: 2),
            ]
        }
    }

    private static func lock(_ state: UInt8, door isOpen: Bool) throws(DecodeError) -> [Field] {
        let names = [
            "locked", "unlocked", "locking", "unlocking", "locking_stopped", "unlocking_stopped", "not_fully_locked",
            "half_locked",
        ]
        guard names.indices.contains(Int(state)) else { throw .invalid(field: "state") }
        return [
            .binary(.lock, state != 0), .text(.lockState, names[Int(state)]), .binary(.door, isOpen),
        ]
    }

    static func contact(isOpen: Bool, isLeft: Bool, motion: Bool, light: Bool) -> [Field] {
        [.binary(.opening, isOpen), .binary(.leftOpen, isLeft), .binary(.motion, motion), .binary(.light, light)]
    }

    /// The position with a flag for movement, and the light in steps.
    static func cover(_ position: UInt8, _ light: UInt8) -> [Field] {
        [
            .int(.position, Int64(position & 0x7F)), .binary(.moving, position & 0x80 != 0),
            .int(.lightLevel, Int64(light >> 4)),
        ]
    }

    /// Tenths, a sign and whole degrees, percents; zeros while the sensor is not ready.
    static func climate(_ reader: inout ByteReader) throws(DecodeError) -> [Field] {
        let tenths = try reader.u8("tenths")
        let whole = try reader.u8("degrees")
        let humidity = try reader.u8("humidity") & 0x7F
        // The other bits are about the display's unit and an alarm.
        if tenths & 0x0F | whole & 0x7F | humidity == 0 { return [] }
        guard tenths & 0x0F <= 9, humidity <= 100 else { throw .invalid(field: "climate") }
        return [temperature(.temperature, whole, tenths & 0x0F), .int(.humidity, Int64(humidity))]
    }
}
