// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import HCITransport
import Logging
import Testing

struct ScanControlMachineTests {
    private static let second = MonotonicTime.zero + .seconds(1)

    /// Each command is granted, until `effect` is asked for.
    private func advance(_ machine: inout ScanControlMachine, to effect: ScanControlMachine.Effect) -> Bool {
        for _ in 0..<4 {
            guard let next = machine.next(wanted: .continuous, at: .zero) else { return false }
            if next == effect { return true }
            _ = machine.answered(.success, at: .zero)
        }
        return false
    }

    @Test func `the scanner is stopped before its timing changes, and each command waits for the one before`() {
        var machine = ScanControlMachine()
        #expect(machine.next(wanted: .continuous, at: .zero) == .setParameters(.continuous))
        #expect(machine.next(wanted: nil, at: .zero) == nil)
        #expect(machine.answered(.success, at: .zero) == nil && machine.isChanging && !machine.works)
        #expect(machine.next(wanted: .continuous, at: .zero) == .enable(.continuous))
        #expect(machine.answered(.success, at: .zero) == nil && machine.works && !machine.isChanging)
        #expect(machine.next(wanted: .continuous, at: .zero) == nil)
        #expect(machine.next(wanted: .shared, at: .zero) == .stop)
        _ = machine.answered(.success, at: .zero)
        #expect(machine.next(wanted: .shared, at: .zero) == .setParameters(.shared))
    }

    @Test func `parameters that nobody wants any more are not used`() {
        var machine = ScanControlMachine()
        _ = machine.next(wanted: .continuous, at: .zero)
        _ = machine.answered(.success, at: .zero)
        #expect(machine.next(wanted: nil, at: .zero) == nil && !machine.isChanging)
        #expect(machine.next(wanted: .shared, at: .zero) == .setParameters(.shared))
    }

    @Test func `a refusal that may pass is tried again after a second, twice, and then rarely`() {
        var machine = ScanControlMachine()
        var now = MonotonicTime.zero
        for number in 1...5 {
            #expect(machine.next(wanted: .continuous, at: now) == .setParameters(.continuous))
            let refusal = machine.answered(.hardwareFailure, at: now)
            #expect(refusal?.isFinal == (number >= 3), "\(number)")
            #expect(machine.next(wanted: .continuous, at: now) == nil)
            let pause: Duration = number < 3 ? .seconds(1) : .seconds(60 << (number - 3))
            #expect(machine.deadline == now + pause)
            now = now + pause
        }
        // Without a wish, the machine waits for nothing.
        #expect(machine.next(wanted: nil, at: .zero) == nil && machine.deadline == nil)
    }

    @Test(arguments: [HCIStatus.unknownCommand, .unsupportedFeature, .invalidCommandParameters])
    func `parameters that are refused are not followed by an enable`(status: HCIStatus) {
        var machine = ScanControlMachine()
        _ = machine.next(wanted: .continuous, at: .zero)
        #expect(machine.answered(status, at: .zero)?.isFinal == true)
        #expect(machine.next(wanted: .continuous, at: .zero) == nil && machine.running == nil)
    }

    @Test(arguments: [HCIStatus.success, .commandDisallowed])
    func `a start that is disallowed does not count as a scan: what may run is stopped first`(stop: HCIStatus) {
        for effect in [ScanControlMachine.Effect.setParameters(.continuous), .enable(.continuous)] {
            var machine = ScanControlMachine()
            #expect(advance(&machine, to: effect))
            #expect(machine.answered(.commandDisallowed, at: .zero)?.isFinal == false)
            #expect(machine.running == nil && !machine.works)
            #expect(machine.next(wanted: .continuous, at: .zero) == .stop)
            #expect(machine.answered(stop, at: .zero) == nil && machine.running == nil)
            #expect(machine.next(wanted: .continuous, at: .zero) == nil && machine.deadline == Self.second)
            #expect(machine.next(wanted: .continuous, at: Self.second) == .setParameters(.continuous))
        }
    }

    @Test func `a scan that cannot be stopped goes on, and is told of`() {
        var machine = ScanControlMachine()
        #expect(advance(&machine, to: .enable(.continuous)))
        _ = machine.answered(.success, at: .zero)
        #expect(machine.next(wanted: nil, at: .zero) == .stop)
        let refusal = machine.answered(.unknownCommand, at: .zero)
        #expect(refusal?.effect == .stop && refusal?.isFinal == true && machine.running == .continuous)
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
