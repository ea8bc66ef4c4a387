// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The LE signalling channel of one link. The machine numbers our requests, matches answers to requests, ends
/// unanswered requests, and judges the parameters that a Peripheral asks for. Core 5.4, Vol 3, Part A, 4.
package struct SignallingMachine: Sendable {
    /// The result of our request for parameters.
    package enum ParameterAnswer: Equatable, Sendable {
        case accepted
        case refused
        /// No answer in time, or the link cannot carry another request.
        case unanswered
        /// The request was not sent: another request is under way, or the last was refused less than ``refusalPause``
        /// ago.
        case tooSoon
    }

    package enum Effect: Equatable, Sendable {
        case send(SignallingPDU)
        /// The Central has to change the link's parameters.
        case updateParameters(ConnectionParameters)
        case parametersAnswered(ParameterAnswer)
        case channel(ChannelCommand)
    }

    /// A command about a credit based channel.
    package enum ChannelCommand: Equatable, Sendable {
        case connectionRequested(identifier: UInt8, spsm: UInt16, ChannelOffer)
        /// `source`: our end, as in our request.
        case connectionAnswered(source: ChannelIdentifier, ConnectionAnswer)
        /// `channel`: the peer's end.
        case creditsGiven(channel: ChannelIdentifier, UInt16)
        case disconnectionRequested(identifier: UInt8, destination: ChannelIdentifier, source: ChannelIdentifier)
        /// Our disconnection is over: answered, rejected or unanswered. `source`: our end.
        case disconnectionEnded(source: ChannelIdentifier)
    }

    package enum ConnectionAnswer: Equatable, Sendable {
        case answered(ChannelOffer, ConnectionResult)
        /// The peer does not support credit based channels.
        case notUnderstood
        case timedOut
    }

    package enum Request: Equatable, Sendable {
        case parameters(ConnectionParameters)
        case connect(spsm: UInt16, ChannelOffer)
        case disconnect(destination: ChannelIdentifier, source: ChannelIdentifier)
    }

    /// The Response Timeout eXpired timer: 1…60 s. 6.2.1.
    package static let responseTimeout: Duration = .seconds(30)
    /// How long refused parameters are not requested again: TGAP(conn_param_timeout). Vol 3, Part C, appendix A.
    package static let refusalPause: Duration = .seconds(30)
    /// Requests that may wait for an answer.
    static let pendingLimit = 64

    package let role: LinkRole
    /// Whether a Peripheral's request for parameters is accepted.
    private var acceptsParameters = true
    private var pending: [UInt8: (request: Request, deadline: MonotonicTime)] = [:]
    private var lastIdentifier: UInt8 = 0
    private var refusedUntil: MonotonicTime?

    package init(role: LinkRole) { self.role = role }

    // MARK: Requests of ours

    /// Gives a request its identifier, and waits for the answer; nil when too many requests wait already.
    package mutating func request(_ request: Request, at now: MonotonicTime) -> SignallingPDU? {
        guard pending.count < Self.pendingLimit else { return nil }
        let identifier = nextIdentifier()
        pending[identifier] = (request, now + Self.responseTimeout)
        return switch request {
        case .parameters(let parameters):
            .parameterUpdateRequest(identifier: identifier, SignallingPDU.ParameterUpdate(parameters))
        case .connect(let spsm, let offer):
            .creditBasedConnectionRequest(identifier: identifier, spsm: spsm, offer)
        case .disconnect(let destination, let source):
            .disconnectionRequest(identifier: identifier, destination: destination, source: source)
        }
    }

    /// An indication: the peer sends no answer.
    package mutating func giveCredits(_ credits: UInt16, for channel: ChannelIdentifier) -> SignallingPDU {
        .flowControlCredit(identifier: nextIdentifier(), channel: channel, credits: credits)
    }

    /// 1…255, without the identifiers of unanswered requests.
    private mutating func nextIdentifier() -> UInt8 {
        repeat {
            lastIdentifier = lastIdentifier == 255 ? 1 : lastIdentifier + 1
        } while pending[lastIdentifier] != nil
        return lastIdentifier
    }

    /// Asks for new parameters of the link: the Central sets them, the Peripheral requests them.
    package mutating func requestParameters(_ parameters: ConnectionParameters, at now: MonotonicTime) -> [Effect] {
        guard role == .peripheral else { return [.updateParameters(parameters), .parametersAnswered(.accepted)] }
        let isAsking = pending.values.contains { if case .parameters = $0.request { true } else { false } }
        guard !isAsking, refusedUntil.map({ $0 <= now }) ?? true else { return [.parametersAnswered(.tooSoon)] }
        guard let pdu = request(.parameters(parameters), at: now) else { return [.parametersAnswered(.unanswered)] }
        return [.send(pdu)]
    }

    /// Forgets our disconnection request: the channel has gone before its answer came.
    package mutating func forgetDisconnection(of source: ChannelIdentifier) {
        for (identifier, entry) in pending {
            if case .disconnect(_, source) = entry.request { pending.removeValue(forKey: identifier) }
        }
    }

    // MARK: Time

    package var deadline: MonotonicTime? { pending.values.lazy.map(\.deadline).min() }

    package mutating func expire(at now: MonotonicTime) -> [Effect] {
        let late = pending.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        return late.map { identifier, entry in
            pending.removeValue(forKey: identifier)
            return switch entry.request {
            case .parameters: .parametersAnswered(.unanswered)
            case .connect(_, let offer):
                .channel(.connectionAnswered(source: offer.channel, .timedOut))
            case .disconnect(_, let source): .channel(.disconnectionEnded(source: source))
            }
        }
    }

    // MARK: From the peer

    /// Takes the payload of one frame.
    package mutating func received(_ frame: ArraySlice<UInt8>, at now: MonotonicTime) -> [Effect] {
        guard frame.count <= SignallingPDU.maximumLength else { return receivedOverlong(frame) }
        do {
            return receive(try SignallingPDU(decoding: frame), at: now)
        } catch {
            return reject(frame, .notUnderstood, [])
        }
    }

    /// Takes the beginning of a frame that is longer than our signalling MTU.
    package func receivedOverlong(_ frame: ArraySlice<UInt8>) -> [Effect] {
        reject(frame, .mtuExceeded, [UInt8(SignallingPDU.maximumLength), 0])
    }

    /// Rejects a command. Answers, and frames without an identifier, get no reply. 4.1.
    private func reject(
        _ frame: ArraySlice<UInt8>, _ reason: SignallingPDU.CommandRejectReason, _ data: [UInt8]
    ) -> [Effect] {
        guard let code = frame.first, !SignallingPDU.isResponse(code), let identifier = frame.dropFirst().first,
            identifier != 0
        else { return [] }
        return [.send(.commandReject(identifier: identifier, reason: reason, data: data))]
    }

    private mutating func receive(_ pdu: SignallingPDU, at now: MonotonicTime) -> [Effect] {
        switch pdu {
        case .parameterUpdateRequest(let identifier, let update) where identifier != 0:
            return answer(update, identifier)
        case .creditBasedConnectionRequest(let identifier, let spsm, let offer) where identifier != 0:
            return [.channel(.connectionRequested(identifier: identifier, spsm: spsm, offer))]
        case .disconnectionRequest(let identifier, let destination, let source) where identifier != 0:
            return [
                .channel(.disconnectionRequested(identifier: identifier, destination: destination, source: source))
            ]
        case .flowControlCredit(_, let channel, let credits):
            return [.channel(.creditsGiven(channel: channel, credits))]
        case .unknown(let code, let identifier, _):
            return reject([code, identifier], .notUnderstood, [])
        case .commandReject(let identifier, _, _):
            return rejected(identifier, at: now)
        case .parameterUpdateResponse(let identifier, let accepted):
            guard case .parameters = pending[identifier]?.request else { return [] }
            pending.removeValue(forKey: identifier)
            if !accepted { refusedUntil = now + Self.refusalPause }
            return [.parametersAnswered(accepted ? .accepted : .refused)]
        case .creditBasedConnectionResponse(let identifier, let offer, let result):
            guard case .connect(_, let ours) = pending[identifier]?.request else { return [] }
            pending.removeValue(forKey: identifier)
            return [.channel(.connectionAnswered(source: ours.channel, .answered(offer, result)))]
        case .disconnectionResponse(let identifier, let destination, let source):
            // A response with other channels than the request has is silently discarded. 4.7.
            guard case .disconnect(destination, source) = pending[identifier]?.request else { return [] }
            pending.removeValue(forKey: identifier)
            return [.channel(.disconnectionEnded(source: source))]
        case .parameterUpdateRequest, .creditBasedConnectionRequest, .disconnectionRequest:
            // Identifier 0 is never used: its answer could not be assigned to a request.
            return []
        }
    }

    private mutating func rejected(_ identifier: UInt8, at now: MonotonicTime) -> [Effect] {
        switch pending.removeValue(forKey: identifier)?.request {
        case .parameters:
            refusedUntil = now + Self.refusalPause
            return [.parametersAnswered(.refused)]
        case .connect(_, let offer):
            return [.channel(.connectionAnswered(source: offer.channel, .notUnderstood))]
        case .disconnect(_, let source):
            return [.channel(.disconnectionEnded(source: source))]
        case nil:
            return []
        }
    }

    // MARK: Parameters

    /// From now on, a Peripheral's requests for parameters are refused.
    package mutating func refuseParameters() { acceptsParameters = false }

    private func answer(_ update: SignallingPDU.ParameterUpdate, _ identifier: UInt8) -> [Effect] {
        // Only a Peripheral may send this request; a Central that sends it gets Command Reject, "not understood". 4.20.
        guard role == .central else {
            return [.send(.commandReject(identifier: identifier, reason: .notUnderstood, data: []))]
        }
        guard acceptsParameters, let parameters = Self.accepted(update) else {
            return [.send(.parameterUpdateResponse(identifier: identifier, accepted: false))]
        }
        return [
            .send(.parameterUpdateResponse(identifier: identifier, accepted: true)),
            .updateParameters(parameters),
        ]
    }

    /// Accepts every value that the specification allows: a sensor knows best how to spend its battery.
    package static func accepted(_ update: SignallingPDU.ParameterUpdate) -> ConnectionParameters? {
        guard let minimum = ConnectionInterval(units: update.minimumInterval),
            let maximum = ConnectionInterval(units: update.maximumInterval),
            let latency = PeripheralLatency(events: update.latency),
            let timeout = SupervisionTimeout(units: update.timeout)
        else { return nil }
        return ConnectionParameters(
            minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
    }
}
