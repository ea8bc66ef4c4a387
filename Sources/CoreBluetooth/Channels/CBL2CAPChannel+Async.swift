// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Additive: a channel without streams. Use either these or the streams, not both.
extension CBL2CAPChannel {
    /// The octets from the peer, in pieces, until the peer closes the channel; throws when the link is lost. The peer
    /// has to wait while no task asks for the next piece. For one task at a time.
    public struct Bytes: AsyncSequence, Sendable {
        fileprivate let channel: CBL2CAPChannel

        /// Reads the channel piece by piece.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let channel: CBL2CAPChannel

            /// Nil at the end, and when the task is cancelled.
            public mutating func next() async throws -> Data? {
                while !Task.isCancelled {
                    if let octets = try channel.pipe.readNow() { return octets.isEmpty ? nil : octets }
                    await channel.pipe.waitForChange(.input)
                }
                return nil
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
    }

    /// The octets from the peer.
    public var bytes: Bytes { Bytes(channel: self) }

    /// Returns when everything is on its way: handed to the host, which holds a bounded amount.
    public func write(_ data: Data) async throws {
        var rest = data[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let count = try pipe.writeNow(rest)
            rest = rest.dropFirst(count)
            if count == 0 { await pipe.waitForChange(.output) }
        }
    }

    /// Closes the channel after the last written octet.
    public func close() {
        inputStream.close()
        outputStream.close()
    }
}

extension ChannelPipe {
    /// Until there may be octets, or room; or the task is cancelled.
    fileprivate func waitForChange(_ direction: StreamSide.Direction) async {
        let token = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { wait(direction, $0, token) }
        } onCancel: {
            cancel(direction, token)
        }
    }
}
