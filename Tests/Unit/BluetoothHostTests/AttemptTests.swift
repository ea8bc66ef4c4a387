// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing
import VirtualRadio

@testable import HostBench

/// Attempts to connect that the controller gives up.
struct AttemptTests {
    private let peer = Simulation.sensor(1)

    /// The controller's event for an attempt that is not established. Core 5.4, Vol 4, Part E, 7.7.65.1.
    private func miss(_ simulation: Simulation) {
        let status = HCIStatus.connectionFailedToBeEstablished.rawValue
        let address: [UInt8] = [1, 1, 0, 0, 0, 0, 0xC0]
        simulation.give([4, 0x3E, 19, 1, status, 0, 0, 0] + address + [0x18, 0, 0, 0, 0xF4, 1, 0])
        simulation.run(for: .seconds(2))
    }

    private func failures(_ simulation: Simulation) -> [HCIStatus] {
        simulation.events.compactMap { if case .connectionFailed(_, _, let status) = $0 { status } else { nil } }
    }

    @Test func `a wish that comes while the cancel of the last one still ends is fulfilled`() {
        let simulation = Simulation()
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        // Both calls are in one turn of the radio, so the controller has heard of neither.
        simulation.host.disconnect(peer, for: Simulation.client, at: simulation.now)
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        _ = simulation.addSensor(1)
        #expect(simulation.run(for: .seconds(30)) { simulation.connections == 1 })
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `a wish that comes while the link still ends is fulfilled with another link`() throws {
        let simulation = Simulation()
        _ = simulation.addSensor(1)
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(30)) { simulation.connections == 1 })
        let first = try #require(simulation.lastLink)
        simulation.host.disconnect(peer, for: Simulation.client, at: simulation.now)
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        simulation.run(for: .milliseconds(1))
        #expect(simulation.connections == 1, "the link that ends is no link for anybody")
        #expect(simulation.run(for: .seconds(30)) { simulation.connections == 2 })
        #expect(simulation.disconnections == [.localHostTerminated])
        #expect(simulation.lastLink != first)
        #expect(simulation.air.violations(of: simulation.controller) == [])
    }

    @Test func `nine attempts in a row that are not established are a failure, and fewer are repeated in silence`() {
        let simulation = Simulation()
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        simulation.run(for: .seconds(1))
        for _ in 1...8 { miss(simulation) }
        #expect(failures(simulation) == [])
        miss(simulation)
        #expect(failures(simulation) == [.connectionFailedToBeEstablished])
        // The wish is gone as well: the peer may appear, and no connection follows.
        simulation.forget()
        _ = simulation.addSensor(1)
        simulation.run(for: .seconds(30))
        #expect(simulation.connections == 0)
    }
}
