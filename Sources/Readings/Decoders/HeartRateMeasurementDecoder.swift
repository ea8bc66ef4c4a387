// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Heart Rate Measurement, 0x2A37. Heart Rate Service 1.0, 3.1.
enum HeartRateMeasurementDecoder: CharacteristicDecoder {
    static let characteristic: BluetoothUUID = 0x2A37
    static let name = "Heart Rate Measurement"
    static let quantities: [Quantity] = [.heartRate, .sensorContact, .energyExpended, .rrInterval]

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let wideRate = Flags(rawValue: 1 << 0)
        static let contactDetected = Flags(rawValue: 1 << 1)
        static let contactSupported = Flags(rawValue: 1 << 2)
        static let energyExpended = Flags(rawValue: 1 << 3)
        static let intervals = Flags(rawValue: 1 << 4)
    }

    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        var reader = ByteReader(value)
        let flags = Flags(rawValue: try reader.u8("flags"))
        let rate = flags.contains(.wideRate) ? Int64(try reader.u16("rate")) : Int64(try reader.u8("rate"))
        var fields = [Field.int(.heartRate, rate)]
        if flags.contains(.contactSupported) {
            fields.append(.int(.sensorContact, flags.contains(.contactDetected) ? 1 : 0))
        }
        if flags.contains(.energyExpended) {
            // Kilojoules since the sensor's last reset.
            fields.append(.int(.energyExpended, Int64(try reader.u16("energyExpended"))))
        }
        if flags.contains(.intervals) {
            var intervals: [Field.Value] = []
            while reader.remaining > 0 {
                // 1/1024 s on the air, oldest first; rounded to milliseconds.
                let interval = Int64(try reader.u16("interval"))
                intervals.append(.decimal(Field.Decimal(mantissa: (interval * 1_000 + 512) / 1_024, places: 3)))
            }
            if !intervals.isEmpty { fields.append(Field(.rrInterval, .array(intervals))) }
        }
        try reader.finish()
        return fields
    }
}
