// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A family of sensors that advertise their values: one that is built in, or one that a file of the user's describes.
package struct SensorFamily: Sendable {
    /// How readings, the configuration and payloads call it.
    package let family: String
    /// For people.
    package let name: String
    package let quantities: [Quantity]
    package let needs: FamilyNeeds
    private let recogniseOne: @Sendable (Advertisement) -> RecognisedPacket?
    private let makeKey: @Sendable ([UInt8]) -> [UInt8]?
    private let unsealOne: @Sendable (SealedPacket, [UInt8]) -> AdvertisedPacket?
    private let decodeOne: Decoders.Decode

    package init(_ type: any AdvertisementDecoder.Type) {
        (family, name, quantities, needs) = (type.family, type.name, type.quantities, type.needs)
        recogniseOne = { type.recognise($0) }
        makeKey = { type.key(from: $0) }
        unsealOne = { type.unsealed($0, plaintext: $1) }
        decodeOne = { value throws(DecodeError) in try type.decode(value) }
    }

    init(_ decoder: UserDecoder) {
        (family, name, quantities) = (decoder.key, decoder.name, decoder.quantities)
        needs = FamilyNeeds(needsActiveScan: decoder.needsScanResponse)
        recogniseOne = { decoder.recognise($0).map { .plain(AdvertisedPacket($0)) } }
        makeKey = { _ in nil }
        unsealOne = { _, _ in nil }
        decodeOne = { value throws(DecodeError) in try decoder.decode(value) }
    }

    /// See ``AdvertisementDecoder``.
    package func recognise(_ advertisement: Advertisement) -> RecognisedPacket? { recogniseOne(advertisement) }
    package func key(from octets: [UInt8]) -> [UInt8]? { makeKey(octets) }
    package func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        unsealOne(packet, plaintext)
    }
    package func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] { try decodeOne(value) }
}
