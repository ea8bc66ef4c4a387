// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Encrypted Advertising Data: AD structures that only devices with the sender's key material can read (Supplement to
/// the Core Specification, Part A, 1.23).
///
/// The octets are a randomizer, the encrypted structures, and a tag of four octets. The opened structures are read like
/// an advertisement's; their values belong to the family of the packet among them. A second encryption inside of
/// the first stays unread. The sender has no counter, so an old packet is not recognised.
enum EncryptedAdvertisingData: AdvertisementDecoder {
    static let family = "encrypted-data"
    static let name = "Encrypted Advertising Data"
    static let carriers: [AdvertisementCarrier] = []
    static let quantities: [Quantity] = []
    static let needs = FamilyNeeds(
        key: .required,
        hint: "The key has 48 digits: the session key and the initialization vector, in the order of the sensor's "
            + "characteristic Encrypted Data Key Material (2B88), which a paired device can read.")

    private static let lengthOfRandomizer = 5
    private static let lengthOfTag = 4
    private static let additionalData: [UInt8] = [0xEA]

    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        let data = advertisement.encryptedData
        guard data.count > lengthOfRandomizer + lengthOfTag else { return nil }
        var sealed = SealedPacket(
            .keyMaterial(
                randomizer: Array(data.prefix(lengthOfRandomizer)), additionalData: additionalData,
                tag: Array(data.suffix(lengthOfTag))),
            ciphertext: Array(data[lengthOfRandomizer..<(data.count - lengthOfTag)]))
        sealed.sender = Advertisement(
            address: advertisement.address, name: advertisement.name, services: advertisement.services)
        return .sealed(sealed)
    }

    static func key(from octets: [UInt8]) -> [UInt8]? { octets.count == KeyMaterial.length ? octets : nil }

    /// The first readable packet among the opened structures, and its family.
    static func content(
        of sealed: SealedPacket, _ plaintext: [UInt8]
    ) -> (decoder: SensorFamily, packet: AdvertisedPacket)? {
        for advertisement in Advertisement.all(in: plaintext[...], address: sealed.sender?.address) {
            var one = advertisement
            one.name = one.name ?? sealed.sender?.name
            one.services += sealed.sender?.services ?? []
            if let found = SensorFamilies.recognise(one), let packet = found.packet.plain {
                return (found.decoder, packet)
            }
        }
        return nil
    }

    /// A value is always another family's.
    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] { throw .invalid(field: "family") }
}

/// The key of Encrypted Advertising Data: a session key of 16 octets and an initialization vector of 8, in the order of
/// the characteristic Encrypted Data Key Material.
package enum KeyMaterial {
    /// In octets.
    package static let length = 24
}
