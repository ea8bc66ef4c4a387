// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import Testing
import VirtualRadio

@testable import HostBench

/// ATT on a link: PDUs without a request, and PDUs that are no longer sent.
struct BearerTests {
    private func connected() -> Simulation {
        let simulation = Simulation()
        _ = simulation.addSensor(1)
        simulation.host.connect(Simulation.sensor(1), for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(10)) { simulation.connections == 1 }
        simulation.run(for: .seconds(1))
        return simulation
    }

    @Test func `several values in one notification are delivered one by one`() {
        let simulation = connected()
        simulation.receive([0x23, 9, 0, 2, 0, 0xA1, 0xA2, 12, 0, 0, 0, 15, 0, 1, 0, 0xB1])
        simulation.run(for: .milliseconds(1))
        #expect(simulation.values.map(\.handle) == [9, 12, 15])
        #expect(simulation.values.map(\.octets) == [[0xA1, 0xA2], [], [0xB1]])
        #expect(simulation.host.counters.notifications == 3)
    }

    @Test func `a value that is cut off is counted, and those before it are delivered`() {
        let simulation = connected()
        let before = simulation.host.counters.unexpectedPDUs
        simulation.receive([0x23, 9, 0, 2, 0, 0xA1, 0xA2, 12, 0, 9, 0, 1])
        simulation.receive([0x23])
        simulation.receive([0x23, 1, 0, 0])
        simulation.run(for: .milliseconds(1))
        #expect(simulation.values.map(\.handle) == [9])
        #expect(simulation.host.counters.unexpectedPDUs == before + 3)
    }

    private static let confirmation: [UInt8] = [0x1E]

    @Test func `an indication is confirmed once, however often and late that is asked for`() throws {
        let simulation = connected()
        let link = try #require(simulation.lastLink)
        simulation.forget()
        func confirm(_ indication: IndicationNumber?) -> Int {
            simulation.host.confirm(link, indication, for: Simulation.client, at: simulation.now)
            simulation.run(for: .milliseconds(1))
            return simulation.sentPDUs.count { $0 == Self.confirmation }
        }
        simulation.receive([0x1D, 9, 0, 1])
        simulation.run(for: .seconds(29))
        let first = try #require(simulation.indications.last)
        #expect(simulation.sentPDUs.isEmpty)
        #expect(confirm(first) == 1)
        #expect(confirm(first) == 1)
        simulation.receive([0x1D, 9, 0, 2])
        simulation.run(for: .milliseconds(1))
        let second = try #require(simulation.indications.last)
        #expect(confirm(first) == 1)
        #expect(confirm(second) == 2)
        #expect(confirm(nil) == 2)
    }

    @Test func `of indications that do not wait for each other, the last one is confirmed, once`() throws {
        let simulation = connected()
        let link = try #require(simulation.lastLink)
        simulation.forget()
        for value in 1...3 as ClosedRange<UInt8> { simulation.receive([0x1D, 9, 0, value]) }
        simulation.run(for: .milliseconds(1))
        #expect(simulation.values.map(\.octets) == [[1], [2], [3]])
        for (indication, count) in zip(simulation.indications, [0, 0, 1]) {
            simulation.host.confirm(link, indication, for: Simulation.client, at: simulation.now)
            simulation.run(for: .milliseconds(1))
            #expect(simulation.sentPDUs.count { $0 == Self.confirmation } == count)
        }
    }

    @Test func `an indication that is held keeps nothing else on its link back`() throws {
        let simulation = connected()
        let link = try #require(simulation.lastLink)
        simulation.receive([0x1D, 9, 0, 1])
        simulation.host.request(
            .read(handle: 3), id: GATTRequestID(client: Simulation.client, number: 1), on: link, at: simulation.now)
        simulation.receive([0x1B, 12, 0, 7])
        let isAnswered = simulation.run(for: .seconds(1)) {
            simulation.count { if case .completed(_, .success) = $0 { true } else { false } } == 1
        }
        #expect(isAnswered && simulation.values.map(\.handle) == [9, 12])
        #expect(!simulation.sentPDUs.contains(Self.confirmation))
    }

    @Test func `several clients of a link confirm an indication together, and who lets go of it need not`() throws {
        let simulation = connected()
        let link = try #require(simulation.lastLink)
        let others = [ClientID(rawValue: 1), ClientID(rawValue: 2)]
        for other in others { simulation.host.connect(Simulation.sensor(1), for: other, at: simulation.now) }
        simulation.run(for: .milliseconds(1))
        simulation.receive([0x1D, 9, 0, 1])
        simulation.run(for: .milliseconds(1))
        let indication = try #require(simulation.indications.last)
        simulation.host.confirm(link, indication, for: others[0], at: simulation.now)
        simulation.host.confirm(link, indication, for: Simulation.client, at: simulation.now)
        simulation.run(for: .milliseconds(1))
        #expect(!simulation.sentPDUs.contains(Self.confirmation))
        simulation.host.disconnect(Simulation.sensor(1), for: others[1], at: simulation.now)
        simulation.run(for: .milliseconds(1))
        #expect(simulation.sentPDUs.count { $0 == Self.confirmation } == 1)
    }

    @Test func `nothing is sent on a bearer whose transaction timed out`() throws {
        let simulation = connected()
        let link = try #require(simulation.lastLink)
        simulation.host.request(
            .read(handle: 3), id: GATTRequestID(client: Simulation.client, number: 1), on: link, at: simulation.now)
        // Time passes for the host alone: the sensor is not heard of again.
        _ = simulation.host.takeOutbound()
        let later = simulation.now + .seconds(30)
        simulation.host.advance(to: later)
        let id = GATTRequestID(client: Simulation.client, number: 2)
        simulation.host.writeCommand([1], to: 3, on: link, for: Simulation.client, at: later)
        simulation.host.request(.read(handle: 3), id: id, on: link, at: later)
        #expect(simulation.host.counters.writeCommandsDropped == 1)
        // Only Disconnect goes out.
        #expect(Array(simulation.host.takeOutbound().prefix(4)) == [0x01, 0x06, 0x04, 0x03])
        let isRefused = simulation.host.takeEvents().events.contains {
            if case .completed(id, .failure) = $0 { true } else { false }
        }
        #expect(isRefused)
    }
}

extension Simulation {
    /// Gives the host an ATT PDU on the link of the host's last PDU.
    fileprivate func receive(_ pdu: [UInt8]) {
        guard lastHandle.count == 2 else { return }
        let length = UInt8(pdu.count)
        give([2, lastHandle[0], lastHandle[1] | 0x20, length + 4, 0, length, 0, 4, 0] + pdu)
    }
}
