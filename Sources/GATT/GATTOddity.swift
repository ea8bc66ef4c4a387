// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// A point in which a server departs from Core 5.4, Vol 3, Parts F and G, in a discovery. The discovery leaves the odd item
/// out and keeps the others.
package struct GATTOddity: Hashable, Sendable {
    /// The items that a discovery looks for.
    package enum Subject: String, Sendable {
        case service
        case includedService = "included service"
        case characteristic
        case descriptor
        /// No single item.
        case server
    }

    package enum Kind: Hashable, Sendable {
        /// The item's handle is outside of the requested range.
        case handleOutOfRange
        /// One answer has two items with this handle. The client keeps the first one.
        case comesTwice
        /// The items of one answer are not in the order of their handles. The client uses all of them.
        case outOfOrder
        /// A group's end is before its beginning.
        case endsBeforeStart
        /// A service reaches into the next one. The client cuts the service before the next one.
        case overlapsNext
        /// The value's handle is outside of the service or the characteristic.
        case valueOutside(UInt16)
        /// Its UUID has neither 2 nor 16 octets, or the declaration is too short.
        case badDeclaration
        /// The last item of an answer lacks octets. The item before it has this handle, and is kept.
        case cutAnswer
        /// The answer could not be read. The items before it are kept.
        case unreadableAnswer
        /// The server refused to go on, with another error than Attribute Not Found. The items before it are kept.
        case refused(ATTErrorCode)
        /// The search came to nothing, refused with an error or answered with nonsense, and was made in another way.
        case otherWay(ATTErrorCode?)
        /// The answer has no item that leads on, or the server has more than ``GATTLimit/attributes`` items.
        case endless
        /// A characteristic for notifications has no Client Characteristic Configuration descriptor. The client writes nothing.
        case noConfiguration
        /// The server gives an answer twice. The client leaves out the repetition.
        case answersTwice
    }

    package let subject: Subject
    package let kind: Kind
    /// The handle of the item: 0…0xFFFF, as the server sent the handle.
    package let handle: UInt16

    package init(_ subject: Subject, _ kind: Kind, at handle: UInt16) {
        self.subject = subject
        self.kind = kind
        self.handle = handle
    }
}

extension GATTOddity: CustomStringConvertible {
    /// A sentence without its full stop.
    package var description: String {
        let item = "the \(subject.rawValue) at handle 0x\(handle.bigEndianHexadecimal)"
        return switch kind {
        case .handleOutOfRange: "\(item) is outside of the range that was asked for, and is left out"
        case .comesTwice: "\(item) comes twice in one answer; the second one is left out"
        case .outOfOrder:
            "the \(subject.rawValue)s from handle 0x\(handle.bigEndianHexadecimal) on are not in the order of their handles"
        case .endsBeforeStart: "\(item) ends before it begins, and is left out"
        case .overlapsNext: "\(item) reaches into the next one, and is cut"
        case .valueOutside(let value):
            "\(item) has its value at 0x\(value.bigEndianHexadecimal), which is outside of it, and is left out"
        case .badDeclaration: "\(item) has a declaration that cannot be read, and is left out"
        case .cutAnswer:
            "an answer of the \(subject.rawValue) breaks off behind the item at handle 0x\(handle.bigEndianHexadecimal); the rest is "
                + "left out"
        case .unreadableAnswer:
            "the answer to the search for \(subject.rawValue)s from handle 0x\(handle.bigEndianHexadecimal) on "
                + "cannot be read; the search ends there"
        case .refused(let error):
            "the search for \(subject.rawValue)s from handle 0x\(handle.bigEndianHexadecimal) on was refused "
                + "(\(error)); the search ends there"
        case .otherWay(let error?):
            "the search for \(subject.rawValue)s from handle 0x\(handle.bigEndianHexadecimal) on was refused (\(error)); it was "
                + "made in another way"
        case .otherWay(nil):
            "the answer to the search for \(subject.rawValue)s from handle 0x\(handle.bigEndianHexadecimal) on cannot be read; the "
                + "search was made in another way"
        case .endless:
            "the answer to the search for \(subject.rawValue)s from handle 0x\(handle.bigEndianHexadecimal) on leads no further; the search "
                + "ends there"
        case .noConfiguration:
            "the characteristic whose value is at handle 0x\(handle.bigEndianHexadecimal) has no descriptor that switches notifications "
                + "on; its values are taken all the same"
        case .answersTwice: "the \(subject.rawValue) gives answers twice; the second ones are left out"
        }
    }
}

/// The first oddities of one server. Bounded.
package struct GATTOddities: Equatable, Sendable {
    /// The most oddities that are kept: enough to describe a server.
    package static let limit = 16

    package private(set) var first: [GATTOddity] = []

    package init() {}

    package var isEmpty: Bool { first.isEmpty }

    mutating func record(_ oddity: GATTOddity) {
        guard first.count < Self.limit, !first.contains(oddity) else { return }
        first.append(oddity)
    }
}
