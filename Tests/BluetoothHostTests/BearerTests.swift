// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import Testing
import VirtualRadio

/// ATT on a link: what comes without being asked for, and what is not sent any more.
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
        // Disconnect is all that goes out.
        #expect(Array(simulation.host.takeOutbound().prefix(4)) == [0x01, 0x06, 0x04, 0x03])
        let isRefused = simulation.host.takeEvents().events.contains {
            if case .completed(id, .failure) = $0 { true } else { false }
        }
        #expect(isRefused)
    }
}

extension Simulation {
    /// Hands the host an ATT PDU on the link that it sent something on last.
    fileprivate func receive(_ pdu: [UInt8]) {
        guard lastHandle.count == 2 else { return }
        let length = UInt8(pdu.count)
        give([2, lastHandle[0], lastHandle[1] | 0x20, length + 4, 0, length, 0, 4, 0] + pdu)
    }
}
