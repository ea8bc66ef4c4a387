// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing

struct AdvertiserMachineTests {
    static let own = DeviceAddress(kind: .public, value: 1)

    private func setup(
        _ data: [UInt8] = [2, 1, 6], response: [UInt8] = [], legacy: Bool = true, address: DeviceAddress = own
    ) -> AdvertisingSetup {
        AdvertisingSetup(
            parameters: AdvertisingParameters(
                kind: .connectable, usesLegacyPDUs: legacy, intervals: .fast, ownAddress: address.kind),
            address: address, data: data, scanResponse: response)
    }

    /// Runs commands, all with success, until no step is left.
    private func run(
        _ machine: inout AdvertiserMachine, _ wanted: AdvertisingSetup?, isQuiet: Bool = true
    ) -> [AdvertiserMachine.Effect] {
        var effects: [AdvertiserMachine.Effect] = []
        while effects.count < 20, let effect = machine.next(wanted: wanted, isQuiet: isQuiet, at: .zero) {
            effects.append(effect)
            _ = machine.answered(.success, at: .zero)
        }
        return effects
    }

    @Test func `it is set up, switched on, and off, one command at a time`() {
        var machine = AdvertiserMachine(isExtended: false)
        let wanted = setup()
        #expect(machine.next(wanted: wanted, isQuiet: true, at: .zero) == .setParameters(wanted.parameters))
        #expect(machine.next(wanted: wanted, isQuiet: true, at: .zero) == nil)
        _ = machine.answered(.success, at: .zero)
        #expect(run(&machine, wanted) == [.setData([2, 1, 6], .complete), .enable(isHighDuty: false)])
        #expect(machine.isRunning(wanted) && machine.isActive)
        #expect(run(&machine, wanted) == [])
        #expect(run(&machine, nil) == [.disable])
        #expect(!machine.isActive)
    }

    @Test func `long data goes over in parts, and new data begins anew`() {
        var machine = AdvertiserMachine(isExtended: true)
        let octets = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        let wanted = setup(octets, legacy: false)
        let parts = [
            AdvertiserMachine.Effect.setData(Array(octets[0..<251]), .first),
            .setData(Array(octets[251..<502]), .intermediate), .setData(Array(octets[502...]), .last),
        ]
        #expect(run(&machine, wanted) == [.setParameters(wanted.parameters)] + parts + [.enable(isHighDuty: false)])
        // A change in the middle of the data.
        let other = setup(octets.reversed(), legacy: false)
        #expect(machine.next(wanted: other, isQuiet: true, at: .zero) == .disable)
        _ = machine.answered(.success, at: .zero)
        _ = machine.next(wanted: other, isQuiet: true, at: .zero)
        _ = machine.answered(.success, at: .zero)
        let effects = run(&machine, wanted)
        #expect(effects == parts + [.enable(isHighDuty: false)])
        #expect(machine.isRunning(wanted))
    }

    @Test func `a scan response that the controller refuses is left out, and another one is offered`() {
        var machine = AdvertiserMachine(isExtended: false)
        let (bad, good) = (setup(response: [2, 9, 0x41]), setup(response: [2, 9, 0x42]))
        _ = run(&machine, setup())
        #expect(machine.next(wanted: bad, isQuiet: true, at: .zero) == .setScanResponse([2, 9, 0x41], .complete))
        // Another scan response is wanted while the first is on its way.
        #expect(machine.next(wanted: good, isQuiet: true, at: .zero) == nil)
        _ = machine.answered(.invalidCommandParameters, at: .zero)
        let later = MonotonicTime.zero + .seconds(60)
        #expect(machine.next(wanted: bad, isQuiet: true, at: later) == nil, "it is not asked for again")
        #expect(machine.next(wanted: good, isQuiet: true, at: later) == .setScanResponse([2, 9, 0x42], .complete))
        _ = machine.answered(.success, at: later)
        #expect(machine.isRunning(good))
    }

    @Test func `a set of another sort is removed first`() {
        var machine = AdvertiserMachine(isExtended: true)
        _ = run(&machine, setup(legacy: false))
        #expect(run(&machine, setup()).prefix(3) == [.disable, .remove, .setParameters(setup().parameters)])
    }

    @Test func `the only random address changes while the controller rests`() {
        var machine = AdvertiserMachine(isExtended: false)
        let random = DeviceAddress(kind: .random, value: 0x4000_0000_0001)
        let wanted = setup(address: random)
        #expect(machine.needsQuiet(for: wanted))
        #expect(run(&machine, wanted, isQuiet: false) == [.setParameters(wanted.parameters)])
        #expect(run(&machine, wanted).first == .setAddress(random))
        #expect(!machine.needsQuiet(for: wanted))
        var extended = AdvertiserMachine(isExtended: true)
        #expect(!extended.needsQuiet(for: wanted))
        #expect(run(&extended, wanted, isQuiet: false).contains(.setAddress(random)))
    }

    @Test func `an enable that is disallowed is tried again from the start, and not for ever`() {
        var machine = AdvertiserMachine(isExtended: false)
        var now = MonotonicTime.zero
        var refusals: [AdvertiserMachine.Refusal] = []
        var disables = 0
        for _ in 0..<200 where refusals.last?.isFinal != true {
            guard let effect = machine.next(wanted: setup(), isQuiet: true, at: now) else {
                now = machine.deadline ?? now
                continue
            }
            if effect == .disable { disables += 1 }
            let isEnable = effect == .enable(isHighDuty: false)
            if let refusal = machine.answered(isEnable ? .commandDisallowed : .success, at: now) {
                refusals.append(refusal)
            }
        }
        #expect(refusals.count == AdvertiserMachine.refusalLimit && disables == AdvertiserMachine.refusalLimit - 1)
        #expect(now == MonotonicTime.zero + AdvertiserMachine.retryDelay * (AdvertiserMachine.refusalLimit - 1))
    }

    @Test func `what cannot pass is final at once`() {
        var machine = AdvertiserMachine(isExtended: true)
        _ = machine.next(wanted: setup(), isQuiet: true, at: .zero)
        #expect(machine.answered(.invalidCommandParameters, at: .zero)?.isFinal == true)
    }

    @Test func `a connection that overtakes the answer leaves the advertiser off`() {
        var machine = AdvertiserMachine(isExtended: false)
        _ = machine.next(wanted: setup(), isQuiet: true, at: .zero)
        _ = machine.answered(.success, at: .zero)
        _ = machine.next(wanted: setup(), isQuiet: true, at: .zero)
        _ = machine.answered(.success, at: .zero)
        #expect(machine.next(wanted: setup(), isQuiet: true, at: .zero) == .enable(isHighDuty: false))
        machine.ended()
        _ = machine.answered(.success, at: .zero)
        #expect(machine.next(wanted: setup(), isQuiet: true, at: .zero) == .enable(isHighDuty: false))
    }

    @Test func `a set that the controller does not know is made again`() {
        var machine = AdvertiserMachine(isExtended: true)
        _ = run(&machine, setup())
        _ = machine.next(wanted: nil, isQuiet: true, at: .zero)
        #expect(machine.answered(.unknownAdvertisingIdentifier, at: .zero) == nil)
        #expect(machine.next(wanted: setup(), isQuiet: true, at: .zero) == .setParameters(setup().parameters))
    }
}

struct AdvertisingRosterTests {
    private let clients = (0..<5 as Range<UInt8>).map { ClientID(rawValue: $0) }

    @Test func `with enough advertisers everybody keeps its own`() {
        var roster = AdvertisingRoster(capacity: 5)
        for client in clients { roster.set(AdvertisingDemand(data: []), for: client, at: .zero) }
        #expect(roster.holders == clients)
        roster.set(nil, for: clients[1], at: .zero)
        roster.takeTurns(hasRadio: true, at: .zero)
        #expect(roster.holders == [clients[0], nil, clients[2], clients[3], clients[4]] && roster.turnEnd == nil)
    }

    @Test(arguments: [1, 2, 3]) func `with too few they take turns, and all get the same time`(capacity: Int) {
        var roster = AdvertisingRoster(capacity: capacity)
        for client in clients { roster.set(AdvertisingDemand(data: []), for: client, at: .zero) }
        var now = MonotonicTime.zero
        var turns: [ClientID: Int] = [:]
        for _ in 0..<50 {
            roster.takeTurns(hasRadio: true, at: now)
            for holder in roster.holders.compactMap({ $0 }) { turns[holder, default: 0] += 1 }
            now = roster.turnEnd ?? now
        }
        for client in clients { #expect(turns[client] == 50 * capacity / 5) }
    }

    @Test func `turns of the radio and of clients do not fall together`() {
        var roster = AdvertisingRoster(capacity: 1)
        for client in clients.prefix(2) { roster.set(AdvertisingDemand(data: []), for: client, at: .zero) }
        var turns: [ClientID?: Int] = [:]
        for round in 0..<40 {
            let now = MonotonicTime.zero + .seconds(2) * round
            roster.takeTurns(hasRadio: round % 2 == 0, at: now)
            if round % 2 == 0 { turns[roster.holders[0], default: 0] += 1 }
        }
        #expect(turns == [clients[0]: 10, clients[1]: 10])
    }

    @Test func `a demand whose time is over is taken away`() {
        var roster = AdvertisingRoster(capacity: 1)
        roster.set(AdvertisingDemand(data: [], duration: .seconds(60)), for: clients[0], at: .zero)
        #expect(roster.deadline == .zero + .seconds(30))
        #expect(roster.expire(at: .zero + .seconds(30)) == [])
        #expect(roster.deadline == .zero + .seconds(60))
        #expect(roster.expire(at: .zero + .seconds(60)) == [clients[0]])
        #expect(!roster.hasDemand && roster.deadline == nil)
    }
}
