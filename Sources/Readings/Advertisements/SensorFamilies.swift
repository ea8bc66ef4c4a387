// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// All families of sensors with values in advertisements.
package enum SensorFamilies {
    /// A packet and its family.
    package struct Recognised: Sendable {
        package var decoder: SensorFamily
        package var packet: RecognisedPacket

        /// The family and the packet in decrypted octets; nil if the octets cannot be a packet, or have impossible
        /// values. Another family's packet may be inside of Encrypted Advertising Data.
        package func opened(_ plaintext: [UInt8]) -> (decoder: SensorFamily, packet: AdvertisedPacket)? {
            guard case .sealed(let sealed) = packet else { return nil }
            if decoder.isEnvelope { return EncryptedAdvertisingData.content(of: sealed, plaintext) }
            return decoder.unsealed(sealed, plaintext: plaintext).map { (decoder, $0) }
        }
    }

    private static let coded: [any AdvertisementDecoder.Type] = [
        ATCDecoder.self,
        AranetDecoder.self,
        BParasiteDecoder.self,
        BTHomeDecoder.self,
        BTHomeV1Decoder.self,
        EddystoneDecoder.self,
        GoveeDecoder.self,
        IBeaconDecoder.self,
        MiBeaconDecoder.self,
        MopekaDecoder.self,
        QingpingDecoder.self,
        RuuviDecoder.self,
        SwitchBotDecoder.self,
        ThermoBeaconDecoder.self,
        TiltDecoder.self,
        VictronDecoder.self,
    ]

    /// Families whose packets Swift finds, and families described by the files of `Sources/Readings/Sensors`.
    package static let all: [SensorFamily] =
        coded.map { SensorFamily($0) } + described.filter { !$0.isOfRecords }.map { SensorFamily($0) }

    private static let byName = Dictionary(all.map { ($0.family, $0) }) { first, _ in first }
    private static let index = FamilyIndex(all)
    /// Not among ``all``: the packet in an envelope is another family's.
    static let envelope = SensorFamily(EncryptedAdvertisingData.self)

    /// The family with this name in readings.
    package static func family(_ name: String) -> SensorFamily? {
        UserDecoders.current.byFamily[name] ?? byName[name] ?? (name == envelope.family ? envelope : nil)
    }

    /// The names of all families, also of families described by the user's files.
    package static var names: Set<String> { Set(byName.keys).union(UserDecoders.current.byFamily.keys) }

    /// The one packet in an advertisement; nil if no family knows the packet.
    package static func recognise(_ advertisement: Advertisement) -> Recognised? {
        if !advertisement.encryptedData.isEmpty {
            return envelope.recognise(advertisement).map { Recognised(decoder: envelope, packet: $0) }
        }
        let users = UserDecoders.current.index
        if !users.isEmpty, let found = recognise(advertisement, in: users) { return found }
        return recognise(advertisement, in: index)
    }

    /// The families whose place an advertisement uses.
    package static func asked(about advertisement: Advertisement) -> [SensorFamily] {
        UserDecoders.current.index.asked(about: advertisement) + index.asked(about: advertisement)
    }

    private static func recognise(_ advertisement: Advertisement, in index: FamilyIndex) -> Recognised? {
        index.first(about: advertisement) { family in
            family.recognise(advertisement).map { Recognised(decoder: family, packet: $0) }
        }
    }
}
