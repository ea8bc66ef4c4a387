// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SensorCipher
import Testing

/// An advertisement of a family, and its values.
struct FamilyVector: Sendable, CustomTestStringConvertible {
    var name: String
    var family: String
    var advertisement: Advertisement
    /// 32 or 24 hexadecimal digits.
    var key: String?
    /// By their keys in payloads, in the order of the fields; nil: no packet of the family, or an impossible value.
    var fields: [Field]?
    var number: PacketNumber?

    var testDescription: String { "\(family): \(name)" }

    init(
        _ name: String, _ family: String, address: UInt64? = nil, local: String? = nil, services: [BluetoothUUID] = [],
        manufacturer: String = "", service: (UInt16, String)? = nil, key: String? = nil, number: PacketNumber? = nil,
        _ fields: [Field]?
    ) {
        self.name = name
        self.family = family
        let serviceData = service.flatMap { entry in [UInt8](hexadecimal: entry.1).map { [entry.0: $0] } } ?? [:]
        advertisement = Advertisement(
            address: address, name: local, services: services,
            manufacturerData: [UInt8](hexadecimal: manufacturer) ?? [], serviceData: serviceData)
        self.key = key
        self.fields = fields
        self.number = number
    }

    /// The result of all steps on the way to a payload: recognised, opened, decoded. Nil where any step fails.
    func result() -> (packet: AdvertisedPacket, fields: [Field])? {
        guard let found = SensorFamilies.recognise(advertisement), found.decoder.family == family else { return nil }
        let packet: AdvertisedPacket
        switch found.packet {
        case .plain(let plain): packet = plain
        case .sealed(let sealed):
            let octets = key.flatMap { [UInt8](hexadecimal: $0) } ?? []
            guard let opened = PacketCipher.open(sealed, key: found.decoder.key(from: octets) ?? []),
                let unsealed = found.decoder.unsealed(sealed, plaintext: opened)
            else { return nil }
            packet = unsealed
        }
        guard let fields = try? found.decoder.decode(packet.value) else { return nil }
        return (packet, fields)
    }

    /// All of all families.
    static let all: [FamilyVector] =
        atc
        + aranet
        + beacons
        + blueMaestro
        + bParasite
        + bthome
        + bthomeV1
        + govee
        + hhccjcy10
        + inkbird
        + mibeacon
        + miScale
        + mopeka
        + oralB
        + qingping
        + rapt
        + ruuvi
        + sensirion
        + sensorPush
        + switchBot
        + thermoBeacon
        + thermoPro
        + tilt
        + victron
        + sensirionTypes
        + goveeSpellings
        + inkbirdSpellings
        + qingpingSpellings
        + switchBotSpellings
        + otherSpellings
        + DescribedVector.familyVectors
}
