// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import TestSupport
import VirtualRadio

/// Notifications as sequences.
@Suite(.timeLimit(.minutes(10)))
struct AsyncNotificationTests {
    @Test func `every consumer and the delegate get every value in order; the last one switches off`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter, rate: 100)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        peripheral.delegate = application
        let characteristic = try await peripheral.characteristic(Counter.value, in: Counter.service)
        func take(_ count: Int) -> Task<[UInt32], any Error> {
            Task {
                var sequences: [UInt32] = []
                for try await value in peripheral.notifications(for: characteristic) {
                    sequences.append(sequence(value))
                    if sequences.count == count { break }
                }
                return sequences
            }
        }
        let (short, long) = (take(20), take(60))
        for sequences in [try await short.value, try await long.value] {
            #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 + 1 })
        }
        try await waitFor("the end of notifications") { !characteristic.isNotifying }
        try await waitFor("the sensor to know") {
            application.radio.sensorStates().allSatisfy { !$0.isSubscribed }
        }
        #expect(application.values.count >= 60)
        #expect(application.calls.last { $0.hasPrefix("notifying") } == "notifying false")
        // A read in between is no notification.
        #expect(try await peripheral.value(for: characteristic).count == 12)
        #expect(application.radio.violations(of: sensor).isEmpty)
    }

    @Test func `the application's own notifications outlive a stream, and its switch ends them all`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter, rate: 100)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        peripheral.delegate = application
        let characteristic = try await peripheral.characteristic(Counter.value, in: Counter.service)
        peripheral.setNotifyValue(true, for: characteristic)
        for try await _ in peripheral.notifications(for: characteristic) { break }
        let count = application.values.count
        try await waitFor("more values for the delegate") { application.values.count > count + 20 }
        #expect(characteristic.isNotifying)
        let rest = Task { for try await _ in peripheral.notifications(for: characteristic) {} }
        try await Task.sleep(for: .milliseconds(20))
        peripheral.setNotifyValue(false, for: characteristic)
        try await application.hears("notifying false")
        rest.cancel()
        try await rest.value
    }

    @Test func `a stream ends with the reason of the disconnection`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter, rate: 100)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let characteristic = try await peripheral.characteristic(Counter.value, in: Counter.service)
        var count = 0
        await #expect(throws: CBError(.connectionTimeout)) {
            for try await _ in peripheral.notifications(for: characteristic) {
                count += 1
                if count == 5 { application.radio.simulateDisconnection(of: sensor) }
            }
        }
        #expect(count >= 5)
        await #expect(throws: CBError(.notConnected)) {
            for try await _ in peripheral.notifications(for: characteristic) {}
        }
        try await peripheral.connect(timeout: .seconds(20))
        await #expect(throws: CBError(.invalidHandle)) {
            for try await _ in peripheral.notifications(for: characteristic) {}
        }
        let again = try await peripheral.characteristic(Counter.value, in: Counter.service)
        for try await _ in peripheral.notifications(for: again) { break }
    }

    @Test func `our own disconnection ends a stream without an error, and a refusal with it`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter, rate: 100)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let unable = try await peripheral.characteristic(Counter.scratch, in: Counter.service)
        await #expect(throws: CBATTError(.requestNotSupported)) {
            for try await _ in peripheral.notifications(for: unable) {}
        }
        let characteristic = try await peripheral.characteristic(Counter.value, in: Counter.service)
        for try await _ in peripheral.notifications(for: characteristic) {
            if peripheral.state == .connected { manager.cancelPeripheralConnection(peripheral) }
        }
        try await waitFor("the end") { peripheral.state == .disconnected }
    }

    @Test func `streams end quickly when switched on and off over and over`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter, rate: 200)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let characteristic = try await peripheral.characteristic(Counter.value, in: Counter.service)
        for _ in 0..<20 {
            for try await _ in peripheral.notifications(for: characteristic) { break }
        }
        try await waitFor("the end of notifications") { !characteristic.isNotifying }
    }
}

private func sequence(_ value: Data) -> UInt32 {
    [UInt8](value.prefix(4)).reversed().reduce(0) { $0 << 8 | UInt32($1) }
}
