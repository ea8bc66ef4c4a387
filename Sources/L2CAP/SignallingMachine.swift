// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Answers what a Peripheral asks on the LE signalling channel; we are the Central of every link.
package struct SignallingMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case send(SignallingPDU)
        case updateParameters(ConnectionParameters)
    }

    /// The result «refused: SPSM not supported». Core 5.4, Vol 3, Part A, 4.23.
    private static let spsmNotSupported: UInt16 = 0x0002

    package init() {}

    package func received(_ frame: ArraySlice<UInt8>) -> [Effect] {
        let pdu: SignallingPDU
        do {
            pdu = try SignallingPDU(decoding: frame)
        } catch {
            // Without an identifier there is nothing to answer to.
            guard frame.count >= 2 else { return [] }
            return [.send(.commandReject(identifier: frame[frame.startIndex + 1], reason: .notUnderstood, data: []))]
        }
        switch pdu {
        case .parameterUpdateRequest(let identifier, let update):
            guard let parameters = Self.accepted(update) else {
                return [.send(.parameterUpdateResponse(identifier: identifier, accepted: false))]
            }
            return [
                .send(.parameterUpdateResponse(identifier: identifier, accepted: true)),
                .updateParameters(parameters),
            ]
        case .creditBasedConnectionRequest(let identifier):
            return [.send(.creditBasedConnectionResponse(identifier: identifier, result: Self.spsmNotSupported))]
        case .disconnectionRequest(let identifier, let destination, let source):
            var channels: [UInt8] = []
            channels.append(u16: destination)
            channels.append(u16: source)
            return [.send(.commandReject(identifier: identifier, reason: .invalidChannel, data: channels))]
        case .unknown(_, let identifier, _):
            return [.send(.commandReject(identifier: identifier, reason: .notUnderstood, data: []))]
        case .commandReject, .parameterUpdateResponse, .creditBasedConnectionResponse:
            // Answers to requests that we never send.
            return []
        }
    }

    /// The policy: what the specification allows is granted. A sensor knows best how it wants to spend its battery.
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
