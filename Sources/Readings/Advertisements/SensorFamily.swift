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
    /// Where its data may be. It is only asked about advertisements that have one of these.
    package let carriers: [AdvertisementCarrier]
    private let recogniseOne: @Sendable (Advertisement) -> RecognisedPacket?
    private let makeKey: @Sendable ([UInt8]) -> [UInt8]?
    private let unsealOne: @Sendable (SealedPacket, [UInt8]) -> AdvertisedPacket?
    private let decodeOne: Decoders.Decode
    private let impulsesOfModel: @Sendable (String) -> [Quantity: Int]
    private let modelOfValue: @Sendable ([UInt8]) -> String?
    private let addMedium: @Sendable ([UInt8], TankMedium) -> [UInt8]

    package init(_ type: any AdvertisementDecoder.Type) {
        (family, name, quantities, needs) = (type.family, type.name, type.quantities, type.needs)
        carriers = type.carriers
        recogniseOne = { type.recognise($0) }
        makeKey = { type.key(from: $0) }
        unsealOne = { type.unsealed($0, plaintext: $1) }
        decodeOne = { value throws(DecodeError) in try type.decode(value) }
        impulsesOfModel = { type.impulses(of: $0) }
        modelOfValue = { type.model(of: $0) }
        addMedium = { type.value($0, ofTankWith: $1) }
    }

    package init(_ definition: SensorDefinition) {
        (family, name, quantities) = (definition.key, definition.name, definition.quantities)
        (needs, carriers) = (definition.needs, definition.carriers)
        let (hasCipher, impulses) = (definition.hasCipher, definition.impulses)
        recogniseOne = { definition.recognise($0) }
        makeKey = { hasCipher && $0.count == 16 ? $0 : nil }
        unsealOne = { definition.unsealed($0, plaintext: $1) }
        decodeOne = { value throws(DecodeError) in try definition.decode(value) }
        impulsesOfModel = { _ in impulses }
        modelOfValue = { _ in impulses.isEmpty ? nil : definition.name }
        addMedium = { value, _ in value }
    }

    /// The family's packet in an advertisement; nil when there is none, or when it says what cannot be.
    package func recognise(_ advertisement: Advertisement) -> RecognisedPacket? {
        guard let found = recogniseOne(advertisement) else { return nil }
        return if case .plain(let packet) = found { decoded(packet).map { .plain($0) } } else { found }
    }

    /// There is a packet of the family in an advertisement that ``recognise(_:)`` refuses for what it says.
    package func saysWhatCannotBe(_ advertisement: Advertisement) -> Bool {
        guard case .plain(let packet) = recogniseOne(advertisement) else { return false }
        return decoded(packet) == nil
    }

    /// The packet with what its value says; nil where it says what cannot be.
    private func decoded(_ packet: AdvertisedPacket) -> AdvertisedPacket? {
        guard let fields = try? decode(packet.value) else { return nil }
        var packet = packet
        packet.fields = fields
        return packet
    }

    /// See ``AdvertisementDecoder``.
    package func key(from octets: [UInt8]) -> [UInt8]? { makeKey(octets) }

    /// The packet that an opened one holds; nil when it cannot be one, or says what cannot be.
    package func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? {
        unsealOne(packet, plaintext).flatMap(decoded)
    }

    /// Seconds after which a state of a model is over, where the model never tells its end.
    package func impulse(_ quantity: Quantity, of model: String) -> Int? { impulsesOfModel(model)[quantity] }

    /// Whether a value tells that such a state begins: each time is an event of its own.
    package func isImpulse(_ value: [UInt8], _ fields: [Field]) -> Bool {
        guard let model = modelOfValue(value) else { return false }
        let impulses = impulsesOfModel(model)
        return fields.contains { impulses[$0.quantity] != nil && $0.value == .int(1) }
    }

    /// A packet with what its entry says of the tank below the sensor.
    package func packet(_ packet: AdvertisedPacket, ofTankWith medium: TankMedium) -> AdvertisedPacket {
        let value = addMedium(packet.value, medium)
        guard value != packet.value else { return packet }
        var packet = packet
        packet.value = value
        packet.fields = try? decode(value)
        return packet
    }

    /// Leaves out what its quantity cannot be: a flag in the battery's octet is no reason to lose a temperature. Throws where
    /// the family's decoder does, and where nothing of the packet can be.
    package func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        let fields = try decodeOne(value)
        guard let impossible = fields.firstIndex(where: { !$0.isPossible }) else { return fields }
        let possible = fields[..<impossible] + fields[impossible...].filter(\.isPossible)
        guard !possible.isEmpty else { throw .invalid(field: "value") }
        return Array(possible)
    }
}
