// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The GATT client of one link: exchanges the MTU, then runs one request after the other.
package struct GATTClientMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case send(ATTPDU)
        case completed(GATTRequestID, Result<GATTResponse, GATTError>)
        case mtuExchanged(Int)
        /// A transaction timed out: nothing more may be sent on this bearer. Core 5.4, Vol 3, Part F, 3.3.3.
        case closeBearer
    }

    /// Requests that may wait.
    package static let capacity = 64
    /// ATT_MTU until both sides have exchanged theirs. Core 5.4, Vol 3, Part G, 5.2.1.
    package static let defaultMTU = 23

    private enum Current {
        case mtuExchange
        case procedure(GATTRequestID, any GATTProcedure)
    }

    /// Largest ATT PDU that either side may send, in octets.
    package private(set) var mtu = Self.defaultMTU
    /// Responses that nobody had asked for.
    package private(set) var unexpectedResponses = 0
    private let ownMTU: Int
    private var transaction = ATTClientMachine()
    private var current: Current?
    private var waiting: [(id: GATTRequestID, request: GATTRequest)] = []

    package init(ownMTU: Int) { self.ownMTU = ownMTU }

    /// When ``expire(at:)`` has to be called.
    package var deadline: MonotonicTime? { transaction.deadline }

    /// Begins with the exchange of MTUs.
    package mutating func start(at now: MonotonicTime) -> [Effect] {
        current = .mtuExchange
        return send(.exchangeMTURequest(mtu: UInt16(truncatingIfNeeded: ownMTU)), at: now)
    }

    package mutating func request(_ request: GATTRequest, id: GATTRequestID, at now: MonotonicTime) -> [Effect] {
        guard waiting.count < Self.capacity else { return [.completed(id, .failure(.queueFull))] }
        waiting.append((id, request))
        return runNext(at: now)
    }

    /// Takes a response PDU of the server.
    package mutating func received(_ octets: ArraySlice<UInt8>, at now: MonotonicTime) -> [Effect] {
        let effect: ATTClientMachine.Effect
        if let pdu = try? ATTPDU(decoding: octets) {
            effect = transaction.received(pdu)
        } else {
            effect = transaction.receivedMalformed(opcode: ATTOpcode(rawValue: octets.first ?? 0))
        }
        switch effect {
        case .unexpected:
            unexpectedResponses += 1
            return []
        case .answered(let result):
            return answered(result, at: now)
        }
    }

    /// Fails everything when the outstanding request is overdue.
    package mutating func expire(at now: MonotonicTime) -> [Effect] {
        guard transaction.expire(at: now) else { return [] }
        return fail(.timedOut) + [.closeBearer]
    }

    /// Fails everything that waits: the link is gone.
    package mutating func fail(_ error: GATTError) -> [Effect] {
        var effects: [Effect] = []
        if case .procedure(let id, _) = current { effects.append(.completed(id, .failure(error))) }
        effects += waiting.map { .completed($0.id, .failure(error)) }
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
            // A server that refuses keeps the default. An MTU below it is treated as the default, 3.4.2.2.
            if case .success(.exchangeMTUResponse(let theirs)) = result {
                mtu = max(Self.defaultMTU, min(ownMTU, Int(theirs)))
                effects.append(.mtuExchanged(mtu))
            }
            return effects + runNext(at: now)
        case .procedure(let id, var procedure):
            let step: GATTStep
            switch result {
            case .success(let pdu): step = procedure.received(pdu, mtu: mtu)
            case .failure(.refused(let error)): step = procedure.refused(error)
            case .failure(.timedOut): step = .failed(.timedOut)
            case .failure(.malformed): step = .failed(.malformed)
            }
            return proceed(id, procedure, step, at: now)
        }
    }

    private mutating func proceed(
        _ id: GATTRequestID, _ procedure: any GATTProcedure, _ step: GATTStep, at now: MonotonicTime
    ) -> [Effect] {
        switch step {
        case .proceed:
            var procedure = procedure
            let pdu = procedure.next(mtu: mtu)
            current = .procedure(id, procedure)
            return send(pdu, at: now)
        case .finished(let response):
            current = nil
            return [.completed(id, .success(response))] + runNext(at: now)
        case .failed(let error):
            current = nil
            return [.completed(id, .failure(error))] + runNext(at: now)
        }
    }

    private mutating func runNext(at now: MonotonicTime) -> [Effect] {
        guard current == nil, !waiting.isEmpty else { return [] }
        let (id, request) = waiting.removeFirst()
        let procedure: (any GATTProcedure)?
        switch request {
        case .discoverServices(nil): procedure = AllServicesDiscovery()
        case .discoverServices(let uuids?): procedure = ServicesByUUIDDiscovery(uuids)
        case .discoverIncludedServices(let handles): procedure = IncludedServicesDiscovery(handles)
        case .discoverCharacteristics(let handles, let uuids): procedure = CharacteristicDiscovery(handles, uuids)
        case .discoverDescriptors(let handles):
            procedure = handles.start <= handles.end ? DescriptorDiscovery(handles) : nil
        case .read(let handle): procedure = ValueRead(handle: handle)
        case .watchServices: procedure = ServiceWatch()
        case .readByType(let type): procedure = TypeRead(type: type)
        case .write(let handle, let value): procedure = ValueWrite(handle: handle, value: value)
        case .configure(let valueHandle, let endHandle, let configuration):
            guard let found = Configuration(valueHandle: valueHandle, endHandle: endHandle, configuration) else {
                return [.completed(id, .failure(.notConfigurable))] + runNext(at: now)
            }
            procedure = found
        }
        guard let procedure else {
            return [.completed(id, .success(Self.nothing(of: request)))] + runNext(at: now)
        }
        return proceed(id, procedure, .proceed, at: now)
    }

    /// The result of a search with nothing to search in.
    private static func nothing(of request: GATTRequest) -> GATTResponse {
        if case .discoverDescriptors = request { return .descriptors([]) }
        return .services([])
    }

    private mutating func send(_ pdu: ATTPDU, at now: MonotonicTime) -> [Effect] {
        transaction.sent(pdu, at: now)
        return [.send(pdu)]
    }
}
