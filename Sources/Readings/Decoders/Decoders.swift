// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Decodes the value of one characteristic to fields.
protocol CharacteristicDecoder: SendableMetatype {
    static var characteristic: BluetoothUUID { get }

    /// The characteristic's name: `Battery Level` (Assigned Numbers, 3.8).
    static var name: String { get }

    /// Quantities of the characteristic's fields.
    static var quantities: [Quantity] { get }

    /// Throws if the value breaks its specification. Leaves out fields that the sensor does not know.
    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field]
}

/// All decoders, by characteristic.
package enum Decoders {
    package typealias Decode = @Sendable ([UInt8]) throws(DecodeError) -> [Field]

    private static let types: [any CharacteristicDecoder.Type] = [
        AirthingsRadonDecoder.self, AirthingsRadonLongDecoder.self, AirthingsWaveMiniDecoder.self,
        AirthingsWavePlusDecoder.self, AirthingsWaveRadonDecoder.self, AranetCurrentDecoder.self,
        AranetDetailedDecoder.self, BatteryLevelDecoder.self, BatteryLevelStatusDecoder.self,
        BloodPressureMeasurementDecoder.self, BodyCompositionMeasurementDecoder.self, CGMMeasurementDecoder.self,
        CSCMeasurementDecoder.self, ChromaticityCoordinateDecoder.self, ChromaticityCoordinatesDecoder.self,
        ContactStatusDecoder.self, CyclingPowerMeasurementDecoder.self, DoorWindowStatusDecoder.self,
        EnhancedBloodPressureDecoder.self, GlucoseMeasurementDecoder.self, IndoorBikeDataDecoder.self,
        HeartRateMeasurementDecoder.self, HumidityDecoder.self, IntermediateCuffPressureDecoder.self,
        IntermediateTemperatureDecoder.self, PLXContinuousMeasurementDecoder.self,
        PLXSpotCheckMeasurementDecoder.self, PressureDecoder.self, PressureTrendDecoder.self,
        RSCMeasurementDecoder.self, RowerDataDecoder.self, TreadmillDataDecoder.self, TemperatureDecoder.self,
        TemperatureMeasurementDecoder.self,
        WeightMeasurementDecoder.self,
    ]

    /// Facts about one characteristic.
    private struct Entry: Sendable {
        var name: String
        var quantities: [Quantity]
        var decode: Decode
    }

    /// By the name of the characteristic in readings.
    private static let byName: [String: Entry] = Dictionary(
        uniqueKeysWithValues: types.map { type in
            let decode: Decode = { value throws(DecodeError) in try type.decode(value) }
            return (key(type.characteristic), Entry(name: type.name, quantities: type.quantities, decode: decode))
        }
            + NumberCharacteristic.all.map { row in
                let decode: Decode = { value throws(DecodeError) in try row.decode(value) }
                return (
                    key(BluetoothUUID(row.characteristic)),
                    Entry(name: row.name, quantities: row.quantities, decode: decode)
                )
            }
            + described.map { file in
                let decode: Decode = { value throws(DecodeError) in try file.decode(value) }
                return (file.key, Entry(name: file.name, quantities: file.quantities, decode: decode))
            })

    private static let ofMakers = Set(described.map(\.key))

    /// Whether several makers use the UUID, and the values of some of them are decoded.
    package static func isOfSomeMakers(_ characteristic: String) -> Bool {
        ofMakers.contains(characteristic) && UserDecoders.current.byCharacteristic[characteristic] == nil
    }

    private static func key(_ characteristic: BluetoothUUID) -> String { characteristic.description.lowercased() }

    /// All decoded characteristics, by number: their names in readings, their names for people, and their quantities.
    package static var table: [(characteristic: String, name: String, quantities: [Quantity])] {
        byName.map { ($0.key, $0.value.name, $0.value.quantities) }.sorted { $0.0 < $1.0 }
    }

    /// The name of a decoded characteristic, for people.
    package static func name(of characteristic: String) -> String? {
        if let name = UserDecoders.current.byCharacteristic[characteristic]?.name ?? byName[characteristic]?.name {
            return name
        }
        guard let (first, number) = CharacteristicInstance.parts(of: characteristic) else { return nil }
        return Self.name(of: first).map { "\($0) \(number)" }
    }

    /// Number quantities of all decoders.
    package static var numbers: Set<Quantity> {
        builtInNumbers.union(UserDecoders.current.all.flatMap { $0.quantities }.filter(isNumber))
    }

    private static let builtInNumbers: Set<Quantity> = Set(
        (byName.values.flatMap { $0.quantities } + SensorFamilies.all.flatMap { $0.quantities }).filter(isNumber))

    /// Number quantities of a characteristic's or a family's values; none without a decoder.
    package static func numbers(of characteristic: String) -> [Quantity] {
        let quantities =
            UserDecoders.current.byCharacteristic[characteristic]?.quantities ?? byName[characteristic]?.quantities
            ?? SensorFamilies.family(characteristic)?.quantities
        if let quantities { return quantities.filter(isNumber) }
        return CharacteristicInstance.parts(of: characteristic).map { numbers(of: $0.characteristic) } ?? []
    }

    /// Whether a characteristic's, or a family's, values may report events.
    package static func hasEvents(_ characteristic: String) -> Bool {
        SensorFamilies.family(characteristic)?.quantities.contains { $0.details.kind == .event } ?? false
    }

    private static func isNumber(_ quantity: Quantity) -> Bool {
        let details = quantity.details
        return !details.isList && details.kind != .event && details.kind != .text
    }

    /// The decoder for a characteristic or a family of advertising sensors, by its name in readings; nil without a
    /// decoder.
    package static func decoder(for characteristic: String) -> Decode? {
        if let users = UserDecoders.current.byCharacteristic[characteristic] {
            return { value throws(DecodeError) in try users.decode(value) }
        }
        if let decode = byName[characteristic]?.decode { return decode }
        if let family = SensorFamilies.family(characteristic) {
            return { value throws(DecodeError) in try family.decode(value) }
        }
        guard let (first, number) = CharacteristicInstance.parts(of: characteristic), let decode = decoder(for: first)
        else {
            return nil
        }
        return { value throws(DecodeError) in try decode(value).map { $0.numbered(number) } }
    }

    /// The fields of a value. Empty if the sensor reported no known value; nil without a decoder, or for an unexpected
    /// value.
    package static func decode(characteristic: String, value: [UInt8]) -> [Field]? {
        guard let decode = decoder(for: characteristic) else { return nil }
        return try? decode(value)
    }
}
