// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// Phase 3 with a peer that breaks its rules.
struct KeyDistributionTests {
    private func refusal(_ reason: PairingFailedReason) -> [PairingMachine.Effect] {
        [.send([0x05, reason.rawValue]), .failed(.refused(reason))]
    }

    @Test func `keys of a wrong length are refused (CVE-2022-2993)`() throws {
        for (code, length) in [(0x06, 17), (0x07, 11), (0x08, 17), (0x09, 8)] as [(UInt8, Int)] {
            for role in [LinkRole.central, .peripheral] {
                for count in [1, length - 1, length + 1, 200] {
                    var machine = try PairingScenario.legacyJustWorks.machine(role, waitingFor: code)
                    let octets = [code] + [UInt8](repeating: 1, count: count - 1)
                    #expect(machine.received(octets[...], at: .zero) == refusal(.invalidParameters))
                }
            }
        }
    }

    @Test func `keys in another order, or not agreed on, end the pairing`() throws {
        let keys: [UInt8: [UInt8]] = [
            0x06: [0x06] + [UInt8](repeating: 1, count: 16), 0x07: [0x07] + [UInt8](repeating: 1, count: 10),
            0x08: [0x08] + [UInt8](repeating: 1, count: 16), 0x09: [0x09, 0, 1, 2, 3, 4, 5, 6],
            0x0A: [0x0A] + [UInt8](repeating: 1, count: 16),
        ]
        for scenario in [PairingScenario.legacyJustWorks, .justWorks] {
            for expected in (scenario.isLegacy ? [0x06, 0x07, 0x08, 0x09] : [0x08, 0x09]) as [UInt8] {
                for role in [LinkRole.central, .peripheral] {
                    for (code, octets) in keys where code != expected {
                        var machine = try scenario.machine(role, waitingFor: expected)
                        #expect(machine.received(octets[...], at: .zero) == refusal(.unspecifiedReason))
                    }
                }
            }
        }
    }

    @Test func `a Long Term Key of zeros is refused`() throws {
        for role in [LinkRole.central, .peripheral] {
            var machine = try PairingScenario.legacyJustWorks.machine(role, waitingFor: 0x06)
            let octets = [0x06] + [UInt8](repeating: 0, count: 16)
            #expect(machine.received(octets[...], at: .zero) == refusal(.keyRejected))
        }
    }

    @Test(
        arguments: [
            [1, 1, 2, 3, 4, 5, 0x01], [1, 1, 2, 3, 4, 5, 0x41], [1, 1, 2, 3, 4, 5, 0x81], [2, 1, 2, 3, 4, 5, 6],
            [255, 1, 2, 3, 4, 5, 6], [1, 1, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func `an identity that changes is none`(octets: [UInt8]) throws {
        for role in [LinkRole.central, .peripheral] {
            var machine = try PairingScenario.justWorks.machine(role, waitingFor: 0x09)
            #expect(machine.received(([0x09] + octets)[...], at: .zero) == refusal(.invalidParameters))
        }
    }

    @Test(arguments: [0, 1] as [UInt8])
    func `an identity of zeros is ignored, with its key, and the other keys are kept`(kind: UInt8) throws {
        for scenario in [PairingScenario.justWorks, .legacyJustWorks] {
            for role in [LinkRole.central, .peripheral] {
                var machine = try scenario.machine(role, waitingFor: 0x09)
                let octets: [UInt8] = [0x09, kind, 0, 0, 0, 0, 0, 0]
                let results = machine.received(octets[...], at: .zero).compactMap {
                    if case .finished(let result) = $0 { result } else { nil }
                }
                let result = try #require(results.first)
                #expect(result.identity == nil && result.identityKey == nil)
                #expect(result.isBonding && result.keySize == 16)
            }
        }
    }
}
