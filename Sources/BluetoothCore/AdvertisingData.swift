// SPDX-License-Identifier: Apache-2.0

/// Walks the AD structures of advertising data, and of the scan response data behind it. Core 5.4, Vol 3, Part C, 11.
///
/// The two parts are parsed separately. A structure that runs past the end of its part ends the walk of this part. The
/// structures before the overrun are kept, for some real advertisers make this mistake.
package struct AdvertisingData: Sequence, Sendable {
    package struct Structure: Equatable, Sendable {
        package let type: AdvertisingDataType
        package let value: ArraySlice<UInt8>
    }

    private let octets: ArraySlice<UInt8>
    private let responseAt: Int

    /// - Parameter responseAt: Octets of the advertising data; the scan response data follows. The default means no
    ///   scan response.
    package init(_ octets: ArraySlice<UInt8>, responseAt: Int = .max) {
        self.octets = octets
        self.responseAt = responseAt
    }

    package init(_ octets: [UInt8], responseAt: Int = .max) { self.init(octets[...], responseAt: responseAt) }

    package struct Iterator: IteratorProtocol {
        fileprivate let octets: ArraySlice<UInt8>
        fileprivate let responseAt: Int
        fileprivate var offset = 0

        package mutating func next() -> Structure? {
            let octets = octets
            guard let (type, value) = AdvertisingData.next(in: octets.span.bytes, responseAt: responseAt, &offset)
            else { return nil }
            let start = octets.startIndex
            return Structure(type: type, value: octets[(start + value.lowerBound)..<(start + value.upperBound)])
        }
    }

    package func makeIterator() -> Iterator { Iterator(octets: octets, responseAt: responseAt) }

    /// The first structure at or behind `offset`; nil if there is none. The call moves the offset behind the structure.
    /// The function serves every advertisement: it counts and copies nothing.
    @inlinable
    package static func next(
        in octets: RawSpan, responseAt: Int = .max, _ offset: inout Int
    ) -> (type: AdvertisingDataType, value: Range<Int>)? {
        while true {
            let isFirst = offset < responseAt
            let limit = isFirst ? Swift.min(responseAt, octets.byteCount) : octets.byteCount
            // A zero length marks early termination. Some devices pad with zeros and then continue, so zeros are
            // skipped.
            while offset < limit, octets.u8(at: offset) == 0 { offset += 1 }
            if offset < limit {
                let start = offset + 2
                let end = offset + 1 + Int(octets.u8(at: offset))
                if end <= limit {
                    offset = end
                    return (AdvertisingDataType(rawValue: octets.u8(at: start - 1)), start..<end)
                }
            }
            guard isFirst, responseAt < octets.byteCount else { return nil }
            offset = responseAt
        }
    }
}

/// The type of an AD structure. Assigned Numbers, 2.3.
public struct AdvertisingDataType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let flags = Self(rawValue: 0x01)
    public static let incompleteUUIDs16 = Self(rawValue: 0x02)
    public static let completeUUIDs16 = Self(rawValue: 0x03)
    public static let incompleteUUIDs32 = Self(rawValue: 0x04)
    public static let completeUUIDs32 = Self(rawValue: 0x05)
    public static let incompleteUUIDs128 = Self(rawValue: 0x06)
    public static let completeUUIDs128 = Self(rawValue: 0x07)
    public static let shortenedLocalName = Self(rawValue: 0x08)
    public static let completeLocalName = Self(rawValue: 0x09)
    public static let txPowerLevel = Self(rawValue: 0x0A)
    public static let solicitedUUIDs16 = Self(rawValue: 0x14)
    public static let solicitedUUIDs128 = Self(rawValue: 0x15)
    public static let serviceData16 = Self(rawValue: 0x16)
    public static let appearance = Self(rawValue: 0x19)
    public static let solicitedUUIDs32 = Self(rawValue: 0x1F)
    public static let serviceData32 = Self(rawValue: 0x20)
    public static let serviceData128 = Self(rawValue: 0x21)
    public static let encryptedData = Self(rawValue: 0x31)
    public static let manufacturerData = Self(rawValue: 0xFF)

    /// Octets of each UUID in lists of this type: 2, 4 or 16; nil for other types.
    public var serviceUUIDWidth: Int? {
        switch rawValue {
        case 0x02, 0x03: 2
        case 0x04, 0x05: 4
        case 0x06, 0x07: 16
        default: nil
        }
    }

    /// Octets of each UUID in lists of solicited services of this type; nil for other types.
    public var solicitedUUIDWidth: Int? {
        switch rawValue {
        case 0x14: 2
        case 0x1F: 4
        case 0x15: 16
        default: nil
        }
    }

    /// Octets of the UUID at the beginning of service data of this type; nil for other types.
    public var serviceDataUUIDWidth: Int? {
        switch rawValue {
        case 0x16: 2
        case 0x20: 4
        case 0x21: 16
        default: nil
        }
    }
}

extension AdvertisingData.Structure {
    /// The UUIDs of a list with `width` octets each; a truncated last UUID is left out.
    package func uuids(width: Int) -> [BluetoothUUID] {
        stride(from: value.startIndex, through: value.endIndex - width, by: width).compactMap {
            BluetoothUUID(littleEndian: value[$0..<($0 + width)])
        }
    }
}
