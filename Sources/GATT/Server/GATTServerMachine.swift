// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The GATT server of one link: answers one request after the other from the database or by the attributes' owners, and
/// keeps the state of this client. Core 5.4, Vol 3, Part F, 3.3 and 3.4; Part G.
package struct GATTServerMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        /// An ATT PDU for the client.
        case send([UInt8])
        case read(ServerRead)
        case write(ServerWrite)
        case subscribed(valueHandle: UInt16, owner: ServerOwner, SubscriptionKind)
        case unsubscribed(valueHandle: UInt16, owner: ServerOwner)
        /// ATT_MTU of the bearer, for both directions.
        case mtuExchanged(Int)
        /// The client has confirmed an indication of this value.
        case confirmed(valueHandle: UInt16, owner: ServerOwner)
        /// An indication that waited is not sent any more: its client has unsubscribed, or the value is gone.
        case indicationDropped(valueHandle: UInt16, owner: ServerOwner)
        /// No confirmation in 30 s. Nothing more is sent on this bearer; the host ends the link.
        case indicationTimedOut(valueHandle: UInt16, owner: ServerOwner)
        /// An owner did not answer in time. Nothing more is sent on this bearer; the host ends the link.
        case closeBearer
        /// The state to keep for a bonded client has changed.
        case stateChanged(ClientState)
    }

    /// A little less than the 30 s after which the client itself gives the bearer up (Core 5.4, Vol 3, Part F,
    /// 3.3.3): the link ends for a reason that this side knows, and no answer crosses the end of it.
    package static let answerTimeout: Duration = .milliseconds(29_500)
    package static let confirmationTimeout: Duration = .seconds(30)
    package static let defaultMTU = 23

    /// The largest ATT PDU of both sides, in octets.
    package internal(set) var mtu = Self.defaultMTU
    package internal(set) var counters = ServerCounters()
    /// A transaction timed out.
    package internal(set) var isClosed = false

    let ownMTU: Int
    let limits: ServerLimits
    var hasExchangedMTU = false

    /// The pending question to an owner, with the client's request.
    var asked: AskedOwner?
    /// Requests that came too early, with their times of arrival.
    var waiting: [(octets: [UInt8], arrival: MonotonicTime)] = []
    var lastID: UInt64 = 0

    var prepared = PreparedQueue()
    var client = ClientRecord()
    var indications = IndicationQueue()
    var stateIsDirty = false

    package init(ownMTU: Int, limits: ServerLimits = ServerLimits()) {
        self.ownMTU = max(Self.defaultMTU, min(ownMTU, Int(UInt16.max)))
        self.limits = limits
    }

    /// When ``expire(in:)`` has to be called.
    package var deadline: MonotonicTime? {
        .earlier(asked?.deadline, indications.outstanding?.deadline)
    }

    /// Sets the MTU that this bearer's client has agreed on: both roles have the same ATT_MTU.
    package mutating func setMTU(_ mtu: Int) { self.mtu = max(Self.defaultMTU, mtu) }

    /// Takes a PDU of the client: a request, a command or a confirmation.
    package mutating func received(_ octets: ArraySlice<UInt8>, in context: ServerContext) -> [Effect] {
        var effects: [Effect] = []
        guard !isClosed, let first = octets.first else { return effects }
        let opcode = ATTOpcode(rawValue: first)
        if opcode == .confirmation {
            confirmed(octets, in: context, &effects)
        } else if opcode.isCommand {
            command(octets, in: context, &effects)
        } else if opcode.isResponseOrUpdate {
            counters.strayPDUs += 1
        } else if asked != nil {
            // A client has to wait for the response before its next request; an early request is still answered in
            // order.
            if waiting.count < limits.waitingRequests {
                waiting.append((Array(octets), context.now))
            } else {
                counters.droppedRequests += 1
            }
        } else {
            request(octets, arrival: context.now, in: context, &effects)
        }
        finish(context, &effects)
        return effects
    }

    /// Acts on passed deadlines.
    package mutating func expire(in context: ServerContext) -> [Effect] {
        var effects: [Effect] = []
        guard !isClosed else { return effects }
        if let asked, asked.deadline <= context.now {
            close()
            effects.append(.closeBearer)
        } else if let outstanding = indications.outstanding, outstanding.deadline <= context.now {
            close()
            effects.append(.indicationTimedOut(valueHandle: outstanding.handle, owner: outstanding.owner))
        }
        finish(context, &effects)
        return effects
    }

    /// Core 5.4, Vol 3, Part F, 3.3.3: no PDU follows on a bearer whose transaction timed out.
    private mutating func close() {
        isClosed = true
        asked = nil
        waiting = []
        prepared = PreparedQueue()
        indications.outstanding = nil
        indications.waiting = []
    }

    /// Ends each step: the host gets the client's state once, however much of it has changed.
    mutating func finish(_ context: ServerContext, _ effects: inout [Effect]) {
        guard stateIsDirty else { return }
        stateIsDirty = false
        effects.append(.stateChanged(clientState(in: context)))
    }
}
