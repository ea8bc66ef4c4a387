// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Synchronization
import VirtualRadio

@testable import HostBench

/// A ``ChannelPeer`` in real time: a thread on a controller of its own.
final class PeerRadio: Sendable {
    private let peer = Mutex(ChannelPeer())
    private let descriptor: Int32
    private let isStopped = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ radio: VirtualRadio) throws {
        descriptor = try radio.makeController(address: ChannelPeer.address)
        Thread.detachNewThread { [self] in serve() }
    }

    /// Reads or changes the peer.
    func with<Result: Sendable>(_ body: @Sendable (ChannelPeer) -> Result) -> Result {
        peer.withLock { body($0) }
    }

    private func serve() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let start = ContinuousClock.now
        while !isStopped.load(ordering: .relaxed) {
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReadable = poll(&item, 1, 5) > 0
            let count = isReadable ? Glibc.read(descriptor, &buffer, buffer.count) : 0
            guard count > 0 || !isReadable else { break }
            let now = MonotonicTime.zero + (ContinuousClock.now - start)
            var output = peer.withLock { peer in
                peer.receive(Array(buffer[..<count]), at: now)
                return peer.takeOutput()
            }
            while !output.isEmpty {
                let written = Glibc.write(descriptor, output, output.count)
                guard written > 0 else { break }
                output.removeFirst(written)
            }
        }
        ended.signal()
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        ended.wait()
        Glibc.close(descriptor)
    }
}
