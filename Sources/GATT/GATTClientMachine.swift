// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The GATT client of one link: exchanges the MTU, checks its knowledge of the server, then runs one request after the
/// other. A request with a known answer is answered at once, in the order of the requests.
package struct GATTClientMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case send(ATTPDU)
        case completed(GATTRequestID, Result<GATTResponse, GATTError>)
        case mtuExchanged(Int)
        /// Handles in this range, which clients may hold, mean something else now.
        case servicesChanged(ATTPDU.HandleRange)
        /// A transaction timed out: nothing more may be sent on this bearer. Core 5.4, Vol 3, Part F, 3.3.3.
        case closeBearer
    }

    /// The most requests in the queue.
    package static let capacity = 64
    /// ATT_MTU until both sides have exchanged theirs. Core 5.4, Vol 3, Part G, 5.2.1.
    package static let defaultMTU = 23

    enum Current {
        case mtuExchange
        /// Reads the Database Hash; the value is the number of changes announced before.
        case hashRead(Int)
        case procedure(Running)
    }

    struct Running {
        let entry: Entry
        var procedure: any GATTProcedure
        /// The number of announced changes at the procedure's beginning.
        let changesBefore: Int
    }

    struct Entry {
        let id: GATTRequestID
        let request: GATTRequest
        /// The server refused the request once because of an unannounced change.
        var isRetry = false
    }

    /// The largest ATT PDU of both sides, in octets.
    package private(set) var mtu = Self.defaultMTU
    /// Responses without a request, and repeated responses.
    package private(set) var unexpectedResponses = 0
    /// In which points the server departs from the specification, as far as discoveries have shown on this link.
    package private(set) var oddities = GATTOddities()
    private let ownMTU: Int
    private var transaction = ATTClientMachine()
    /// A transaction timed out.
    package private(set) var isClosed = false
    var current: Current?
    var waiting: [Entry] = []
    var cache = GATTLinkCache.off
    /// The host's own procedures that this link omits.
    private(set) var omitted: Set<OwnProcedure> = []
    /// The host's own procedures that have begun on this link.
    package private(set) var begun: Set<OwnProcedure> = []
    /// The procedure of our own that the server left unanswered for 30 s.
    private var unanswered: OwnProcedure?
    /// The client's request without an answer for 30 s.
    private var unansweredRequest: OutstandingProcedure?

    package init(ownMTU: Int) { self.ownMTU = ownMTU }

    /// When ``expire(at:)`` has to be called.
    package var deadline: MonotonicTime? { transaction.deadline }

    /// Sets the MTU that the peer's client has agreed on with our server: both roles have the same ATT_MTU.
    package mutating func setMTU(_ mtu: Int) { self.mtu = max(Self.defaultMTU, mtu) }

    /// The host's own procedure that waits for an answer.
    package var outstandingOwn: OwnProcedure? {
        switch current {
        case .mtuExchange: .mtuExchange
        case .hashRead: .databaseHash
        case .procedure(let running): running.procedure.ownProcedure ?? running.entry.request.ownProcedure
        case nil: unanswered
        }
    }

    /// The procedure without an answer yet, or without an answer for 30 s.
    package var outstanding: OutstandingProcedure? {
        if let own = outstandingOwn { return OutstandingProcedure(own) }
        guard case .procedure(let running) = current else { return unansweredRequest }
        return OutstandingProcedure(running.entry.request)
    }

    /// Begins with the exchange of MTUs. `omitted`: procedures that this link goes without.
    package mutating func start(without omitted: Set<OwnProcedure> = [], at now: MonotonicTime) -> [Effect] {
        self.omitted = omitted
        // Without the hash nothing can be kept.
        if omitted.contains(.databaseHash) { cache = .off }
        guard !omitted.contains(.mtuExchange) else { return runNext(at: now) }
        begun.insert(.mtuExchange)
        current = .mtuExchange
        return send(.exchangeMTURequest(mtu: UInt16(truncatingIfNeeded: ownMTU)), at: now)
    }

    package mutating func request(_ request: GATTRequest, id: GATTRequestID, at now: MonotonicTime) -> [Effect] {
        guard !isClosed else { return [.completed(id, .failure(.timedOut))] }
        guard waiting.count < Self.capacity else { return [.completed(id, .failure(.queueFull))] }
        waiting.append(Entry(id: id, request: request))
        return runNext(at: now)
    }

    /// Takes a response PDU of the server.
    package mutating func received(_ octets: ArraySlice<UInt8>, at now: MonotonicTime) -> [Effect] {
        let effect: ATTClientMachine.Effect
        if let pdu = try? ATTPDU(decoding: octets) {
            effect = transaction.received(pdu, at: now)
        } else if let pdu = ATTPDU(wholeItemsOf: octets), let last = pdu.lastHandle {
            oddities.record(GATTOddity(.server, .cutAnswer, at: last))
            effect = transaction.received(pdu, at: now)
        } else {
            effect = transaction.receivedMalformed(Array(octets), at: now)
        }
        if transaction.answersTwice { oddities.record(GATTOddity(.server, .answersTwice, at: 0)) }
        switch effect {
        case .unexpected:
            unexpectedResponses += 1
            return []
        case .answered(let result):
            return answered(result, at: now)
        }
    }

    /// Fails everything when the outstanding request is overdue. A held answer counts after its time.
    package mutating func expire(at now: MonotonicTime) -> [Effect] {
        guard case .answered(let result)? = transaction.expire(at: now) else { return [] }
        guard result == .failure(.timedOut) else { return answered(result, at: now) }
        isClosed = true
        (unanswered, unansweredRequest) = (outstandingOwn, outstanding)
        return fail(.timedOut) + [.closeBearer]
    }

    /// Fails all waiting requests: the link is gone.
    package mutating func fail(_ error: GATTError) -> [Effect] {
        var effects: [Effect] = []
        if case .procedure(let running) = current { effects.append(.completed(running.entry.id, .failure(error))) }
        effects += waiting.map { .completed($0.id, .failure(.notSent)) }
        current = nil
        waiting = []
        return effects
    }

    private mutating func answered(_ result: Result<ATTPDU, ATTClientMachine.Failure>, at now: MonotonicTime)
        -> [Effect]
    {
        switch current {
        case nil:
            return runNext(at: now)
        case .mtuExchange:
            current = nil
            var effects: [Effect] = []
            // A server that refuses keeps the default. A smaller MTU is treated as the default, 3.4.2.2.
            if case .success(.exchangeMTUResponse(let theirs)) = result {
                mtu = max(Self.defaultMTU, min(ownMTU, Int(theirs)))
                effects.append(.mtuExchanged(mtu))
            }
            return effects + runNext(at: now)
        case .hashRead(let changesBefore):
            current = nil
            return confirm(result, changesBefore: changesBefore) + runNext(at: now)
        case .procedure(var running):
            let step: GATTStep
            switch result {
            case .success(let pdu): step = running.procedure.received(pdu, mtu: mtu)
            case .failure(.refused(let error)):
                if let effects = takeDoubt(error, of: running) { return effects + runNext(at: now) }
                step = running.procedure.refused(error)
            case .failure(.timedOut): step = .failed(.timedOut)
            case .failure(.malformed): step = running.procedure.receivedMalformed()
            }
            return proceed(running, step, at: now)
        }
    }

    private mutating func proceed(_ running: Running, _ step: GATTStep, at now: MonotonicTime) -> [Effect] {
        if step != .proceed { for oddity in running.procedure.oddities.first { oddities.record(oddity) } }
        switch step {
        case .proceed:
            var running = running
            let pdu = running.procedure.next(mtu: mtu)
            if let own = running.procedure.ownProcedure { begun.insert(own) }
            current = .procedure(running)
            return send(pdu, at: now)
        case .finished(let response):
            current = nil
            let told = record(response, of: running)
            return [.completed(running.entry.id, .success(told))] + runNext(at: now)
        case .failed(let error):
            current = nil
            return [.completed(running.entry.id, .failure(error))] + recordFailure(error) + runNext(at: now)
        }
    }

    mutating func runNext(at now: MonotonicTime) -> [Effect] {
        var effects: [Effect] = []
        // A loop, not recursion: all waiting requests may have known answers.
        while current == nil, !isClosed {
            if cache.needsHash(before: waiting.first?.request) {
                begun.insert(.databaseHash)
                current = .hashRead(cache.changes)
                return effects + send(Self.hashRequest, at: now)
            }
            guard !waiting.isEmpty else { break }
            let entry = waiting.removeFirst()
            if let own = entry.request.ownProcedure {
                if omitted.contains(own), let answer = entry.request.omitted {
                    effects.append(.completed(entry.id, answer))
                    continue
                }
                begun.insert(own)
            }
            if let answer = cache.answer(to: entry.request) {
                effects.append(.completed(entry.id, .success(answer)))
                continue
            }
            switch procedure(for: entry.request) {
            case .success(let procedure):
                let running = Running(entry: entry, procedure: procedure, changesBefore: cache.changes)
                return effects + proceed(running, .proceed, at: now)
            case .failure(.known(let result)):
                if case .configure(let value, _, _) = entry.request {
                    oddities.record(GATTOddity(.descriptor, .noConfiguration, at: value))
                }
                effects.append(.completed(entry.id, result))
            }
        }
        return effects
    }

    private mutating func send(_ pdu: ATTPDU, at now: MonotonicTime) -> [Effect] {
        transaction.sent(pdu, at: now)
        return [.send(pdu)]
    }
}
