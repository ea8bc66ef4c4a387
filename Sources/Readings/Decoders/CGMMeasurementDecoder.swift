// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// CGM Measurement, 0x2AA7: glucose, again and again. Continuous Glucose Monitoring Service 1.0.2, 3.1.
///
/// A value may have several records, the newest last: the newest counts. The sensor's own minutes, its trend and its
/// quality are left out.
enum CGMMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2AA7
    static let name = "CGM Measurement"
    static let quantities: [Quantity] = [.glucose]

    /// A check of two octets may follow a record.
    private static let check = 2

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        var fields: [Field] = []
        repeat {
            let size = Int(try reader.u8("size"))
            let flags = try reader.u8("flags")
            // In milligrams a decilitre: glucose has 180.156 g/mol.
            let glucose = try reader.medicalShortFloat("glucose")
            fields = try glucose.field(.glucose, times: 5_550_745, digits: 8, places: 3)
            let parts = [1, 1, 1, 2, 2]
            let extra = zip([flags >> 5 & 1, flags >> 6 & 1, flags >> 7 & 1, flags & 1, flags >> 1 & 1], parts)
            let expected = 6 + extra.reduce(0) { $0 + Int($1.0) * $1.1 }
            guard size == expected || size == expected + check else { throw .invalid(field: "size") }
            _ = try reader.bytes(size - 4, "rest")
        } while reader.remaining > 0
        return fields
    }
}
