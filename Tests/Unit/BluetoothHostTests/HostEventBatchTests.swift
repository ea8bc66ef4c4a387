// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing

@testable import BluetoothHost

struct HostEventBatchTests {
    private let client = ClientSet(ClientID(rawValue: 1))
    private let link = LinkID(rawValue: 7)

    private func append(_ octets: [UInt8], to batch: inout HostEventBatch) {
        batch.appendValue(link, handle: 3, octets.span.bytes, indication: nil, for: client)
    }

    private func sighting() -> Sighting { Sighting(address: DeviceAddress(kind: .random, value: 1)) }

    @Test("other events keep their place among values and advertisements")
    func order() {
        var batch = HostEventBatch()
        append([1], to: &batch)
        append([2, 3], to: &batch)
        batch.append(.linkDown(link, .connectionTimeout), for: client)
        batch.appendAdvertisement(of: sighting(), for: client)
        batch.append(.mtuExchanged(link, 64), for: client)
        append([4], to: &batch)
        #expect(batch.others.map(\.values) == [2, 2])
        #expect(batch.others.map(\.advertisements) == [0, 1])
        let words = batch.events.map { event in
            switch event {
            case .value(_, _, let range, _): "value \(Array(batch.octets[range]))"
            case .advertisement: "advertisement"
            case .linkDown: "down"
            case .mtuExchanged: "mtu"
            default: "?"
            }
        }
        #expect(words == ["value [1]", "value [2, 3]", "down", "advertisement", "mtu", "value [4]"])
        #expect(batch.clients == client && batch.hasNotableEvents && !batch.isEmpty)
    }

    @Test("the next batch is empty, whatever the last batch had")
    func following() {
        var batch = HostEventBatch()
        append([UInt8](repeating: 9, count: 200_000), to: &batch)
        batch.appendAdvertisement(of: sighting(), for: client)
        #expect(!batch.hasNotableEvents)
        let next = HostEventBatch(after: batch)
        #expect(next.isEmpty && next.octets.isEmpty && next.events.isEmpty && next.clients.isEmpty)
        #expect(next.octets.capacity < 100_000, "one large batch does not make all that follow large")
    }

    @Test("the batch has the event of a ready controller among others")
    func ready() {
        var batch = HostEventBatch()
        batch.append(.stateChanged(.resetting, reason: ""), for: client)
        #expect(!batch.tellsReady)
        batch.append(.stateChanged(.ready, reason: ""), for: client)
        #expect(batch.tellsReady)
    }
}
