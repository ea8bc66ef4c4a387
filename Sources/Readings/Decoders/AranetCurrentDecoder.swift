// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The newest values of an Aranet4, for paired readers on a link; 9 octets.
enum AranetCurrentDecoder: CharacteristicDecoder {
    static let characteristic = Aranet.uuid(0xF0CD_1503)
    static let name = "Aranet4"
    static let quantities: [Quantity] = [.co2, .co2Status, .temperature, .pressure, .humidity, .battery]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try AranetDecoder.aranet4Climate(value[...])
    }
}

/// The newest values with the sensor's interval and the age of its measurement; 13 octets.
enum AranetDetailedDecoder: CharacteristicDecoder {
    static let characteristic = Aranet.uuid(0xF0CD_3001)
    static let name = "Aranet4, detailed"
    static let quantities: [Quantity] = AranetCurrentDecoder.quantities + [.sampleInterval, .sampleAge]

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var fields = try AranetDecoder.aranet4Climate(value.prefix(9))
        var reader = ByteReader(value.dropFirst(9))
        fields.append(.int(.sampleInterval, Int64(try reader.u16("interval"))))
        fields.append(.int(.sampleAge, Int64(try reader.u16("age"))))
        try reader.finish()
        return fields
    }
}

/// Common parts of the characteristics of Aranet.
enum Aranet {
    /// The service up to firmware 1.2; 0xFCE0 since.
    static let formerService = uuid(0xF0CD_1400)

    /// The maker's UUIDs differ in their first 32 bits.
    static func uuid(_ first: UInt32) -> BluetoothUUID {
        BluetoothUUID(high: UInt64(first) << 32 | 0x95DA_4F4B, low: 0x9AC8_AA55_D312_AF0C)
    }
}
