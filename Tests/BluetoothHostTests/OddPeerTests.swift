// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A whole host on the air, and a sensor that departs from the specification.
struct OddPeerTests {
    typealias Request = SensorOddity.Request

    static let services = Request(0x10)
    static let characteristics = Request(0x08, type: 0x2803)

    static let rows: [(Set<SensorOddity>, services: Int, characteristics: Int, [GATTOddity.Kind])] = [
        ([], 5, 3, []),
        ([.reverses(services)], 5, 3, [.outOfOrder]),
        ([.reverses(characteristics)], 5, 3, [.outOfOrder]),
        // The first answer has all that there is.
        ([.goesRound(characteristics)], 5, 3, [.handleOutOfRange, .handleOutOfRange, .handleOutOfRange, .endless]),
        ([.misplacesValue(0x2A6F)], 5, 2, [.valueOutside(0xFFF0)]),
        ([.namesNoRequest], 5, 3, []),
        ([.declares(0x2A6F, as: 0x2A6E)], 5, 3, []),
    ]

    @Test(arguments: rows) func `usable items are found, and the oddity is told`(
        oddities: Set<SensorOddity>, services: Int, characteristics: Int, kinds: [GATTOddity.Kind]
    ) throws {
        let (simulation, link) = try connect(oddities)
        guard case .success(.services(let found)) = ask(simulation, .discoverServices(nil), 1, on: link) else {
            Issue.record("no services")
            return
        }
        #expect(found.count == services)
        let main = try #require(found.first { $0.uuid.short == 0x181A })
        let answer = ask(simulation, .discoverCharacteristics(main.handles, nil), 2, on: link)
        guard case .success(.characteristics(let list)) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(list.count == characteristics)
        let told = simulation.host.peculiarities(of: link, at: simulation.now)
        #expect(told?.0.map(\.kind) == kinds)
    }

    @Test func `a refused search is a failure, whatever request the refusal names`() throws {
        let (simulation, link) = try connect([.refuses(Self.services, error: 0x11), .namesNoRequest])
        let answer = ask(simulation, .discoverServices(nil), 1, on: link)
        #expect(answer == .failure(.refused(.insufficientResources)))
    }

    @Test func `values come from a characteristic that nobody can subscribe to`() throws {
        let (simulation, link) = try connect([.lacksConfigurations])
        guard case .success(.services(let found)) = ask(simulation, .discoverServices(nil), 1, on: link),
            let main = found.first(where: { $0.uuid.short == 0x181A }),
            case .success(.characteristics(let list)) = ask(
                simulation, .discoverCharacteristics(main.handles, nil), 2, on: link),
            let first = list.first
        else {
            Issue.record("nothing is found")
            return
        }
        let configured = ask(
            simulation, .configure(valueHandle: first.valueHandle, endHandle: first.endHandle, .notification), 3,
            on: link)
        #expect(configured == .success(.unconfigured))
        #expect(simulation.run(for: .seconds(5)) { simulation.values.contains { $0.handle == first.valueHandle } })
        let told = simulation.host.peculiarities(of: link, at: simulation.now)?.0
        #expect(told?.map(\.kind) == [.noConfiguration])
    }

    private func connect(_ oddities: Set<SensorOddity>) throws -> (Simulation, LinkID) {
        let simulation = Simulation()
        let peer = Simulation.sensor(1)
        var sensor = VirtualSensor.Configuration(address: peer, name: "S", kind: .environment)
        sensor.oddities = oddities
        _ = simulation.air.addSensor(sensor)
        simulation.run(for: .seconds(1)) { simulation.host.state == .ready }
        simulation.host.connect(peer, for: Simulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { simulation.lastLink != nil })
        return (simulation, try #require(simulation.lastLink))
    }

    private func ask(
        _ simulation: Simulation, _ request: GATTRequest, _ number: UInt64, on link: LinkID
    ) -> Result<GATTResponse, GATTError>? {
        let id = GATTRequestID(client: Simulation.client, number: number)
        simulation.host.request(request, id: id, on: link, at: simulation.now)
        func answer() -> Result<GATTResponse, GATTError>? {
            simulation.events.lazy.compactMap {
                if case .completed(id, let result) = $0 { result } else { nil }
            }.first
        }
        simulation.run(for: .seconds(60)) { answer() != nil }
        return answer()
    }
}
