// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How the value of one characteristic becomes fields.
protocol CharacteristicDecoder: SendableMetatype {
    /// The 16-bit UUID.
    static var characteristic: UInt16 { get }

    /// Keys of the numbers that its fields may be.
    static var numbers: [String] { get }

    /// Throws when the value is not what its specification says; leaves a field out when the sensor does not know it.
    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field]
}

/// All decoders, by characteristic.
package enum Decoders {
    typealias Decode = @Sendable ([UInt8]) throws(DecodeError) -> [Field]

    private static let all: [any CharacteristicDecoder.Type] = [
        BatteryLevelDecoder.self, HeartRateMeasurementDecoder.self, HumidityDecoder.self, PressureDecoder.self,
        TemperatureDecoder.self, TemperatureMeasurementDecoder.self,
    ]

    private static let byName: [String: (decode: Decode, numbers: [String])] = Dictionary(
        uniqueKeysWithValues: all.map { decoder in
            let decode: Decode = { value throws(DecodeError) in try decoder.decode(value) }
            return (decoder.characteristic.bigEndianHexadecimal.lowercased(), (decode, decoder.numbers))
        })

    /// Keys of all numbers that any decoder gives.
    static let numbers: [String] = Set(all.flatMap { $0.numbers }).sorted()

    /// Keys of the numbers that a characteristic's values may have; none where there is no decoder.
    static func numbers(of characteristic: String) -> [String] { byName[characteristic]?.numbers ?? [] }

    /// The decoder for a characteristic as readings name it; nil when there is none.
    static func decoder(for characteristic: String) -> Decode? { byName[characteristic]?.decode }

    /// The fields of a value: empty when the sensor said that it does not know, nil when there is no decoder or the
    /// value is not what the decoder expects.
    package static func decode(characteristic: String, value: [UInt8]) -> [Field]? {
        guard let decode = decoder(for: characteristic) else { return nil }
        return try? decode(value)
    }
}
