// SPDX-License-Identifier: Apache-2.0

import ATT
import GATT
import HCI
import L2CAP

/// What waits on a link until it is encrypted.
struct LinkHold: Sendable {
    struct PDU: Sendable {
        let payload: [UInt8]
        let channel: ChannelIdentifier
        let kind: QueuedPDU
    }

    struct Repetition: Sendable {
        let id: GATTRequestID
        let request: GATTRequest
        /// What the client is told when encryption fails.
        let refusal: GATTError
    }

    /// PDUs that may wait: as many as may wait for the controller.
    static let capacity = ACLCreditMachine.queueCapacity

    private var pdus: [PDU] = []
    private var repetitions: [Repetition] = []
    /// Requests that are not answered yet and may be repeated once; bounded by the queue of the GATT client.
    private var repeatable: [GATTRequestID: GATTRequest] = [:]

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

    mutating func note(_ request: GATTRequest, id: GATTRequestID) { repeatable[id] = request }

    /// The request is answered: it comes at most once.
    mutating func answered(_ id: GATTRequestID) -> GATTRequest? { repeatable.removeValue(forKey: id) }

    mutating func append(_ repetition: Repetition) { repetitions.append(repetition) }

    mutating func takeRepetitions() -> [Repetition] {
        defer { repetitions = [] }
        return repetitions
    }
}
