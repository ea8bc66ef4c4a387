// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth
@testable import CoreBluetoothPrograms

/// A machine that loses its power in the middle of a run, and starts again.
@MainActor
private final class CrashingMachine {
    private let radio: VirtualRadio
    private let address: DeviceAddress
    private var directory: StateDirectory
    private(set) var controller: CBController

    init(in radio: VirtualRadio, address: UInt64) throws {
        self.radio = radio
        self.address = DeviceAddress(kind: .public, value: address)
        directory = try StateDirectory()
        controller = try Self.makeController(self.address, radio, directory)
    }

    deinit { controller.shutdown() }

    private static func makeController(
        _ address: DeviceAddress, _ radio: VirtualRadio, _ directory: StateDirectory
    ) throws -> CBController {
        CBController(
            transport: .descriptor(try radio.makeController(address: address)), stateDirectory: directory.path)
    }

    /// Starts a program on this machine.
    func run<Program>(_ start: () -> Program) -> Program {
        CBController.default = controller
        return start()
    }

    /// The next run finds only the disk's content at the crash.
    func crash(when isKept: (StateDirectory) -> Bool) async throws {
        try await waitFor("what is kept") { isKept(directory) }
        let copy = try directory.copy()
        controller.shutdown(preservingState: true)
        directory = copy
        controller = try Self.makeController(address, radio, directory)
    }
}

@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramRestorationTests {
    private let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

    @Test func `a central program goes on after a crash, until its user is done`() async throws {
        let radio = VirtualRadio(seed: 31)
        defer { radio.stop() }
        let machine = try CrashingMachine(in: radio, address: 0xE0_0001)
        let sensor = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor 1", kind: .counter,
                rate: 20))
        func start() -> RestoringCentral {
            machine.run {
                RestoringCentral(restoreIdentifier: "test", service: counterService, characteristic: counterValue)
            }
        }
        let first = start()
        try await waitFor("values") { first.values.count > 3 }
        #expect(first.subscriptions == 1 && !first.log.contains { $0.hasPrefix("restores") })
        let identifier = try #require(first.sensor?.identifier)
        try await machine.crash {
            $0.central?.peripherals.first?.subscriptions.count == 1 && $0.knows([identifier])
        }

        let second = start()
        try await waitFor("values") { second.values.count > 3 }
        #expect(second.log.first == "restores 1, scans []")
        #expect(second.log.last == "connected" && second.log.contains("state 5"))
        #expect(second.sensor?.identifier == identifier)
        // The second run does not hear the first run's values again.
        #expect(Set(second.values).isDisjoint(with: Set(first.values)))
        second.stop()
        try await waitFor("the end") { second.log.last == "ended" }
        try await machine.crash { $0.central?.isEmpty == true }

        // The user had finished with the sensor: the third run looks for one.
        let third = start()
        try await waitFor("values") { third.values.count > 3 }
        #expect(third.subscriptions == 1 && !third.log.contains { $0.hasPrefix("restores") })
        #expect(radio.violations(of: sensor).isEmpty)
    }

    @Test func `a peripheral program goes on after a crash, for those who followed it`() async throws {
        let radio = VirtualRadio(seed: 32)
        defer { radio.stop() }
        let machine = try CrashingMachine(in: radio, address: 0xE0_0002)
        let other = try CrashingMachine(in: radio, address: 0xE0_0003)
        let first = machine.run { RestoringPeripheral(restoreIdentifier: "test") }
        try await waitFor("advertising") { first.isAdvertising }
        let follower = other.run {
            ReconnectingLogger(service: RestoringPeripheral.service, characteristic: RestoringPeripheral.counter)
        }
        try await waitFor("a subscriber") { first.subscribers.count == 1 }
        #expect(first.count(1))
        try await waitFor("the value") { follower.entries == [Data([1])] }
        let subscribers = first.subscribers
        try await machine.crash { directory in
            let kept = directory.peripheral
            return kept?.services.first?.characteristics.first?.subscribers == subscribers
                && directory.knows(subscribers) && kept?.advertisement != nil
        }

        let second = machine.run { RestoringPeripheral(restoreIdentifier: "test") }
        #expect(second.log.isEmpty)
        try await waitFor("the follower's return") { second.log.contains("subscribed") }
        #expect(second.log.first == "restores 1, advertises Counter, subscribers 1")
        // The advertising has continued, and the program hears of no new start.
        #expect(second.isAdvertising && !second.log.contains { $0.hasSuffix("advertising") })
        #expect(second.subscribers == subscribers && !second.log.contains("added"))
        #expect(second.count(2))
        try await waitFor("another value") { follower.entries == [Data([1]), Data([2])] }

        // After a stop, the program does not advertise again after a crash.
        second.stopAdvertising()
        try await machine.crash { $0.peripheral?.advertisement == nil }
        let third = machine.run { RestoringPeripheral(restoreIdentifier: "test") }
        try await waitFor("power") { third.log.contains("state 5") }
        #expect(third.log.first == "restores 1, advertises nothing, subscribers 1" && !third.isAdvertising)
        follower.stop()
    }
}
