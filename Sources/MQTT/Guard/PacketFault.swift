// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A fault in a packet of the broker.
package struct PacketFault: Error, Equatable, Sendable {
    package enum Problem: Equatable, Sendable {
        /// A client of ours gets no packet of this type, or not now.
        case unexpected
        /// The low four bits of the first octet do not fit the type. MQTT 5.0, 2.1.3.
        case flags(UInt8)
        /// The Remaining Length has more than four octets. MQTT 5.0, 1.5.5.
        case length
        /// The packet is longer than any packet that a client of ours needs, or than the client's limit for messages.
        case tooLong(Int)
        case field(DecodeError)
        case unknownProperty(UInt8)
        case misplacedProperty(StaticString)
        case repeatedProperty(StaticString)
        /// The answer to CONNECT is in another protocol.
        case otherProtocol(StaticString)
        /// Properties in the acknowledgement of an unknown message.
        case notAwaited(UInt16)
        /// A message with QoS 2; no subscription of ours asks for QoS 2.
        case exactlyOnce
        /// More messages with QoS 1 came than the client could acknowledge meanwhile.
        case unacknowledged(Int)
        /// An answer with the identifier of no request.
        case unasked(UInt16)
        /// An answer whose number of reason codes differs from the request's number of topic filters. With no codes at
        /// all, libmosquitto 2.0 lets its users read beyond the end (CVE-2024-10525).
        case answers(Int, filters: Int)

        package static func == (left: Self, right: Self) -> Bool { left.description == right.description }
    }

    package var packet: ControlPacketType
    package var problem: Problem

    /// The broker sends messages of a subscription that is not ours: another user of this client id may have made it.
    package var isUnaskedMessage: Bool {
        packet == .publish && (problem == .unexpected || problem == .exactlyOnce)
    }
    /// The broker answers CONNECT in the form of MQTT 3.1.1.
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
        case .otherProtocol(let name): "is no packet, but \(name)"
        case .notAwaited(let id): "is for a message that is not on its way (\(id)), and has properties"
        case .exactlyOnce: "has QoS 2, which was not asked for"
        case .unacknowledged(let count): "is one of \(count) whose acknowledgements the broker does not take"
        case .unasked(let id): "answers nothing that was asked (\(id))"
        case .answers(let codes, let filters): "has \(codes) reason codes for \(filters) topic filters"
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
