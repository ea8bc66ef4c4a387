// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCI
import L2CAP
import Synchronization

/// The open channels of one manager, central or peripheral: moves what the host tells of them into their pipes.
///
/// On the radio thread, so that a stream can be read on the manager's own queue. The manager makes the channel object
/// when its queue comes to the opening.
final class ChannelHub: Sendable {
    private let host: BluetoothHost
    private let pipes = Mutex<[ChannelID: ChannelPipe]>([:])

    init(host: BluetoothHost) { self.host = host }

    deinit {
        for pipe in pipes.withLock({ Array($0.values) }) { pipe.ended(.closed) }
    }

    /// Takes what concerns channels of `client` from a batch; true when there is more in it, for the manager's queue. On
    /// the radio thread, before that queue has it.
    ///
    /// Octets of channels never wait for the queue: it may itself be waiting for them in a stream's `read`.
    func take(_ batch: HostEventBatch, for client: ClientID) -> Bool {
        var isMore = !batch.values.isEmpty || !batch.advertisements.isEmpty
        for event in batch.others.lazy.map(\.event) {
            guard case .channel(let event) = event else {
                isMore = true
                continue
            }
            switch event {
            case .opened(let opening) where opening.client == client:
                let pipe = ChannelPipe(opening, host: host)
                pipes.withLock { $0[opening.channel] = pipe }
                isMore = true
            case .data(let channel, let octets): pipe(channel)?.received(octets)
            case .ready(let channel): pipe(channel)?.requestService()
            case .closed(let channel, let end):
                pipes.withLock { $0.removeValue(forKey: channel) }?.ended(ChannelPipe.End(end))
            case .opened, .failed: isMore = true
            }
        }
        return isMore
    }

    private func pipe(_ channel: ChannelID) -> ChannelPipe? { pipes.withLock { $0[channel] } }

    /// The object for a channel that has opened; where it has closed since, its streams are at their end.
    func makeChannel(_ opening: ChannelOpening, peer: CBPeer) -> CBL2CAPChannel {
        if let pipe = pipe(opening.channel) { return CBL2CAPChannel(pipe: pipe, peer: peer, psm: opening.spsm) }
        let pipe = ChannelPipe(opening, host: host)
        pipe.ended(.closed)
        return CBL2CAPChannel(pipe: pipe, peer: peer, psm: opening.spsm)
    }

    /// Nobody takes the channel that has opened.
    func discard(_ opening: ChannelOpening) { pipe(opening.channel)?.abandon() }
}

extension ChannelPipe.End {
    fileprivate init(_ end: ChannelEnd) {
        switch end {
        case .closedByUs, .closedByPeer: self = .closed
        case .linkLost: self = .failed(CBError(.peripheralDisconnected))
        case .broken(let fault):
            self = .failed(CBError(.unknown, detail: "the peer broke the channel's rules: \(fault)"))
        }
    }
}
