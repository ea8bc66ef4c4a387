// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A descriptor of a characteristic to publish: a user description (`String`), a presentation format (`Data`), or
/// another type (`Data`). The host itself makes the descriptors for a client's configuration.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
    // Sound: what changes is behind a Mutex, here or in the superclass.

    /// A descriptor: `String` for a user description, `Data` for other types; the host makes the others itself.
    public init(type UUID: CBUUID, value: Any?) {
        super.init(local: UUID, value: SendableValue(value))
    }
}

extension CBDescriptor.SendableValue {
    /// Nil if a value of this type cannot be published.
    init?(_ value: Any?) {
        switch value {
        case let text as String: self = .text(text)
        case let data as Data: self = .octets(data)
        case let number as NSNumber: self = .number(UInt16(truncatingIfNeeded: number.intValue))
        default: return nil
        }
    }

    /// The value's octets in an attribute.
    var octets: [UInt8] {
        switch self {
        case .number(let number): [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        case .text(let text): Array(text.utf8)
        case .octets(let data): Array(data)
        }
    }
}
