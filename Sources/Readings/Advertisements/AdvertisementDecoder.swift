// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One family of sensors that send their values in advertisements.
package protocol AdvertisementDecoder: SendableMetatype {
    /// How readings, the configuration and payloads call it: `bthome`. Lower-case letters, digits and dashes; never changes.
    static var family: String { get }

    /// For people: `BTHome`.
    static var name: String { get }

    /// Where its data may be. It is only asked about advertisements that have one of these.
    static var carriers: [AdvertisementCarrier] { get }

    /// What its fields may be about.
    static var quantities: [Quantity] { get }

    /// What somebody who owns such a sensor has to know.
    static var needs: FamilyNeeds { get }

    /// The family's packet in an advertisement; nil when there is none.
    ///
    /// Anybody can send anything: it is only a packet of the family when identifier, length and every constant are right
    /// and the address that it repeats, if any, is the advertiser's.
    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket?

    /// The AES key that a key given by a person stands for: 16 octets; nil when it cannot be one of this family.
    static func key(from octets: [UInt8]) -> [UInt8]?

    /// The packet that an opened one holds; nil when what came out cannot be one, as with a wrong key and a cipher that
    /// does not authenticate.
    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket?

    /// A packet's value with what its entry says of the tank below the sensor.
    static func value(_ value: [UInt8], ofTankWith medium: TankMedium) -> [UInt8]

    /// States whose beginning a model tells and whose end it never does, and the seconds after which such a state is over:
    /// as long as in the maker's app, or 60.
    static func impulses(of model: String) -> [Quantity: Int]

    /// The model that a value is of, where the model's ``impulses(of:)`` matter.
    static func model(of value: [UInt8]) -> String?

    /// Throws when a packet is not what its family sends, or says what cannot be; leaves a field out when the sensor does
    /// not know it.
    static func decode(_ value: [UInt8]) throws(DecodeError) -> [Field]
}

extension AdvertisementDecoder {
    package static var needs: FamilyNeeds { FamilyNeeds() }

    package static func key(from octets: [UInt8]) -> [UInt8]? { octets.count == 16 ? octets : nil }

    package static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket? { nil }

    package static func impulses(of model: String) -> [Quantity: Int] { [:] }

    package static func model(of value: [UInt8]) -> String? { nil }

    package static func value(_ value: [UInt8], ofTankWith medium: TankMedium) -> [UInt8] { value }
}

/// Where a family's data is.
package enum AdvertisementCarrier: Hashable, Sendable {
    /// Service Data under a 16-bit UUID.
    case serviceData(UInt16)
    /// Service Data under a UUID of 32 or 128 bits.
    case longServiceData(BluetoothUUID)
    /// Manufacturer Specific Data of a company.
    case manufacturer(UInt16)
    /// Manufacturer Specific Data with values in place of the company's identifier.
    case anyManufacturer
}

/// What somebody who owns a sensor of a family has to know.
package struct FamilyNeeds: Equatable, Sendable {
    package enum Key: String, Sendable {
        case none, optional, required
    }

    package var key: Key
    /// Some of it is only in scan responses, which cost the sensor's battery.
    package var needsActiveScan: Bool
    /// Extended advertising: the controller has to know Bluetooth 5.
    package var needsExtendedAdvertising: Bool
    /// Whose products: `Xiaomi Mijia LYWSD03MMC, LYWSDCGQ, …`.
    package var products: String
    /// Where the key comes from, which firmware is needed, what to switch on. Sentences; may be empty.
    package var hint: String

    package init(
        key: Key = .none, needsActiveScan: Bool = false, needsExtendedAdvertising: Bool = false, products: String = "",
        hint: String = ""
    ) {
        self.key = key
        self.needsActiveScan = needsActiveScan
        self.needsExtendedAdvertising = needsExtendedAdvertising
        self.products = products
        self.hint = hint
    }
}
