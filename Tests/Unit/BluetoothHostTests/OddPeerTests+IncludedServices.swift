// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// A whole host, and a sensor whose service includes two others and answers oddly to the search for them.
extension OddPeerTests {
    /// The service for the environment with its two include declarations.
    static let including = ATTPDU.HandleRange(start: environmentStart, end: environmentEnd + 2)

    static let included: [(SensorOddity?, found: Int, [GATTOddity.Kind])] = [
        (nil, 2, []),
        (.reverses(.includedServices), 2, [.outOfOrder]),
        (.strays(.includedServices), 0, [.handleOutOfRange, .handleOutOfRange, .endless]),
        (.empties(.includedServices), 0, [.unreadableAnswer]),
        (.goesRound(.includedServices), 2, [.handleOutOfRange, .handleOutOfRange, .endless]),
        (.repeats(.includedServices), 2, [.comesTwice, .comesTwice]),
        (.doubles(.includedServices), 2, [.answersTwice]),
        (.refuses(.includedServices, error: 0x0E), 0, [.refused(.unlikelyError)]),
        // Handles of 2 octets do not fit; the declaration ends before it begins; a declaration of the same service.
        (.answers(.includedServices, with: [0x09, 4, 21, 0, 1, 0]), 0, [.badDeclaration]),
        (.answers(.includedServices, with: [0x09, 8, 21, 0, 9, 0, 2, 0, 0x0F, 0x18]), 0, [.badDeclaration]),
        (.answers(.includedServices, with: [0x09, 8, 21, 0, 10, 0, 21, 0, 0x1A, 0x18]), 1, []),
    ]

    @Test(arguments: included) func `included services are found as far as they are told, and the oddity is told`(
        oddity: SensorOddity?, count: Int, kinds: [GATTOddity.Kind]
    ) throws {
        let (simulation, link) = try connect(Set([.includesServices] + (oddity.map { [$0] } ?? [])))
        let start = simulation.now
        let answer = ask(simulation, .discoverIncludedServices(Self.including), 1, on: link)
        guard case .success(.services(let found)) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(simulation.now - start < .seconds(20), "it goes on for ever")
        #expect(found.count == count, "\(found)")
        if count == 2 { #expect(found.map(\.uuid.short) == [0x180F, 0x180A]) }
        let told = simulation.host.peculiarities(of: link, at: simulation.now)?.0.map(\.kind)
        #expect(told == kinds)
        // The include declarations are no characteristics, and take none of them away.
        let characteristics = ask(simulation, .discoverCharacteristics(Self.including, nil), 2, on: link)
        guard case .success(.characteristics(let list)) = characteristics else {
            Issue.record("\(String(describing: characteristics))")
            return
        }
        #expect(list.count == 3)
    }

    @Test(arguments: [SensorOddity.ignores(.includedServices), .hangsUp(.includedServices)])
    func `a search for included services that is never answered, or ends the link, fails as such`(oddity: SensorOddity)
        throws
    {
        let (simulation, link) = try connect([.includesServices, oddity])
        let answer = ask(simulation, .discoverIncludedServices(Self.including), 1, on: link)
        #expect(answer == .failure(oddity == .ignores(.includedServices) ? .timedOut : .disconnected))
    }
}
