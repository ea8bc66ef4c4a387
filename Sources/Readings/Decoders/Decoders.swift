// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How the value of one characteristic becomes fields.
protocol CharacteristicDecoder: SendableMetatype {
    /// The 16-bit UUID.
    static var characteristic: UInt16 { get }

    /// What it is called: `Battery Level` (Assigned Numbers, 3.8).
    static var name: String { get }

    /// What its fields may be about.
    static var quantities: [Quantity] { get }

    /// Throws when the value is not what its specification says; leaves a field out when the sensor does not know it.
    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field]
}

/// All decoders, by characteristic.
package enum Decoders {
    package typealias Decode = @Sendable ([UInt8]) throws(DecodeError) -> [Field]

    private static let all: [any CharacteristicDecoder.Type] = [
        BatteryLevelDecoder.self, HeartRateMeasurementDecoder.self, HumidityDecoder.self, PressureDecoder.self,
        TemperatureDecoder.self, TemperatureMeasurementDecoder.self,
    ]

    /// By the name of the characteristic in readings.
    private static let byName: [String: (decode: Decode, decoder: any CharacteristicDecoder.Type)] = Dictionary(
        uniqueKeysWithValues: all.map { decoder in
            let decode: Decode = { value throws(DecodeError) in try decoder.decode(value) }
            return (decoder.characteristic.bigEndianHexadecimal.lowercased(), (decode, decoder))
        })

    /// The characteristics that are decoded, by number: as readings name them, what they are called, and what they are about.
    package static var table: [(characteristic: String, name: String, quantities: [Quantity])] {
        byName.map { ($0.key, $0.value.decoder.name, $0.value.decoder.quantities) }.sorted { $0.0 < $1.0 }
    }

    /// All numbers that any decoder gives.
    package static let numbers: Set<Quantity> = Set(all.flatMap { numbers(among: $0.quantities) })

    /// The numbers that a characteristic's values may have; none where there is no decoder.
    package static func numbers(of characteristic: String) -> [Quantity] {
        byName[characteristic].map { numbers(among: $0.decoder.quantities) } ?? []
    }

    private static func numbers(among quantities: [Quantity]) -> [Quantity] {
        quantities.filter { !$0.details.isList }
    }

    /// The decoder for a characteristic as readings name it; nil when there is none.
    package static func decoder(for characteristic: String) -> Decode? { byName[characteristic]?.decode }

    /// The fields of a value: empty when the sensor said that it does not know, nil when there is no decoder or the
    /// value is not what the decoder expects.
    package static func decode(characteristic: String, value: [UInt8]) -> [Field]? {
        guard let decode = decoder(for: characteristic) else { return nil }
        return try? decode(value)
    }
}
