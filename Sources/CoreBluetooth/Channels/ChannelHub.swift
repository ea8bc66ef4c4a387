// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCI
import L2CAP
import Synchronization

/// The open channels of one manager, central or peripheral: moves the host's channel events into the channels' pipes.
///
/// Works on the radio thread, so that a program can read a stream on the manager's own queue. The manager makes the
/// channel object when its queue reaches the opening.
final class ChannelHub: Sendable {
    private let host: BluetoothHost
    private let pipes = Mutex<[ChannelID: ChannelPipe]>([:])

    init(host: BluetoothHost) { self.host = host }

    deinit {
        for pipe in pipes.withLock({ Array($0.values) }) { pipe.ended(.closed) }
    }

    /// Takes the channel events of `client` from a batch; true if the batch has other events, for the manager's queue.
    /// Called on the radio thread, before the queue gets the batch.
    ///
    /// Octets of channels never wait for the queue: the queue may itself wait for these octets in a stream's `read`.
    func receive(_ batch: HostEventBatch, for client: ClientID) -> Bool {
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

    /// The object for an open channel. If the channel has closed since, its streams are at their end.
    func makeChannel(_ opening: ChannelOpening, peer: CBPeer) -> CBL2CAPChannel {
        if let pipe = pipe(opening.channel) { return CBL2CAPChannel(pipe: pipe, peer: peer, psm: opening.spsm) }
        let pipe = ChannelPipe(opening, host: host)
        pipe.ended(.closed)
        return CBL2CAPChannel(pipe: pipe, peer: peer, psm: opening.spsm)
    }

    /// Closes an open channel that the application does not take.
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
