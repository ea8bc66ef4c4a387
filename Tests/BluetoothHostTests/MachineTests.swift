// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import HCITransport
import Logging
import Testing

struct InitiatorMachineTests {
    private let one = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
    private let two = DeviceAddress(kind: .random, value: 0xC000_0000_0002)
    private let start = MonotonicTime.zero

    /// Takes one effect and answers it.
    private func step(
        _ machine: inout InitiatorMachine, _ status: HCIStatus = .success, at time: MonotonicTime
    ) -> InitiatorMachine.Effect? {
        let effect = machine.next(at: time)
        if effect != nil { machine.answered(status, at: time) }
        return effect
    }

    @Test func `the list is filled before it is used`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        machine.want(two)
        let effects = (0..<5).map { _ in step(&machine, at: start) }
        #expect(effects == [.clearList, .addToList(one), .addToList(two), .create(.filterAcceptList), nil])
        #expect(machine.isInitiating && machine.deadline == nil)
    }

    @Test func `a change of the list cancels first`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        for _ in 0..<3 { _ = step(&machine, at: start) }
        machine.want(two)
        #expect(step(&machine, at: start) == .cancel)
        #expect(step(&machine, at: start) == nil)
        machine.completed(.unknownConnectionIdentifier, peer: one, at: start)
        #expect(step(&machine, at: start) == .addToList(two))
        #expect(step(&machine, at: start) == .create(.filterAcceptList))
    }

    @Test func `a connection that was not established holds nobody up; what else goes wrong does for a while`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        machine.want(two)
        for _ in 0..<4 { _ = step(&machine, at: start) }
        machine.completed(.connectionFailedToBeEstablished, peer: one, at: start)
        #expect(step(&machine, at: start) == .create(.filterAcceptList))
        machine.completed(.connectionTimeout, peer: one, at: start)
        #expect(step(&machine, at: start) == nil && machine.deadline == start + InitiatorMachine.retryDelay)
    }

    @Test func `a cancel that comes too late is no error`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        for _ in 0..<3 { _ = step(&machine, at: start) }
        machine.unwant(one)
        #expect(machine.next(at: start) == .cancel)
        machine.completed(.success, peer: one, at: start)
        machine.answered(.commandDisallowed, at: start)
        #expect(machine.next(at: start) == nil)
        #expect(!machine.isInitiating)
    }

    @Test(arguments: [false, true])
    func `a peer that is wanted again while the cancel still ends is connected to behind it`(isAnswered: Bool) {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        for _ in 0..<3 { _ = step(&machine, at: start) }
        machine.unwant(one)
        #expect(machine.next(at: start) == .cancel)
        if isAnswered { machine.answered(.success, at: start) }
        machine.want(one)
        // The controller still initiates: it would refuse another attempt, and any change of its list.
        machine.sighted(one, at: start)
        #expect(machine.next(at: start) == nil && machine.isInitiating && machine.deadline == nil)
        if !isAnswered { machine.answered(.success, at: start) }
        #expect(machine.next(at: start + .seconds(60)) == nil && machine.isInitiating)
        machine.completed(.unknownConnectionIdentifier, peer: one, at: start)
        #expect(!machine.isInitiating)
        #expect(step(&machine, at: start) == .create(.filterAcceptList))
        #expect(machine.isInitiating)
    }

    @Test func `the answer to a cancel that came too late is not taken for another command's`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        for _ in 0..<3 { _ = step(&machine, at: start) }
        machine.want(two)
        #expect(machine.next(at: start) == .cancel)
        machine.completed(.success, peer: one, at: start)
        #expect(machine.next(at: start) == nil)
        machine.answered(.commandDisallowed, at: start)
        let effects = (0..<3).map { _ in step(&machine, at: start) }
        #expect(effects == [.removeFromList(one), .addToList(two), .create(.filterAcceptList)])
        #expect(machine.isInitiating)
    }

    @Test func `a fresh sighting is connected to directly, for three seconds`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        #expect(step(&machine, at: start) == .clearList)
        machine.sighted(one, at: start)
        #expect(step(&machine, at: start) == .create(.peer(one)))
        #expect(machine.deadline == start + .seconds(3))
        #expect(step(&machine, at: start + .seconds(3)) == .cancel)
        machine.completed(.unknownConnectionIdentifier, peer: one, at: start + .seconds(3))
        #expect(step(&machine, at: start + .seconds(3)) == .addToList(one))
    }

    @Test func `peers beyond the list have their turn`() {
        var machine = InitiatorMachine(capacity: 1)
        machine.want(one)
        machine.want(two)
        for _ in 0..<3 { _ = step(&machine, at: start) }
        let later = start + .seconds(10)
        #expect(machine.deadline == later)
        #expect(step(&machine, at: later) == .cancel)
        machine.completed(.unknownConnectionIdentifier, peer: one, at: later)
        #expect(step(&machine, at: later) == .removeFromList(one))
        #expect(step(&machine, at: later) == .addToList(two))
    }

    @Test func `an error is followed by a pause and a fresh start`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        _ = step(&machine, at: start)
        _ = step(&machine, .memoryCapacityExceeded, at: start)
        #expect(machine.next(at: start) == nil)
        #expect(machine.deadline == start + .milliseconds(500))
        #expect(step(&machine, at: start + .milliseconds(500)) == .clearList)
    }

    @Test func `a suspended machine gives the radio up`() {
        var machine = InitiatorMachine(capacity: 4)
        machine.want(one)
        for _ in 0..<3 { _ = step(&machine, at: start) }
        machine.isSuspended = true
        #expect(step(&machine, at: start) == .cancel)
        machine.completed(.unknownConnectionIdentifier, peer: one, at: start)
        #expect(machine.next(at: start) == nil)
        machine.isSuspended = false
        #expect(step(&machine, at: start) == .create(.filterAcceptList))
    }
}

struct ScanControlMachineTests {
    @Test func `the scanner is stopped before its timing changes`() {
        var machine = ScanControlMachine()
        #expect(machine.next(wanted: .continuous, at: .zero) == .start(.continuous))
        #expect(machine.next(wanted: nil, at: .zero) == nil)
        machine.answered(.success, at: .zero)
        #expect(machine.next(wanted: .continuous, at: .zero) == nil)
        #expect(machine.next(wanted: .shared, at: .zero) == .stop)
        machine.answered(.success, at: .zero)
        #expect(machine.next(wanted: .shared, at: .zero) == .start(.shared))
    }

    @Test func `an error is tried again after a second`() {
        var machine = ScanControlMachine()
        _ = machine.next(wanted: .continuous, at: .zero)
        machine.answered(.hardwareFailure, at: .zero)
        #expect(machine.next(wanted: .continuous, at: .zero) == nil)
        #expect(machine.deadline == .zero + .seconds(1))
        #expect(machine.next(wanted: .continuous, at: .zero + .seconds(1)) == .start(.continuous))
    }
}

struct OpeningMachineTests {
    private func error(_ kind: TransportError.Kind) -> TransportError { TransportError(kind: kind, message: "\(kind)") }

    @Test func `a busy adapter is tried for five seconds before anybody is told`() {
        var machine = OpeningMachine()
        var time = MonotonicTime.zero
        var tries = 0
        while machine.failed(error(.busy), at: time) == nil {
            tries += 1
            time = time + .milliseconds(250)
            #expect(machine.isDue(at: time))
        }
        #expect(time == .zero + .seconds(5) && tries == 20)
        #expect(machine.deadline == time + .seconds(5))
    }

    @Test func `an adapter that the kernel could not set up counts from its first refusal`() {
        var machine = OpeningMachine()
        #expect(machine.failed(error(.unfinished), at: .zero) == nil && machine.deadline == .zero + .milliseconds(250))
        #expect(machine.failed(error(.unfinished), at: .zero + .seconds(5)) != nil)
        #expect(machine.unfinishedSince == .zero)
        #expect(machine.failed(error(.busy), at: .zero + .seconds(6)) != nil && machine.unfinishedSince == nil)
        _ = machine.failed(error(.unfinished), at: .zero + .seconds(7))
        #expect(machine.unfinishedSince == .zero + .seconds(7))
        machine.lost(at: .zero + .seconds(8))
        #expect(machine.unfinishedSince == nil)
        _ = machine.failed(error(.unfinished), at: .zero + .seconds(9))
        machine.succeeded(at: .zero + .seconds(10))
        #expect(machine.unfinishedSince == nil)
    }

    @Test func `what does not last is opened after pauses that grow, and what has lasted at once`() {
        var machine = OpeningMachine()
        var now = MonotonicTime.zero
        var pauses: [Duration] = []
        for _ in 0..<10 {
            machine.succeeded(at: now)
            now = now + .seconds(1)
            machine.lost(at: now)
            let next = machine.deadline ?? now
            pauses.append(next - now)
            now = next
        }
        let milliseconds = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]
        #expect(pauses == milliseconds.map { .milliseconds($0) })
        machine.succeeded(at: now)
        now = now + .seconds(30)
        machine.lost(at: now)
        #expect(machine.deadline == now + OpeningMachine.quickRetry)
    }

    @Test func `each message is told once`() {
        var machine = OpeningMachine()
        #expect(machine.failed(error(.notFound), at: .zero) != nil)
        #expect(machine.failed(error(.notFound), at: .zero + .seconds(5)) == nil)
        #expect(machine.failed(error(.notPermitted), at: .zero + .seconds(10)) != nil)
    }
}

struct PeerDirectoryTests {
    @Test func `identifiers of connected peers outlive the process, others do not`() throws {
        let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let (kept, seen) = (DeviceAddress(kind: .random, value: 0xC1), DeviceAddress(kind: .public, value: 0xC2))
        let first = PeerDirectory(directory: directory, logger: logger)
        let (keptID, seenID) = (first.identifier(for: kept), first.identifier(for: seen))
        first.keep(kept)
        first.finishSaving()
        let second = PeerDirectory(directory: directory, logger: logger)
        #expect(second.identifier(for: kept) == keptID && second.address(for: keptID) == kept)
        #expect(second.address(for: seenID) == nil && second.identifier(for: seen) != seenID)
        #expect(second.randomAddress == first.randomAddress && first.randomAddress.isStaticRandom)
        second.finishSaving()
        try Data("{".utf8).write(to: URL(fileURLWithPath: directory + "/peers.json"))
        #expect(PeerDirectory(directory: directory, logger: logger).address(for: keptID) == nil)
    }

    @Test func `the table is bounded, and peers that were connected stay in it`() {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let directory = PeerDirectory(directory: nil, logger: logger)
        let kept = DeviceAddress(kind: .random, value: 1)
        directory.keep(kept)
        let identifier = directory.identifier(for: kept)
        let first = directory.identifier(for: DeviceAddress(kind: .public, value: 2))
        for value in 3...UInt64(PeerDirectory.capacity + 10) {
            _ = directory.identifier(for: DeviceAddress(kind: .public, value: value))
        }
        #expect(directory.address(for: identifier) == kept)
        #expect(directory.address(for: first) == nil)
    }

    @Test func `a peer that is still seen outstays those that are not`() {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let directory = PeerDirectory(directory: nil, logger: logger)
        func identifier(_ value: UInt64) -> UUID {
            directory.identifier(for: DeviceAddress(kind: .public, value: value))
        }
        let (seen, forgotten) = (identifier(1), identifier(2))
        for value in 3...UInt64(PeerDirectory.capacity) { _ = identifier(value) }
        #expect(identifier(1) == seen)
        _ = identifier(UInt64(PeerDirectory.capacity + 1))
        #expect(identifier(1) == seen && identifier(2) != forgotten)
    }

    @Test func `among 10,000 devices each keeps its identifier, and so does what was connected among any number`() {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let directory = PeerDirectory(directory: nil, logger: logger)
        func all(_ numbers: ClosedRange<UInt64>) -> [UUID] {
            numbers.map { directory.identifier(for: DeviceAddress(kind: .public, value: $0)) }
        }
        let first = all(1...10_000)
        #expect(Set(first).count == 10_000)
        for number in 1...20 as ClosedRange<UInt64> { directory.keep(DeviceAddress(kind: .public, value: number)) }
        #expect(all(1...10_000) == first)
        _ = all(20_001...50_000)
        #expect(all(1...20) == Array(first[..<20]))
        #expect(all(21...21) != [first[20]], "it was only seen, long ago")
    }

    @Test func `a peripheral that the application holds has the same identifier when it connects long after`() {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let directory = PeerDirectory(directory: nil, logger: logger)
        let address = DeviceAddress(kind: .public, value: 1)
        let identifier = directory.identifier(for: address)
        for number in 2...UInt64(PeerDirectory.capacity + 1) {
            _ = directory.identifier(for: DeviceAddress(kind: .public, value: number))
        }
        #expect(directory.address(for: identifier) == nil)
        directory.recall(identifier, for: address)
        directory.keep(address)
        #expect(directory.identifier(for: address) == identifier && directory.address(for: identifier) == address)
    }
}
