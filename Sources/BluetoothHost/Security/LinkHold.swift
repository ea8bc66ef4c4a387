// SPDX-License-Identifier: Apache-2.0

import ATT
import GATT
import HCI
import L2CAP

/// The PDUs that wait for the encryption of a link.
struct LinkHold: Sendable {
    struct PDU: Sendable {
        let payload: [UInt8]
        let channel: ChannelIdentifier
        let kind: QueuedPDU
    }

    /// Something that the peer refused for want of security, and what the client is told when that does not come.
    enum Repetition: Sendable {
        case request(GATTRequest, GATTRequestID, refusal: GATTError)
        case channel(spsm: UInt16, tag: UInt64, refusal: ChannelFailure)
    }

    /// PDUs that may wait: as many as may wait for the controller.
    static let capacity = ACLCreditMachine.queueCapacity

    private var pdus: [PDU] = []
    private var repetitions: [Repetition] = []
    /// Requests that are not answered yet and may be repeated once; bounded by the queue of the GATT client.
    private var repeatable: [GATTRequestID: GATTRequest] = [:]
    /// SPSMs of channels that are asked for, by tag.
    private var channels: [UInt64: UInt16] = [:]

    /// False when there is no room.
    mutating func append(_ pdu: PDU) -> Bool {
        guard pdus.count < Self.capacity else { return false }
        pdus.append(pdu)
        return true
    }

    /// The GATT client's request waits: it has one under way at most. Requests have even opcodes, commands bit 6 as well.
    /// Core 5.4, Vol 3, Part F, 3.3.1.
    var holdsRequest: Bool {
        pdus.contains { pdu in
            guard pdu.channel == .attributeProtocol, let opcode = pdu.payload.first else { return false }
            return opcode & 0x41 == 0 && opcode != ATTOpcode.confirmation.rawValue
        }
    }

    mutating func takePDUs() -> [PDU] {
        defer { pdus = [] }
        return pdus
    }

    mutating func record(_ request: GATTRequest, id: GATTRequestID) { repeatable[id] = request }

    /// The request is answered: it comes at most once.
    mutating func answered(_ id: GATTRequestID) -> GATTRequest? { repeatable.removeValue(forKey: id) }

    mutating func record(spsm: UInt16, tag: UInt64) {
        // Those that are never answered are left behind.
        if channels.count >= ChannelTable.capacity { channels = [:] }
        channels[tag] = spsm
    }

    /// The SPSM that was asked for, once.
    mutating func answered(channel tag: UInt64) -> UInt16? { channels.removeValue(forKey: tag) }

    mutating func abandonChannels(_ isUnwanted: (UInt64) -> Bool) {
        repetitions.removeAll { if case .channel(_, let tag, _) = $0 { isUnwanted(tag) } else { false } }
    }

    mutating func append(_ repetition: Repetition) { repetitions.append(repetition) }

    mutating func takeRepetitions() -> [Repetition] {
        defer { repetitions = [] }
        return repetitions
    }
}
