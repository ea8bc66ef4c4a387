// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A client that connects and subscribes, again whenever a link ends; and, like the radio thread, a service that
/// restarts a given-up controller.
final class Collection {
    let simulation: Simulation
    private let count: UInt64
    private var ids: [AirNodeID] = []
    private var seen = 0
    private var peers: [LinkID: DeviceAddress] = [:]
    private(set) var restarts = 0
    /// Looks after the controller in place of the service; called once a turn.
    var caretaker: (() -> Void)?
    private var request: UInt64 = 0

    init(_ simulation: Simulation, sensors count: UInt64) {
        (self.simulation, self.count) = (simulation, count)
        for number in 1...(count + 1) { ids.append(simulation.addSensor(number, rate: 5)) }
    }

    func begin() {
        listen()
        for number in 1...count { want(Simulation.sensor(number)) }
    }

    private func listen() {
        simulation.host.setScan(
            ScanDemand(services: nil, allowsDuplicates: true), for: Simulation.client, at: simulation.now)
    }

    private func want(_ peer: DeviceAddress) {
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
    }

    /// The end of a link and a new scan demand make the host use all of its commands again.
    func provoke() {
        simulation.air.simulateDisconnection(of: ids[0])
        simulation.host.setScan(nil, for: Simulation.client, at: simulation.now)
        run(for: .seconds(1))
        listen()
    }

    func run(for limit: Duration) {
        let end = simulation.now + limit
        while simulation.now < end {
            simulation.run(for: min(.milliseconds(100), end - simulation.now))
            step()
        }
    }

    private func step() {
        if let caretaker {
            caretaker()
        } else if simulation.host.state == .resetting, !simulation.host.isStarting {
            restarts += 1
            simulation.host.start(at: simulation.now)
        }
        while seen < simulation.events.count {
            handle(simulation.events[seen])
            seen += 1
        }
    }

    private func handle(_ event: HostEvent) {
        switch event {
        case .connected(let link, let peer, _):
            peers[link] = peer
            ask(.discoverCharacteristics(ATTPDU.HandleRange(start: 1, end: 0xFFFF), [CounterService.value]), link)
        case .completed(let id, .success(.characteristics(let found))):
            guard let value = found.first else { return }
            ask(
                .configure(valueHandle: value.valueHandle, endHandle: value.endHandle, .notification),
                LinkID(rawValue: UInt32(truncatingIfNeeded: id.rawValue)))
        case .disconnected(_, let peer, _, _): want(peer)
        case .connectionFailed(let peer, _, _): want(peer)
        default: break
        }
    }

    private func ask(_ operation: GATTRequest, _ link: LinkID) {
        request += 1 << 32
        simulation.host.request(
            operation, id: GATTRequestID(client: Simulation.client, number: request | UInt64(link.rawValue)), on: link,
            at: simulation.now)
    }

    /// The number of values of all sensors that reached the controller.
    var delivered: Int { ids.reduce(0) { $0 + (simulation.air.ledger(of: $1)?.delivered ?? 0) } }

    /// Runs on. Returns the sensors without a value meanwhile.
    func silent(for limit: Duration) -> [DeviceAddress] {
        let before = simulation.values.count
        run(for: limit)
        let heard = Set(simulation.values[before...].compactMap { peers[$0.link] })
        return (1...count).map(Simulation.sensor).filter { !heard.contains($0) }
    }

    /// Runs on; true if the unconnected sensor was heard.
    func heard(within limit: Duration) -> Bool {
        let before = simulation.advertisements.count
        run(for: limit)
        return simulation.advertisements[before...].contains { $0.address == Simulation.sensor(count + 1) }
    }
}
