// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import TestSupport
import VirtualRadio

/// Scans as sequences.
@Suite(.timeLimit(.minutes(10)))
struct AsyncScanTests {
    @Test func `scans run beside each other and beside the delegate's, each with its filter`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter, number: 1)
        _ = application.addSensor(.heartRate, number: 2)
        let manager = try await application.makeManager()
        manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
        let counters = Task {
            await manager.advertisements(withServices: [Counter.service]).first { $0.localName != nil }
        }
        let hearts = Task {
            await manager.advertisements(withServices: [CBUUID(string: "180D")]).first { $0.localName != nil }
        }
        let counter = try #require(await counters.value)
        let heart = try #require(await hearts.value)
        #expect(counter.localName == "Sensor 1" && counter.serviceUUIDs == [Counter.service])
        #expect(heart.localName == "Sensor 2" && heart.isConnectable && (heart.rssi ?? 0) < 0)
        #expect(counter.peripheral !== heart.peripheral && heart.peripheral.name == "Sensor 2")
        try await waitFor("the delegate's discovery") { !application.discovered.isEmpty }
        #expect(application.discovered.allSatisfy { $0.peripheral === heart.peripheral })
        #expect(manager.isScanning)
    }

    @Test func `the radio scans while somebody iterates, and no longer`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let advertisements = manager.advertisements(options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        #expect(application.controller.statistics.advertisingReports == 0)
        let task = Task {
            var count = 0
            for await _ in advertisements { count += 1 }
            return count
        }
        try await waitFor("reports") { application.controller.statistics.advertisingReports > 5 }
        #expect(!manager.isScanning)
        task.cancel()
        #expect(await task.value > 0)
        var last = (count: UInt64.max, since: ContinuousClock.now)
        try await waitFor("silence") {
            let count = application.controller.statistics.advertisingReports
            if count != last.count { last = (count, .now) }
            return ContinuousClock.now - last.since > .milliseconds(400)
        }
    }

    @Test func `a slow consumer loses the oldest advertisements, and the sequence says how many`() async throws {
        let application = try Application()
        for number in 1...6 as ClosedRange<UInt64> { _ = application.addSensor(.counter, number: number) }
        let manager = try await application.makeManager()
        let advertisements = manager.advertisements(
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true], bufferingPolicy: .newest(2))
        for await _ in advertisements {
            try await waitFor("losses") { advertisements.droppedCount > 3 }
            break
        }
    }

    @Test func `a scan goes on after the controller was reset`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        var count = 0
        for await _ in manager.advertisements(options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]) {
            count += 1
            if count == 1 {
                application.radio.simulateHardwareError(try #require(application.radio.controllerStates().first).id)
                try await application.hears("state 1")
            }
            // The first sighting comes before the reset; the second may come before it.
            if count > 2, application.calls.count(where: { $0 == "state 5" }) > 1 { break }
        }
        #expect(count > 2)
    }
}
