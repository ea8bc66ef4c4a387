// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import SMP
import Testing

/// Commands for the controller's resolving list, one at a time.
struct ResolvingListMachineTests {
    typealias Effect = ResolvingListMachine.Effect
    typealias Entry = ResolvingListMachine.Entry

    private static let now = MonotonicTime.zero
    private static let entries = (1...4).map { number in
        Entry(identity: Sample.identity(UInt64(number)), key: Sample.key(UInt8(number)))
    }

    private func machine(_ count: Int, capacity: Int) -> ResolvingListMachine {
        var machine = ResolvingListMachine()
        machine.want(Array(Self.entries.prefix(count)), revision: 1)
        machine.restart(capacity: capacity)
        return machine
    }

    /// Answers every step with `status`, until no step is left now.
    @discardableResult
    private func run(
        _ machine: inout ResolvingListMachine, at now: MonotonicTime = now,
        _ status: (Effect) -> HCIStatus = { _ in .success }
    ) -> [Effect] {
        var effects: [Effect] = []
        while let effect = machine.next(at: now) {
            effects.append(effect)
            guard effects.count < 50 else {
                Issue.record("no end: \(effects)")
                break
            }
            machine.answered(status(effect), at: now)
        }
        return effects
    }

    private func identity(_ number: UInt64) -> DeviceAddress { Sample.identity(number) }

    @Test func `peers are added in device privacy mode, then resolution is switched on`() {
        var machine = machine(2, capacity: 8)
        #expect(machine.wantsPause(at: Self.now))
        let effects = run(&machine)
        #expect(
            effects == [
                .clear, .add(Self.entries[0]), .setDeviceMode(identity(1)), .add(Self.entries[1]),
                .setDeviceMode(identity(2)), .setEnabled(true),
            ])
        #expect(machine.resolved == [identity(1), identity(2)] && !machine.wantsPause(at: Self.now))
        #expect(machine.next(at: Self.now) == nil && machine.deadline == nil)
    }

    @Test func `nobody is resolved before resolution is on`() {
        var machine = machine(1, capacity: 8)
        while let effect = machine.next(at: Self.now) {
            #expect(machine.resolved.isEmpty && machine.wantsPause(at: Self.now))
            #expect(machine.next(at: Self.now) == nil, "one command at a time")
            machine.answered(.success, at: Self.now)
            if case .setEnabled = effect { break }
        }
        #expect(machine.resolves(identity(1)) && !machine.resolves(identity(2)))
    }

    @Test func `a controller without a list, or with nobody to resolve, is left alone`() {
        var (none, nobody) = (machine(2, capacity: 0), machine(0, capacity: 8))
        #expect(run(&none) == [] && run(&nobody) == [])
        #expect(!none.wantsPause(at: Self.now) && !nobody.wantsPause(at: Self.now))
        none.answered(.success, at: Self.now)
        #expect(none.resolved.isEmpty, "an answer to nothing")
    }

    @Test func `changes are made while resolution is off`() {
        var machine = machine(2, capacity: 8)
        run(&machine)
        machine.want([Self.entries[1], Self.entries[2]], revision: 2)
        #expect(machine.revision == 2)
        #expect(
            run(&machine) == [
                .setEnabled(false), .remove(identity(1)), .add(Self.entries[2]), .setDeviceMode(identity(3)),
                .setEnabled(true),
            ])
        machine.want([], revision: 3)
        #expect(run(&machine) == [.setEnabled(false), .remove(identity(2)), .remove(identity(3))])
        #expect(machine.resolved.isEmpty)
    }

    @Test func `another key of the same peer takes the place of the old one`() {
        var machine = machine(1, capacity: 1)
        run(&machine)
        let new = Entry(identity: identity(1), key: Sample.key(9))
        machine.want([new], revision: 2)
        #expect(
            run(&machine) == [
                .setEnabled(false), .remove(identity(1)), .add(new), .setDeviceMode(identity(1)), .setEnabled(true),
            ])
    }

    @Test func `of more peers than there is room for, those in the list stay`() {
        var machine = machine(2, capacity: 2)
        run(&machine)
        machine.want([Self.entries[2], Self.entries[3], Self.entries[1], Self.entries[0]], revision: 2)
        #expect(run(&machine) == [] && machine.resolved == [identity(1), identity(2)])
        machine.want([Self.entries[2], Self.entries[3], Self.entries[1]], revision: 3)
        run(&machine)
        #expect(machine.resolved == [identity(2), identity(3)])
    }

    @Test func `a list that is smaller than it says holds what it holds`() {
        var machine = machine(3, capacity: 8)
        run(&machine) { $0 == .add(Self.entries[1]) ? .memoryCapacityExceeded : .success }
        #expect(machine.capacity == 1 && machine.resolved == [identity(1)])
        #expect(run(&machine) == [])
    }

    @Test func `a peer that the controller refuses is left to the host`() {
        var machine = machine(3, capacity: 8)
        run(&machine) { $0 == .add(Self.entries[1]) ? .invalidCommandParameters : .success }
        #expect(machine.resolved == [identity(1), identity(3)])
        machine.want(Array(Self.entries.prefix(4)), revision: 2)
        let effects = run(&machine)
        #expect(!effects.contains(.add(Self.entries[1])) && effects.contains(.add(Self.entries[3])))
        // Another key is another chance.
        machine.want([Entry(identity: identity(2), key: Sample.key(7))], revision: 3)
        run(&machine)
        #expect(machine.resolved == [identity(2)])
    }

    @Test func `a peer that stays in network privacy mode is taken out`() {
        var machine = machine(2, capacity: 8)
        let effects = run(&machine) { $0 == .setDeviceMode(identity(1)) ? .unspecifiedError : .success }
        #expect(
            effects == [
                .clear, .add(Self.entries[0]), .setDeviceMode(identity(1)), .remove(identity(1)),
                .add(Self.entries[1]), .setDeviceMode(identity(2)), .setEnabled(true),
            ])
        #expect(machine.resolved == [identity(2)])
    }

    @Test(arguments: [Effect.clear, .setEnabled(true)])
    func `a controller that refuses the list as such is left alone`(refused: Effect) {
        var machine = machine(2, capacity: 8)
        run(&machine) { $0 == refused ? .unsupportedFeature : .success }
        #expect(machine.resolved.isEmpty && machine.next(at: Self.now) == nil)
        #expect(!machine.wantsPause(at: Self.now + .seconds(100)) && machine.deadline == nil)
        machine.want(Self.entries, revision: 2)
        #expect(run(&machine) == [])
    }

    @Test func `a list that cannot be switched off any more stays as it is`() {
        var machine = machine(2, capacity: 8)
        run(&machine)
        machine.want([Self.entries[0]], revision: 2)
        #expect(run(&machine) { _ in .unspecifiedError } == [.setEnabled(false)])
        #expect(machine.resolves(identity(1)) && run(&machine) == [])
    }

    @Test func `a refusal that may pass is tried again, without a pause meanwhile`() {
        var machine = machine(1, capacity: 8)
        var now = Self.now
        for _ in 0..<5 {
            #expect(machine.next(at: now) == .clear)
            machine.answered(.commandDisallowed, at: now)
            #expect(!machine.wantsPause(at: now) && machine.deadline == now + .seconds(1))
            #expect(machine.next(at: now) == nil)
            now = now + .seconds(1)
            #expect(machine.wantsPause(at: now))
        }
        run(&machine, at: now)
        #expect(machine.resolved == [identity(1)])
    }

    @Test func `what is refused again and again is given up`() {
        var machine = machine(1, capacity: 8)
        var now = Self.now
        for _ in 0..<ResolvingListMachine.refusalLimit {
            #expect(machine.next(at: now) == .clear)
            machine.answered(.commandDisallowed, at: now)
            now = now + .seconds(1)
        }
        #expect(machine.next(at: now) == nil && machine.deadline == nil && !machine.wantsPause(at: now))
    }

    @Test func `an entry that is gone already counts as removed`() {
        var machine = machine(2, capacity: 8)
        run(&machine)
        machine.want([Self.entries[1]], revision: 2)
        run(&machine) { $0 == .remove(identity(1)) ? .unknownConnectionIdentifier : .success }
        #expect(machine.resolved == [identity(2)])
    }

    @Test func `whom the controller does not find is taken out`() {
        var machine = machine(2, capacity: 8)
        run(&machine)
        machine.failed(identity(1))
        #expect(machine.resolved == [identity(2)], "at once")
        #expect(machine.wantsPause(at: Self.now))
        run(&machine)
        #expect(machine.resolved == [identity(2)])
        machine.failed(identity(4))
        #expect(run(&machine) == [], "never in the list")
    }

    @Test func `a new start fills the list again`() {
        var machine = machine(2, capacity: 8)
        let first = run(&machine)
        machine.want([], revision: 2)
        _ = machine.next(at: Self.now)
        machine.want(Array(Self.entries.prefix(2)), revision: 3)
        machine.restart(capacity: 8)
        #expect(machine.resolved.isEmpty && machine.revision == 3)
        #expect(run(&machine) == first && machine.resolved == [identity(1), identity(2)])
    }
}
