// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Foundation
import GATT
import HCITransport
import Logging
import Synchronization
import TestSupport
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Two runs of a whole host, with threads and files, on one sensor. The limit ends a hanging test.
@Suite(.timeLimit(.minutes(10)))
struct CacheWiringTests {
    /// The host of one run, and its events.
    private final class Run: Sendable {
        let radio = VirtualRadio(seed: 5)
        let host: BluetoothHost
        let capture: String
        private let events = Mutex<[HostEvent]>([])
        private let news: AsyncStream<Void>
        private let bell: AsyncStream<Void>.Continuation
        static let client = ClientID(rawValue: 0)

        init(directory: String, number: Int) throws {
            capture = directory + "-\(number).btsnoop"
            (news, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
            let controller = try radio.makeController(
                address: Simulation.hostAddress, settings: ControllerSettings())
            _ = radio.addSensor(
                VirtualSensor.Configuration(
                    address: CacheTests.peer, name: "Counter", kind: .counter, hasDatabaseHash: true))
            host = BluetoothHost(
                address: .descriptor(controller), stateDirectory: directory, capture: capture,
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            host.start()
            host.perform { [self] host in
                host.addClient(Self.client) { batch in
                    self.events.withLock { $0 += batch.events }
                    self.bell.yield()
                    host.handled(by: Self.client)
                }
            }
        }

        /// The first matching event, past or future.
        func wait<Found: Sendable>(for matches: (HostEvent) -> Found?) async throws -> Found {
            var iterator = news.makeAsyncIterator()
            while true {
                let told = events.withLock { $0 }
                if let found = told.lazy.compactMap(matches).first { return found }
                guard await iterator.next() != nil else { throw CancellationError() }
            }
        }

        /// Connects, discovers, and ends. Returns the services.
        func discover() async throws -> [RemoteService] {
            _ = try await wait { if case .stateChanged(.ready, _) = $0 { true } else { nil } }
            await host.withMachine { machine, now in
                machine.connect(CacheTests.peer, for: Self.client, at: now)
            }
            let link = try await wait { if case .connected(let link, _, _) = $0 { link } else { nil } }
            let id = GATTRequestID(client: Self.client, number: 1)
            await host.withMachine { machine, now in
                machine.request(.discoverServices(nil), id: id, on: link, at: now)
            }
            let services = try await wait {
                if case .completed(id, .success(.services(let found))) = $0 { found } else { nil }
            }
            await withCheckedContinuation { done in host.perform { $0.shutDown { done.resume() } } }
            radio.stop()
            return services
        }

        func hasSent(_ pdu: ATTPDU) throws -> Bool {
            let octets = try Data(contentsOf: URL(fileURLWithPath: capture))
            return octets.range(of: Data(pdu.encoded)) != nil
        }
    }

    @Test func `a later run finds on disk what an earlier one has discovered`() async throws {
        let directory = NSTemporaryDirectory() + "martlet-host-\(UUID().uuidString)"
        let search = ATTPDU.readByGroupTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(UInt16(0x2800)))
        let hashRead = ATTPDU.readByTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(UInt16(0x2B2A)))
        let first = try Run(directory: directory, number: 1)
        let found = try await first.discover()
        #expect(found.count == 5)
        #expect(try first.hasSent(search) && first.hasSent(hashRead))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory + "/cache")
        #expect(names == ["\(CacheTests.peer.compact)-random.json"])

        let second = try Run(directory: directory, number: 2)
        // The host reads the cache in the background.
        let isRead = await firstAnswer(where: { $0 }) {
            await second.host.withMachine { machine, _ in machine.peers.cache(of: CacheTests.peer) != nil }
        }
        try #require(isRead == true)
        #expect(try await second.discover() == found)
        #expect(try !second.hasSent(search) && second.hasSent(hashRead))
    }
}
