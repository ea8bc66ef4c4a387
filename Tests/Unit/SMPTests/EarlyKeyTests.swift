// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// Keys that overtake the event of the link's encryption.
struct EarlyKeyTests {
    /// A machine with a controller that encrypts, the keys that arrive, and the machine's effects in time.
    private struct Moment {
        var machine: PairingMachine
        let keys: [[UInt8]]
        let result: PairingResult?
    }

    private func moment(_ scenario: PairingScenario, _ role: LinkRole) throws -> Moment {
        var loop = scenario.loop
        loop.run()
        let codes: ClosedRange<UInt8> = 0x06...0x0A
        let place = try #require(loop.arrivals.firstIndex { codes.contains($0.octets[0]) })
        let machines = try #require(
            loop.moments.last { $0.machines[.peripheral]?.key(ediv: 0, rand: 0) != nil && $0.arrived == place }?
                .machines)
        return Moment(
            machine: try #require(machines[role]),
            keys: loop.arrivals.filter { $0.to == role && codes.contains($0.octets[0]) }.map(\.octets),
            result: loop.result(role))
    }

    private func finished(_ effects: [PairingMachine.Effect]) -> [PairingResult] {
        effects.compactMap { if case .finished(let result) = $0 { result } else { nil } }
    }

    @Test(arguments: PairingScenario.allCases, [LinkRole.central, .peripheral])
    func `keys that come before encryption is told are the peer's once it is`(
        scenario: PairingScenario, role: LinkRole
    ) throws {
        let moment = try moment(scenario, role)
        #expect(moment.keys.count == (scenario.isLegacy ? 4 : 2) && moment.result != nil)
        for early in 0...moment.keys.count {
            var machine = moment.machine
            machine.encryptionBegins()
            for key in moment.keys.prefix(early) { #expect(machine.received(key[...], at: .zero) == []) }
            var effects = machine.encrypted(at: .zero)
            for key in moment.keys.dropFirst(early) {
                #expect(finished(effects).isEmpty)
                effects += machine.received(key[...], at: .zero)
            }
            #expect(finished(effects) == [moment.result].compactMap { $0 })
            let sent = effects.count { if case .send = $0 { true } else { false } }
            #expect(sent == moment.keys.count && machine.isEnded, "ours are sent once")
        }
    }

    @Test(arguments: [PairingScenario.justWorks, .legacyJustWorks], [LinkRole.central, .peripheral])
    func `keys in the plain, and more of them than were agreed on, end the pairing`(
        scenario: PairingScenario, role: LinkRole
    ) throws {
        let moment = try moment(scenario, role)
        let refusal: [PairingMachine.Effect] = [.send([0x05, 0x08]), .failed(.refused(.unspecifiedReason))]
        for key in moment.keys {
            var machine = moment.machine
            #expect(machine.received(key[...], at: .zero) == refusal, "the controller does not encrypt yet")
        }
        var full = moment.machine
        full.encryptionBegins()
        for key in moment.keys { #expect(full.received(key[...], at: .zero) == []) }
        #expect(full.received(moment.keys[0][...], at: .zero) == refusal)
        // A PDU that is no key waits for nothing.
        var other = moment.machine
        other.encryptionBegins()
        #expect(other.received(([0x0A] + [UInt8](repeating: 1, count: 16))[...], at: .zero) == refusal)
    }

    @Test(arguments: [PairingScenario.justWorks, .legacyJustWorks], [LinkRole.central, .peripheral])
    func `none of them is used when encryption does not come`(scenario: PairingScenario, role: LinkRole) throws {
        let moment = try moment(scenario, role)
        var machine = moment.machine
        machine.encryptionBegins()
        for key in moment.keys { #expect(machine.received(key[...], at: .zero) == []) }
        var late = machine
        #expect(machine.encryptionFailed(at: .zero) == [.failed(.encryptionFailed)])
        #expect(machine.encrypted(at: .zero) == [])
        #expect(late.expire(at: .zero + PairingMachine.timeout) == [.failed(.timedOut)])
        #expect(late.encrypted(at: .zero) == [])
    }

    @Test(arguments: [LinkRole.central, .peripheral])
    func `keys in the wrong order, or not agreed on, are refused at once`(role: LinkRole) throws {
        let moment = try moment(.justWorks, role)
        for key in [moment.keys[1], [0x06] + [UInt8](repeating: 1, count: 16)] {
            var machine = moment.machine
            machine.encryptionBegins()
            #expect(
                machine.received(key[...], at: .zero) == [.send([0x05, 0x08]), .failed(.refused(.unspecifiedReason))])
        }
    }

    @Test(arguments: [LinkRole.central, .peripheral])
    func `what is wrong with a key that came early is told when encryption is`(role: LinkRole) throws {
        var machine = try moment(.justWorks, role).machine
        machine.encryptionBegins()
        #expect(machine.received(([0x08] + [UInt8](repeating: 1, count: 16))[...], at: .zero) == [])
        // A changing address is no identity.
        #expect(machine.received([0x09, 1, 1, 2, 3, 4, 5, 0x41], at: .zero) == [])
        let effects = machine.encrypted(at: .zero)
        #expect(effects.suffix(2) == [.send([0x05, 0x0A]), .failed(.refused(.invalidParameters))])
        #expect(finished(effects).isEmpty)
    }
}
