// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Gateway
import Health
import Platform
import Synchronization

/// The lines of a value, from the subscription to the end of this object's life. A slow reader misses the oldest lines.
package final class ProvisioningLines: AsyncSequence, Sendable {
    package typealias Element = String

    /// Pieces that wait for assembly, and lines that wait for their reader.
    private static let (pieces, lines) = (1024, 256)

    private let stream: AsyncThrowingStream<String, any Error>
    private let continuation: AsyncThrowingStream<String, any Error>.Continuation
    private let task: Task<Void, Never>

    /// After this call, the subscription is on its way: later requests reach the gateway after it.
    init(_ characteristic: CBCharacteristic, of peripheral: CBPeripheral) {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(Self.lines))
        (self.stream, self.continuation) = (stream, continuation)
        task = Task.immediate {
            let values = peripheral.notifications(for: characteristic, bufferingPolicy: .newest(Self.pieces))
            var receiver = LineReceiver()
            var lost = 0
            do {
                for try await piece in values {
                    if values.droppedCount != lost {
                        // The remaining pieces are from after the gap.
                        lost = values.droppedCount
                        receiver.lost()
                    }
                    for line in receiver.receive(piece) { continuation.yield(line) }
                }
                // This side has ended the connection.
                continuation.finish(throwing: CBError(.notConnected))
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    deinit {
        task.cancel()
        continuation.finish()
    }

    /// Unsubscribes. After this call, the request is on its way: a later subscription begins anew at the gateway.
    func close() async {
        task.cancel()
        await task.value
    }

    /// Ends the stream with an error for its reader.
    func fail(_ error: ProvisioningClientError) { continuation.finish(throwing: error) }

    package func makeAsyncIterator() -> AsyncThrowingStream<String, any Error>.AsyncIterator {
        stream.makeAsyncIterator()
    }
}

extension ProvisioningClient {
    /// Subscribes to a value.
    package func lines(of item: ProvisioningTable.Item) throws(ProvisioningClientError) -> ProvisioningLines {
        ProvisioningLines(try characteristic(item), of: peripheral)
    }

    /// Calls `take` with each message of `lines` until `take` returns a value, and unsubscribes. Skips unreadable
    /// lines.
    ///
    /// - Parameter silence: how long the next message may take, given the message before; nil: no limit.
    func next<Message: Decodable, Value>(
        of item: ProvisioningTable.Item, in lines: ProvisioningLines, as type: Message.Type,
        silence: (Message?) -> Duration?, _ take: (Message) -> Value?
    ) async throws(ProvisioningClientError) -> Value {
        let watch = SilenceWatch(lines, item)
        var failure: any Error = CBError(.operationCancelled)
        do {
            watch.restart(silence(nil))
            for try await line in lines {
                guard let message = Self.decode(type, from: line) else { continue }
                if let value = take(message) {
                    await lines.close()
                    return value
                }
                watch.restart(silence(message))
            }
        } catch {
            failure = error
        }
        await lines.close()
        throw ProvisioningClientError(failure, of: item)
    }
}

/// Ends lines that stop coming: a gateway that hangs keeps its connection.
private final class SilenceWatch: Sendable {
    private weak let lines: ProvisioningLines?
    private let item: ProvisioningTable.Item
    private let timer = Mutex<Task<Void, Never>?>(nil)

    init(_ lines: ProvisioningLines, _ item: ProvisioningTable.Item) {
        self.lines = lines
        self.item = item
    }

    deinit { timer.withLock { $0?.cancel() } }

    func restart(_ limit: Duration?) {
        let new = limit.map { limit in
            Task { [weak lines, item] in
                guard await Waiting.pause(for: limit) else { return }
                lines?.fail(
                    ProvisioningClientError(
                        .silent,
                        "\(item.userDescription): the gateway says nothing any more. Its log (--log) may say why; else "
                            + "restart it."))
            }
        }
        timer.withLock { timer in
            timer?.cancel()
            timer = new
        }
    }
}
