// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A family of sensors with values in advertisements: a built-in family, or a family described by a file of the user's.
package struct SensorFamily: Sendable {
    /// All copies of a family share one body, because packets carry families.
    private final class Body: Sendable {
        let family: String
        let name: String
        let quantities: [Quantity]
        let needs: FamilyNeeds
        let carriers: [AdvertisementCarrier]
        let recognise: @Sendable (Advertisement) -> RecognisedPacket?
        let makeKey: @Sendable ([UInt8]) -> [UInt8]?
        let unseal: @Sendable (SealedPacket, [UInt8]) -> AdvertisedPacket?
        let decode: Decoders.Decode
        let impulsesOfModel: @Sendable (String) -> [Quantity: Int]
        let modelOfValue: @Sendable ([UInt8]) -> String?
        let addMedium: @Sendable ([UInt8], TankMedium) -> [UInt8]

        init(_ type: any AdvertisementDecoder.Type) {
            (family, name, quantities, needs) = (type.family, type.name, type.quantities, type.needs)
            carriers = type.carriers
            recognise = { type.recognise($0) }
            makeKey = { type.key(from: $0) }
            unseal = { type.unsealed($0, plaintext: $1) }
            decode = { value throws(DecodeError) in try type.decode(value) }
            impulsesOfModel = { type.impulses(of: $0) }
            modelOfValue = { type.model(of: $0) }
            addMedium = { type.value($0, ofTankWith: $1) }
        }

        init(_ definition: SensorDefinition) {
            (family, name, quantities) = (definition.key, definition.name, definition.quantities)
            (needs, carriers) = (definition.needs, definition.carriers)
            let (hasCipher, impulses) = (definition.hasCipher, definition.impulses)
            recognise = { definition.recognise($0) }
            makeKey = { hasCipher && $0.count == 16 ? $0 : nil }
            unseal = { definition.unsealed($0, plaintext: $1) }
            decode = { value throws(DecodeError) in try definition.decode(value) }
            impulsesOfModel = { _ in impulses }
            modelOfValue = { _ in impulses.isEmpty ? nil : definition.name }
            addMedium = { value, _ in value }
        }
    }

    private let body: Body

    package init(_ type: any AdvertisementDecoder.Type) { body = Body(type) }
    package init(_ definition: SensorDefinition) { body = Body(definition) }

    /// The family's name in readings, the configuration and payloads.
    package var family: String { body.family }
    /// For people.
    package var name: String { body.name }
    package var quantities: [Quantity] { body.quantities }
    package var needs: FamilyNeeds { body.needs }
    /// The possible places of the family's data. The family is asked only about advertisements with such data.
    package var carriers: [AdvertisementCarrier] { body.carriers }

    /// The family's packets hold another family's packets: Encrypted Advertising Data.
    package var isEnvelope: Bool { family == EncryptedAdvertisingData.family }

    /// The family's packet in an advertisement; nil without a packet, or for impossible values.
    package func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let found = body.recognise(advertisement) else { return nil }
        return if case .plain(let packet) = found { decoded(packet).map { .plain($0) } } else { found }
    }

    /// An advertisement has a packet of the family that ``recognise(_:)`` refuses for its impossible values.
    package func saysWhatCannotBe(_ advertisement: Advertisement) -> Bool {
        guard case .plain(let packet) = body.recognise(advertisement) else { return false }
        return decoded(packet) == nil
    }

    /// The packet with its fields; nil if its value is impossible. Some families decode the value to recognise it.
    private func decoded(_ packet: AdvertisedPacket) -> AdvertisedPacket? {
        guard let fields = try? packet.fields.map(Self.possible) ?? decode(packet.value) else { return nil }
        var packet = packet
        packet.fields = fields
        return packet
    }

    /// See ``AdvertisementDecoder``.
    package func key(from octets: [UInt8]) -> [UInt8]? { body.makeKey(octets) }

    /// The packet in decrypted octets; nil if the octets cannot be a packet, or have impossible values.
    package func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        body.unseal(packet, plaintext).flatMap(decoded)
    }

    /// Seconds after which a state of a model is over, if the model never reports its end.
    package func impulse(_ quantity: Quantity, of model: String) -> Int? { body.impulsesOfModel(model)[quantity] }

    /// The states without an end from a value's sensor, and the seconds until the end of each.
    package func impulses(of value: [UInt8]) -> [Quantity: Int] {
        body.modelOfValue(value).map(body.impulsesOfModel) ?? [:]
    }

    /// Whether a value reports the beginning of such a state: each report is an event of its own.
    package func isImpulse(_ value: [UInt8], _ fields: [Field]) -> Bool {
        let impulses = impulses(of: value)
        return fields.contains { impulses[$0.quantity] != nil && $0.value == .int(1) }
    }

    /// A packet, extended by the content of the tank below the sensor, from the sensor's entry.
    package func packet(_ packet: AdvertisedPacket, ofTankWith medium: TankMedium) -> AdvertisedPacket {
        let value = body.addMedium(packet.value, medium)
        guard value != packet.value else { return packet }
        var packet = packet
        packet.value = value
        packet.fields = try? decode(value)
        return packet
    }

    /// Leaves out fields with impossible values: a flag in the battery's octet is no reason to lose a temperature.
    /// Throws if the family's decoder throws, and if every field is impossible.
    package func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        try Self.possible(body.decode(value))
    }

    /// The fields without impossible ones.
    private static func possible(_ fields: [Field]) throws(DecodeError) -> [Field] {
        guard let impossible = fields.firstIndex(where: { !$0.isPossible }) else { return fields }
        let possible = fields[..<impossible] + fields[impossible...].filter(\.isPossible)
        guard !possible.isEmpty else { throw .invalid(field: "value") }
        return Array(possible)
    }
}
