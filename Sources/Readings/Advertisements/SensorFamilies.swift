// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// All families of sensors with values in advertisements.
package enum SensorFamilies {
    /// A packet and its family.
    package struct Recognised: Sendable {
        package var decoder: SensorFamily
        package var packet: RecognisedPacket
    }

    private static let coded: [any AdvertisementDecoder.Type] = [
        ATCDecoder.self,
        AranetDecoder.self,
        BParasiteDecoder.self,
        BTHomeDecoder.self,
        BTHomeV1Decoder.self,
        BlueMaestroDecoder.self,
        EddystoneDecoder.self,
        GoveeDecoder.self,
        HHCCJCY10Decoder.self,
        IBeaconDecoder.self,
        InkbirdDecoder.self,
        MiBeaconDecoder.self,
        MiScaleDecoder.self,
        MopekaDecoder.self,
        OralBDecoder.self,
        QingpingDecoder.self,
        RAPTDecoder.self,
        RuuviDecoder.self,
        SensirionDecoder.self,
        SensorPushDecoder.self,
        SwitchBotDecoder.self,
        ThermoBeaconDecoder.self,
        ThermoProDecoder.self,
        TiltDecoder.self,
        VictronDecoder.self,
    ]

    /// Families written in Swift, and families described by the files of `Sources/Readings/Sensors`.
    package static let all: [SensorFamily] = coded.map { SensorFamily($0) } + described.map { SensorFamily($0) }

    private static let byName = Dictionary(all.map { ($0.family, $0) }) { first, _ in first }
    private static let byCarrier: [AdvertisementCarrier: [SensorFamily]] = all.reduce(into: [:]) {
        for carrier in $1.carriers { $0[carrier, default: []].append($1) }
    }
    private static let ofAnyManufacturer = byCarrier[.anyManufacturer] ?? []

    /// The family with this name in readings.
    package static func family(_ name: String) -> SensorFamily? { UserDecoders.current.byFamily[name] ?? byName[name] }

    /// The names of all families, also of families described by the user's files.
    package static var names: Set<String> { Set(byName.keys).union(UserDecoders.current.byFamily.keys) }

    /// The one packet in an advertisement; nil if no family knows it.
    package static func recognise(_ advertisement: Advertisement) -> Recognised? {
        let users = UserDecoders.current.byCarrier
        if !users.isEmpty {
            if let found = recognise(advertisement, in: users) { return found }
            if let any = users[.anyManufacturer], advertisement.manufacturerData.count >= 2,
                let found = recognise(advertisement, among: any)
            {
                return found
            }
        }
        if let found = recognise(advertisement, in: byCarrier) { return found }
        return advertisement.manufacturerData.count < 2 ? nil : recognise(advertisement, among: ofAnyManufacturer)
    }

    /// The families whose place an advertisement uses, without the families that use any company's data.
    package static func asked(about advertisement: Advertisement) -> [SensorFamily] {
        var carriers = advertisement.serviceData.keys.sorted().map { AdvertisementCarrier.serviceData($0) }
        carriers += advertisement.longServiceData.keys.map { .longServiceData($0) }
        let data = advertisement.manufacturerData
        if data.count >= 2 { carriers.append(.manufacturer(UInt16(data[0]) | UInt16(data[1]) << 8)) }
        let users = UserDecoders.current.byCarrier
        return carriers.flatMap { (users[$0] ?? []) + (byCarrier[$0] ?? []) }
    }

    private static func recognise(
        _ advertisement: Advertisement, in families: [AdvertisementCarrier: [SensorFamily]]
    ) -> Recognised? {
        // In the order of the UUIDs, so an advertisement always belongs to the first family that fits.
        for uuid in advertisement.serviceData.keys.sorted() {
            if let found = recognise(advertisement, among: families[.serviceData(uuid)] ?? []) { return found }
        }
        if !advertisement.longServiceData.isEmpty {
            for uuid in advertisement.longServiceData.keys.sorted(by: { $0.description < $1.description }) {
                if let found = recognise(advertisement, among: families[.longServiceData(uuid)] ?? []) { return found }
            }
        }
        let data = advertisement.manufacturerData
        guard data.count >= 2 else { return nil }
        let company = UInt16(data[0]) | UInt16(data[1]) << 8
        return recognise(advertisement, among: families[.manufacturer(company)] ?? [])
    }

    private static func recognise(
        _ advertisement: Advertisement, among decoders: [SensorFamily]
    ) -> Recognised? {
        for decoder in decoders {
            if let packet = decoder.recognise(advertisement) { return Recognised(decoder: decoder, packet: packet) }
        }
        return nil
    }
}
