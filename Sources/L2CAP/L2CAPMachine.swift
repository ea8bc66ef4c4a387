// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Signalling and credit based channels of one link.
package struct L2CAPMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case channel(ChannelTable.Effect)
        /// The Central has to change the link's parameters.
        case updateParameters(ConnectionParameters)
        /// The answer to ``L2CAPMachine/requestParameters(_:at:)``.
        case parametersAnswered(SignallingMachine.ParameterAnswer)

        package static func send(_ pdu: SignallingPDU) -> Effect { .channel(.send(pdu)) }
    }

    private var signalling: SignallingMachine
    private var channels = ChannelTable()

    package init(role: LinkRole) { signalling = SignallingMachine(role: role) }

    package var role: LinkRole { signalling.role }
    package subscript(_ channel: ChannelIdentifier) -> CreditBasedChannelMachine? { channels[channel] }
    package var hasChannels: Bool { !channels.isEmpty }
    package var canSend: Bool { channels.canSend }

    // MARK: Time

    package var deadline: MonotonicTime? {
        .earlier(signalling.deadline, channels.deadline)
    }

    package mutating func expire(at now: MonotonicTime) -> [Effect] {
        let effects = signalling.expire(at: now)
        return translate(effects, listeners: [:], security: .none, at: now)
            + channels.expire(via: &signalling, at: now).map(Effect.channel)
    }

    // MARK: From the peer

    /// Takes the payload of a frame on the signalling channel. `listeners`: the requirements of the published SPSMs.
    package mutating func receivedSignalling(
        _ frame: ArraySlice<UInt8>, listeners: [UInt16: ChannelRequirement], security: LinkSecurity,
        at now: MonotonicTime
    ) -> [Effect] {
        let effects = signalling.received(frame, at: now)
        return translate(effects, listeners: listeners, security: security, at: now)
    }

    /// Takes the payload of a frame on a dynamic channel; nil when the channel does not exist.
    package mutating func received(
        _ payload: RawSpan, on channel: ChannelIdentifier, at now: MonotonicTime
    ) -> [ChannelTable.Effect]? {
        channels.received(payload, on: channel, via: &signalling, at: now)
    }

    /// Takes the beginning of a frame that is too long for any channel; nil when the frame belongs to no channel of
    /// this machine.
    package mutating func receivedOverlong(
        _ beginning: ArraySlice<UInt8>, on channel: ChannelIdentifier, at now: MonotonicTime
    ) -> [ChannelTable.Effect]? {
        guard channel == .leSignalling else {
            return channels.receivedOverlong(on: channel, via: &signalling, at: now)
        }
        return signalling.receivedOverlong(beginning).compactMap {
            if case .send(let pdu) = $0 { .send(pdu) } else { nil }
        }
    }

    private mutating func translate(
        _ effects: [SignallingMachine.Effect], listeners: [UInt16: ChannelRequirement], security: LinkSecurity,
        at now: MonotonicTime
    ) -> [Effect] {
        var result: [Effect] = []
        for effect in effects {
            switch effect {
            case .send(let pdu): result.append(.send(pdu))
            case .updateParameters(let parameters): result.append(.updateParameters(parameters))
            case .parametersAnswered(let answer): result.append(.parametersAnswered(answer))
            case .channel(let command):
                result += perform(command, listeners, security, at: now).map(Effect.channel)
            }
        }
        return result
    }

    private mutating func perform(
        _ command: SignallingMachine.ChannelCommand, _ listeners: [UInt16: ChannelRequirement],
        _ security: LinkSecurity, at now: MonotonicTime
    ) -> [ChannelTable.Effect] {
        switch command {
        case .connectionRequested(let identifier, let spsm, let offer):
            return channels.requested(
                offer, identifier: identifier, spsm: spsm, requirement: listeners[spsm], security: security)
        case .connectionAnswered(let source, let answer):
            return channels.answered(source, answer, via: &signalling, at: now)
        case .creditsGiven(let channel, let credits):
            return channels.gave(credits, by: channel, via: &signalling, at: now)
        case .disconnectionRequested(let identifier, let destination, let source):
            return channels.disconnectionRequested(
                identifier: identifier, destination: destination, source: source, via: &signalling)
        case .disconnectionEnded(let source):
            channels.disconnectionEnded(source)
            return []
        }
    }

    // MARK: From us

    /// From now on, a Peripheral's requests for parameters are refused.
    package mutating func refuseParameters() { signalling.refuseParameters() }

    /// Sets the link's parameters as its Central, or asks for them as its Peripheral.
    package mutating func requestParameters(_ parameters: ConnectionParameters, at now: MonotonicTime) -> [Effect] {
        let effects = signalling.requestParameters(parameters, at: now)
        return translate(effects, listeners: [:], security: .none, at: now)
    }

    package mutating func open(spsm: UInt16, tag: UInt64, at now: MonotonicTime) -> [ChannelTable.Effect] {
        channels.open(spsm: spsm, tag: tag, via: &signalling, at: now)
    }

    package mutating func abandon(_ isUnwanted: (UInt64) -> Bool) { channels.abandon(isUnwanted) }

    /// Queues an SDU; false when there is no room, or the channel does not exist.
    package mutating func send(_ sdu: [UInt8], on channel: ChannelIdentifier) -> Bool {
        channels.send(sdu, on: channel)
    }

    package mutating func consumed(_ octets: Int, on channel: ChannelIdentifier) -> [ChannelTable.Effect] {
        channels.consumed(octets, on: channel, via: &signalling)
    }

    /// `rest`: SDUs to send before the end; none longer than the peer takes.
    package mutating func close(
        _ channel: ChannelIdentifier, sending rest: [[UInt8]] = [], at now: MonotonicTime
    ) -> [ChannelTable.Effect] {
        channels.close(channel, sending: rest, via: &signalling, at: now)
    }

    /// The next frame to send; `channel` is the peer's end.
    package mutating func nextFrame(
        at now: MonotonicTime
    ) -> (payload: [UInt8], channel: ChannelIdentifier, effects: [ChannelTable.Effect])? {
        channels.nextFrame(via: &signalling, at: now)
    }

    package mutating func fail() -> [ChannelTable.Effect] { channels.fail() }
}
