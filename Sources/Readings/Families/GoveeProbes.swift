// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Govee's thermometers for food. Their company identifiers belong to other companies. A service gives the model, and
/// each model has packets of one length.
enum GoveeProbes: UInt8 {
    case h5055 = 55
    case h5181 = 81
    case h5182 = 82
    case h5183 = 83
    case h5184 = 84
    case h5185 = 85
    case h5191 = 91
    case h5198 = 98

    static let services: [BluetoothUUID: GoveeProbes] = [
        0x5550: .h5055, 0x8151: .h5181, 0x8251: .h5182, 0x8351: .h5183, 0x8451: .h5184, 0x8551: .h5185, 0x9151: .h5191,
        0x9851: .h5198,
    ]

    /// Octets after the company identifier.
    private var length: Int {
        switch self {
        case .h5181, .h5183: 14
        case .h5182, .h5184: 17
        case .h5055, .h5185, .h5191, .h5198: 20
        }
    }

    /// The model by its service, or by its name without a service.
    static func model(_ advertisement: Advertisement) -> Self? {
        guard
            let model = advertisement.services.lazy.compactMap({ services[$0] }).first
                ?? advertisement.name.flatMap(GoveeDecoder.model).flatMap(named),
            advertisement.manufacturerData.count == model.length + 2,
            // Otherwise an iBeacon of the device.
            advertisement.manufacturerData(of: 0x004C) == nil,
            model.isHead(Array(advertisement.manufacturerData.dropFirst(2)))
        else { return nil }
        return model
    }

    private static func named(_ digits: String) -> Self? {
        digits == "5055" || digits.hasPrefix("51") ? UInt8(digits.suffix(2)).flatMap(Self.init) : nil
    }

    private static let head: [UInt8] = [0x00, 0x01, 0x01]
    private static let headsOfWhole: Set<UInt8> = [0x06, 0x20, 0x22]

    /// Two octets of the address and a number precede the common head. The old H5055 has a head of its own.
    private func isHead(_ data: [UInt8]) -> Bool {
        guard data.count == length else { return false }
        if data[2..<5].elementsEqual(Self.head) { return data[5] & 0x7F <= 100 }
        return self == .h5055 && data[1] == 0 && Self.headsOfWhole.contains(data[4]) && data[18] == 0 && data[19] == 0
    }

    /// A value is the model, followed by the data after the company identifier.
    static func decode(_ value: ArraySlice<UInt8>) throws(DecodeError) -> [Field] {
        guard let model = value.first.flatMap(Self.init) else { throw .invalid(field: "model") }
        let data = Array(value.dropFirst())
        guard data.count == model.length else { throw .invalid(field: "length") }
        guard model.isHead(data) else { throw .invalid(field: "head") }
        let pair = data[6] & 0x03
        switch model {
        case .h5181, .h5183: return try probe(1, data, at: 8)
        case .h5182: return try probe(1, data, at: 8) + probe(2, data, at: 13)
        case .h5185: return try probe(1, data, at: 8) + probe(2, data, at: 14)
        case .h5191: return try probe(1, data, at: 8) + air(data, at: 14)
        case .h5184, .h5198:
            guard pair == 1 || pair == 2 else { throw .invalid(field: "probes") }
            let first = 2 * pair - 1
            return try probe(first, data, at: 8) + probe(first + 1, data, at: model == .h5184 ? 13 : 14)
        case .h5055 where data[2..<5].elementsEqual(head):
            // The layout of 2026.
            let first = 2 * (data[6] >> 6) + 1
            guard first < 7 else { throw .invalid(field: "probes") }
            return try probe(first, data, at: 8) + probe(first + 1, data, at: 14)
        case .h5055: return try whole(data)
        }
    }

    /// Hundredths of degrees; below zero, there is no probe.
    private static func probe(_ index: UInt8, _ data: [UInt8], at place: Int) throws(DecodeError) -> [Field] {
        let hundredths = Int64(data[place]) << 8 | Int64(data[place + 1])
        guard hundredths < 0x8000 else { return [] }
        return [Field(.temperature, .decimal(.init(mantissa: hundredths, places: 2)), index: index)]
    }

    private static func air(_ data: [UInt8], at place: Int) throws(DecodeError) -> [Field] {
        let hundredths = Int64(Int16(bitPattern: UInt16(data[place]) << 8 | UInt16(data[place + 1])))
        return hundredths == -1 ? [] : [.decimal(.temperature, hundredths, places: 2)]
    }

    /// Whole degrees, little-endian, of two of six probes; a bit says whether each is there.
    private static func whole(_ data: [UInt8]) throws(DecodeError) -> [Field] {
        let group = data[3] >> 6
        guard group < 3 else { throw .invalid(field: "probes") }
        var fields: [Field] = []
        for (number, place) in [(2 * group, 5), (2 * group + 1, 12)] where data[3] >> number & 1 == 1 {
            let degrees = Int16(bitPattern: UInt16(data[place]) | UInt16(data[place + 1]) << 8)
            guard (-50...600).contains(degrees) else { throw .invalid(field: "temperature") }
            fields.append(Field(.temperature, .int(Int64(degrees)), index: number + 1))
        }
        return fields + [.int(.battery, Int64(min(data[2] & 0x7F, 100)))]
    }
}
