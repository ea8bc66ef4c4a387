// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What is wrong with a packet of the broker.
package struct PacketFault: Error, Equatable, Sendable {
    package enum Problem: Equatable, Sendable {
        /// A publisher does not get such a packet, or not now.
        case unexpected
        /// The low four bits of the first octet are not those of the type. MQTT 5.0, 2.1.3.
        case flags(UInt8)
        /// The Remaining Length has more than four octets. MQTT 5.0, 1.5.5.
        case length
        /// More octets than any packet needs that a publisher gets.
        case tooLong(Int)
        case field(DecodeError)
        case unknownProperty(UInt8)
        case misplacedProperty(StaticString)
        case repeatedProperty(StaticString)
        /// Properties in the acknowledgement of a message that is not on its way.
        case notAwaited(UInt16)

        package static func == (left: Self, right: Self) -> Bool { left.description == right.description }
    }

    package var packet: ControlPacketType
    package var problem: Problem

    /// It sends what only subscribers get: somebody with this client id may have subscribed to something.
    package var isUnaskedMessage: Bool { packet == .publish && problem == .unexpected }
    /// It answers CONNECT as MQTT 3.1.1 has it.
    package var isOfOlderVersion: Bool { packet == .connack && problem == .field(.truncated(field: "Property Length")) }
}

extension PacketFault.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unexpected: "was not asked for"
        case .flags(let flags): "has the flags \(flags)"
        case .length: "has a length of more than four octets"
        case .tooLong(let octets): "of \(octets) octets"
        case .field(let error): "\(error)"
        case .unknownProperty(let identifier): "has a property that MQTT does not know (\(identifier))"
        case .misplacedProperty(let name): "must not have the property \(name)"
        case .repeatedProperty(let name): "has the property \(name) twice"
        case .notAwaited(let id): "is for a message that is not on its way (\(id)), and has properties"
        }
    }
}

extension PacketFault: CustomStringConvertible {
    package var description: String {
        switch problem {
        case .field: "\(packet): \(problem)"
        default: "\(packet) \(problem)"
        }
    }
}
