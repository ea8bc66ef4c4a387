// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport
import Logging
import Synchronization
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// The reported states of a whole host in real time, with its own thread and socket.
final class HostStates: Sendable {
    private let states = Mutex<[HostState]>([])
    private let news: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    init() { (news, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func record(_ batch: HostEventBatch) {
        for case .stateChanged(let state, _) in batch.events { states.withLock { $0.append(state) } }
        bell.yield()
    }

    var all: [HostState] { states.withLock { $0 } }

    func wait(until condition: ([HostState]) -> Bool) async {
        var iterator = news.makeAsyncIterator()
        while !condition(all) { guard await iterator.next() != nil else { return } }
    }
}

/// A host with all parts of a process, on a simulated controller.
extension BluetoothHost {
    /// It is ready.
    static func whole(
        on radio: VirtualRadio, stateDirectory: String?
    ) async throws -> (host: BluetoothHost, client: ClientID, states: HostStates) {
        let descriptor = try radio.makeController(address: Bench.hostAddress)
        let host = BluetoothHost(
            address: .descriptor(descriptor), stateDirectory: stateDirectory, capture: nil,
            logger: Logger(label: "attack"))
        let states = HostStates()
        guard let client = host.makeClient() else { throw ScriptFailure("no client") }
        host.start()
        await host.addClient(client) { batch in
            states.record(batch)
            host.handled(by: client)
        }
        await states.wait { $0.last == .ready }
        return (host, client, states)
    }

    /// All pending writes are done. Not called on the host's own thread, which ends with the host.
    nonisolated func ends() async {
        await withCheckedContinuation { done in perform { $0.shutDown { done.resume() } } }
    }
}
