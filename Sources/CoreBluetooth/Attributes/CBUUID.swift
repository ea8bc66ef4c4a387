// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// A Bluetooth UUID of 16, 32 or 128 bits.
open class CBUUID: NSObject, NSCopying, @unchecked Sendable {
    // Sound: immutable.
    let value: BluetoothUUID

    init(_ value: BluetoothUUID) { self.value = value }

    /// All zeroes, and the type of nothing: for a place that is filled in later.
    public override init() { value = BluetoothUUID(high: 0, low: 0) }

    /// Reads 4, 8 or 32 hexadecimal digits, the last with dashes. Anything else is a mistake of the program and stops
    /// it, as on Apple's systems; for text that comes from outside there is ``init(validating:)``.
    public init(string text: String) {
        guard let value = BluetoothUUID(text) else { preconditionFailure("«\(text)» is no Bluetooth UUID") }
        self.value = value
    }

    /// Reads 2, 4 or 16 octets, most significant first; other lengths are a mistake of the program and stop it.
    public init(data: Data) {
        guard let value = BluetoothUUID(littleEndian: data.reversed()) else {
            preconditionFailure("\(data.count) octets are no Bluetooth UUID")
        }
        self.value = value
    }

    /// A UUID of 128 bits; of 16 or 32 bits if the UUID is on the Bluetooth base.
    public init(nsuuid: UUID) {
        let octets = withUnsafeBytes(of: nsuuid.uuid) { Array($0) }
        value = BluetoothUUID(
            high: octets[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: octets[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Additive: nil where `init(string:)` would stop the program.
    public init?(validating text: String) {
        guard let value = BluetoothUUID(text) else { return nil }
        self.value = value
    }

    /// 2, 4 or 16 octets, most significant first.
    open var data: Data {
        if let short = value.short { return Data([UInt8(short >> 8), UInt8(truncatingIfNeeded: short)]) }
        if let short = value.short32 {
            return Data(stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: short >> UInt32($0)) })
        }
        return Data(value.attributeOctets.reversed())
    }

    /// 4, 8 or 32 upper-case digits, the last with dashes.
    open var uuidString: String { value.description }

    open override var description: String { uuidString }
    open override var hash: Int { value.hashValue }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CBUUID else { return false }
        return other.value == value
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Descriptor types whose values ``CBDescriptor/value`` decodes.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// A description of the characteristic in words.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// Whether a client wants notifications or indications.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// Whether the server broadcasts the value.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// Format and unit of the value.
public let CBUUIDCharacteristicFormatString = "2904"
/// The formats of the parts of the value.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// The valid range of the value.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// When values are to be observed.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// A characteristic with the PSM of an L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
