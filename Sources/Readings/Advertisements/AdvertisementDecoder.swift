// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A family of sensors with values in advertisements.
package protocol AdvertisementDecoder: SendableMetatype {
    /// The family's name in readings, the configuration and payloads: `bthome`. Lower-case letters, digits and dashes;
    /// never changes.
    static var family: String { get }

    /// For people: `BTHome`.
    static var name: String { get }

    /// The possible places of the family's data. The family is asked only about advertisements with such data.
    static var carriers: [AdvertisementCarrier] { get }

    /// Quantities of the family's fields.
    static var quantities: [Quantity] { get }

    /// Facts for owners of the family's sensors.
    static var needs: FamilyNeeds { get }

    /// The family's packet in an advertisement; nil if there is none.
    ///
    /// Any device can send anything. A packet belongs to the family only if its identifier, length and every constant
    /// are right. If the packet repeats an address, the address must be the advertiser's.
    static func recognise(_ advertisement: Advertisement) -> RecognisedPacket?

    /// The AES key for a key entered by a person: 16 octets; nil if the key cannot belong to this family.
    static func key(from octets: [UInt8]) -> [UInt8]?

    /// The packet in decrypted octets; nil if the octets cannot be a packet. A wrong key leads to nil with a cipher
    /// that does not authenticate.
    static func unsealed(_ packet: SealedPacket, plaintext: [UInt8]) -> AdvertisedPacket?

    /// A packet's value, extended by the content of the tank below the sensor, from the sensor's entry.
    static func value(_ value: [UInt8], ofTankWith medium: TankMedium) -> [UInt8]

    /// States whose beginning alone a model reports, and the seconds until the end of each: as in the maker's app, or
    /// 60.
    static func impulses(of model: String) -> [Quantity: Int]

    /// The model of a value, if the model's ``impulses(of:)`` matter.
    static func model(of value: [UInt8]) -> String?

    /// Throws if the packet is not of the family's kind, or has an impossible value. Leaves out fields that the
    /// sensor does not know.
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

/// The place of a family's data.
package enum AdvertisementCarrier: Hashable, Sendable {
    /// Service Data under a 16-bit UUID.
    case serviceData(UInt16)
    /// Service Data under a UUID of 32 or 128 bits.
    case longServiceData(BluetoothUUID)
    /// Manufacturer Specific Data of a company.
    case manufacturer(UInt16)
    // Manufacturer Specific Data with values in place of the company's identifier, by one fact about the advertisement.
    /// The first two octets of the data, the second as the high octet.
    case head(UInt16)
    case firstOctet(UInt8)
    /// The number of octets.
    case length(Int)
    /// A service UUID in the same advertisement.
    case service(BluetoothUUID)
    /// The beginning of the advertised name.
    case name(String)
}

/// Facts that the owner of a family's sensor has to know.
package struct FamilyNeeds: Equatable, Sendable {
    package enum Key: String, Sendable {
        case none, optional, required
    }

    package var key: Key
    /// Some data is only in scan responses, which cost the sensor's battery.
    package var needsActiveScan: Bool
    /// Extended advertising: the controller has to know Bluetooth 5.
    package var needsExtendedAdvertising: Bool
    /// The products of the family: `Xiaomi Mijia LYWSD03MMC, LYWSDCGQ, …`.
    package var products: String
    /// The source of the key, the needed firmware, the settings to switch on. Sentences; may be empty.
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
