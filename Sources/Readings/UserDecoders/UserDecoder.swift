// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A decoder that a file of the user's describes, in numbers instead of code: which octets it is about, and which of them
/// are which quantity. What it costs is bounded by the count of its fields.
package struct UserDecoder: Equatable, Sendable {
    /// Where the octets are.
    package enum Source: Equatable, Sendable {
        /// What follows the company identifier in Manufacturer Specific Data.
        case manufacturer(UInt16)
        /// What follows the 16-bit UUID in Service Data.
        case serviceData(UInt16)
        /// The value of a characteristic, as readings name it.
        case characteristic(String)
    }

    /// One octet that has to be there: its value under the mask.
    package struct Constant: Equatable, Sendable {
        package var mask: UInt8
        package var value: UInt8

        package init(mask: UInt8, value: UInt8) { (self.mask, self.value) = (mask, value & mask) }
    }

    /// Fields that one decoder has at most, and octets of what it is about.
    package static let maximumFields = 32
    package static let maximumLength = 512

    /// The family's name in readings; of a characteristic, its UUID.
    package var key: String
    /// For people.
    package var name: String
    package var source: Source
    /// Octets that the value has.
    package var length: ClosedRange<Int>
    /// What it begins with: no more than the shortest value has.
    package var prefix: [Constant]
    /// The advertised name; with a trailing `*` everything that begins so.
    package var localName: String?
    /// Where the value repeats the advertiser's address, the octet that is printed first coming first.
    package var addressOffset: Int?
    package var fields: [UserField]

    package init(key: String, name: String, source: Source, length: ClosedRange<Int>, fields: [UserField]) {
        (self.key, self.name, self.source, self.length, self.fields) = (key, name, source, length, fields)
        prefix = []
    }

    var quantities: [Quantity] {
        fields.reduce(into: []) { if !$0.contains($1.quantity) { $0.append($1.quantity) } }
    }

    /// Names are mostly in scan responses.
    var needsScanResponse: Bool { localName != nil }

    var carrier: AdvertisementCarrier? {
        switch source {
        case .manufacturer(let company): .manufacturer(company)
        case .serviceData(let uuid): .serviceData(uuid)
        case .characteristic: nil
        }
    }

    /// The value in an advertisement that is this family's; nil when it is not.
    package func recognise(_ advertisement: Advertisement) -> [UInt8]? {
        let found: [UInt8]? =
            switch source {
            case .manufacturer(let company): advertisement.manufacturerData(of: company).map(Array.init)
            case .serviceData(let uuid): advertisement.serviceData[uuid]
            case .characteristic: nil
            }
        guard let value = found, matches(value) else { return nil }
        if let localName {
            guard let name = advertisement.name else { return nil }
            guard localName.last == "*" ? name.hasPrefix(localName.dropLast()) : name == localName else { return nil }
        }
        if let addressOffset {
            guard let address = advertisement.addressOctets, addressOffset + 6 <= value.count,
                value[addressOffset..<(addressOffset + 6)].elementsEqual(address)
            else { return nil }
        }
        return (try? decode(value)) == nil ? nil : value
    }

    private func matches(_ value: [UInt8]) -> Bool {
        length.contains(value.count) && zip(prefix, value).allSatisfy { $0.value == $1 & $0.mask }
    }

    /// Throws when the value is none of this decoder's; leaves a field out when the sensor does not know it.
    package func decode(_ value: [UInt8]) throws(DecodeError) -> [Field] {
        guard matches(value) else { throw .invalid(field: "length or prefix") }
        var found: [Field] = []
        for field in fields {
            if let one = try field.read(value) { found.append(one) }
        }
        return found.numbered
    }
}
