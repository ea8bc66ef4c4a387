// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import HCI
import Testing
import VirtualRadio

private let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
private let counterValue = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")
private let scratch = CBUUID(string: "5E4D0003-1C7B-4B5E-9B0A-3F6B2C9D7A10")

private func sequence(_ value: Data) -> UInt32 {
    [UInt8](value.prefix(4)).reversed().reduce(0) { $0 << 8 | UInt32($1) }
}

private extension Application {
    /// The first peripheral that advertises, connected, without a delegate.
    func connectAsynchronously(with manager: CBCentralManager) async throws -> CBPeripheral {
        let found = await manager.advertisements().first { _ in true }
        let peripheral = try #require(found?.peripheral)
        try await peripheral.connect(timeout: .seconds(20))
        return peripheral
    }
}

@Suite(.timeLimit(.minutes(2)))
struct AsyncConnectionTests {
    @Test func `states begin with the present one and tell of every change`() async throws {
        let application = try Application()
        let manager = CBCentralManager(
            delegate: nil, queue: application.queue,
            options: [CBCentralManagerOptionControllerKey: application.controller])
        try await manager.waitUntilPoweredOn(timeout: .seconds(20))
        var seen: [CBManagerState] = []
        for await state in manager.states {
            seen.append(state)
            if seen.count == 1 {
                application.radio.simulateHardwareError(try #require(application.radio.controllerStates().first).id)
            } else if state == .poweredOn {
                break
            }
        }
        #expect(seen == [.poweredOn, .resetting, .poweredOn])
    }

    @Test func `waiting for power ends with the timeout where there is none`() async throws {
        let manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "nowhere"),
            options: [
                CBCentralManagerOptionControllerKey: CBController(
                    transport: .unix("/nonexistent/controller"), stateDirectory: nil)
            ])
        await #expect(throws: CBError(.connectionTimeout)) {
            try await manager.waitUntilPoweredOn(timeout: .milliseconds(20))
        }
    }

    @Test func `a peripheral is connected to and let go of, and the delegate hears of it`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        #expect(peripheral.state == .connected)
        #expect(application.calls.contains("connected"))
        try await peripheral.connect()
        try await peripheral.disconnect()
        #expect(peripheral.state == .disconnected)
        #expect(application.calls.contains("disconnected"))
        try await peripheral.disconnect()
        await #expect(throws: CBError(.notConnected)) { try await peripheral.services() }
        await #expect(throws: CBError(.notConnected)) { try await peripheral.rssi() }
    }

    @Test func `a connect that times out or is cancelled takes its wish back`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        try await peripheral.disconnect()
        application.radio.simulateOutOfRange(sensor)
        await #expect(throws: CBError(.connectionTimeout)) { try await peripheral.connect(timeout: .milliseconds(50)) }
        let task = Task { try await peripheral.connect() }
        try await waitFor("the wish") { peripheral.state == .connecting }
        task.cancel()
        await #expect(throws: CBError(.operationCancelled)) { try await task.value }
        try await waitFor("the end of the wish") { peripheral.state == .disconnected }
        application.radio.simulateInRange(sensor)
        try await peripheral.connect(timeout: .seconds(20))
    }

    @Test func `a caller that gives up takes nobody else's wish back`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        try await peripheral.disconnect()
        application.radio.simulateOutOfRange(sensor)
        let other = Task { try await peripheral.connect() }
        try await waitFor("the wish") { peripheral.state == .connecting }
        await #expect(throws: CBError(.connectionTimeout)) { try await peripheral.connect(timeout: .milliseconds(20)) }
        #expect(peripheral.state == .connecting)
        manager.connect(peripheral)
        other.cancel()
        await #expect(throws: CBError(.operationCancelled)) { try await other.value }
        #expect(peripheral.state == .connecting)
        application.radio.simulateInRange(sensor)
        try await waitFor("the application's connection") { peripheral.state == .connected }
    }

    @Test func `updates of a connection carry the reason of its end`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let states = Task {
            var states: [CBPeripheralState] = []
            for await state in peripheral.states {
                states.append(state)
                if state == .disconnected { break }
            }
            return states
        }
        let reason = Task {
            for await update in peripheral.connectionUpdates {
                if case .disconnected(let error, false) = update { return (error as? CBError)?.code }
            }
            return nil
        }
        // Once both listen.
        try await Task.sleep(for: .milliseconds(50))
        application.radio.simulateDisconnection(of: sensor, reason: .remoteUserTerminated)
        #expect(await states.value == [.connected, .disconnected])
        #expect(await reason.value == .peripheralDisconnected)
    }

    @Test func `reconnection takes the known one, and else another that advertises the service`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let first = try await application.connectAsynchronously(with: manager)
        try await first.disconnect()
        let known = try await manager.peripheral(
            reconnectingTo: [UUID(), first.identifier], orAdvertising: [counterService], timeout: .seconds(20))
        #expect(known === first && known.state == .connected)
        try await known.disconnect()
        application.radio.simulateOutOfRange(sensor)
        _ = application.addSensor(.counter, number: 2)
        let other = try await manager.peripheral(
            reconnectingTo: [first.identifier], orAdvertising: [counterService], patience: .milliseconds(50),
            timeout: .seconds(30))
        #expect(other !== first && other.state == .connected)
        #expect(first.state != .connected)
        await #expect(throws: CBError(.connectionTimeout)) {
            try await manager.peripheral(
                reconnectingTo: [first.identifier], orAdvertising: [CBUUID(string: "1234")],
                patience: .milliseconds(20), timeout: .milliseconds(100))
        }
        await #expect(throws: CBError(.unknownDevice)) { try await manager.peripheral(reconnectingTo: [UUID()]) }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct AsyncScanTests {
    @Test func `scans run beside each other and beside the delegate's, each with its filter`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter, number: 1)
        _ = application.addSensor(.heartRate, number: 2)
        let manager = try await application.makeManager()
        manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
        let counters = Task {
            await manager.advertisements(withServices: [counterService]).first { $0.localName != nil }
        }
        let hearts = Task {
            await manager.advertisements(withServices: [CBUUID(string: "180D")]).first { $0.localName != nil }
        }
        let counter = try #require(await counters.value)
        let heart = try #require(await hearts.value)
        #expect(counter.localName == "Sensor 1" && counter.serviceUUIDs == [counterService])
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
            // The first one comes before the reset; the second one may still.
            if count > 2, application.calls.count(where: { $0 == "state 5" }) > 1 { break }
        }
        #expect(count > 2)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct AsyncValueTests {
    @Test func `everything a peripheral has is discovered`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        peripheral.delegate = application
        let services = try await peripheral.services()
        #expect(services.count == peripheral.services?.count && services.count >= 4)
        let service = try #require(try await peripheral.services(withUUIDs: [counterService]).first)
        #expect(services.contains { $0 === service })
        let characteristics = try await peripheral.characteristics(in: service)
        #expect(characteristics.map(\.uuid) == [counterValue, scratch])
        let value = try await peripheral.characteristic(counterValue, in: counterService)
        #expect(value === characteristics[0])
        let descriptors = try await peripheral.descriptors(of: value)
        #expect(try await peripheral.value(for: try #require(descriptors.first)) == Data([0, 0]))
        #expect(descriptors.first?.value as? NSNumber == 0)
        #expect(try await peripheral.includedServices(in: service).isEmpty)
        #expect(try await peripheral.rssi() < 0)
        await #expect(throws: CBATTError(.attributeNotFound)) {
            try await peripheral.characteristic(CBUUID(string: "2A37"), in: counterService)
        }
        await #expect(throws: CBError(.uuidNotAllowed)) {
            try await peripheral.write(Data([1, 0]), for: try #require(descriptors.first))
        }
        // Who asked is answered, and nobody else.
        #expect(!application.calls.contains { $0.hasPrefix("services") || $0.hasPrefix("value") })
    }

    @Test func `values are written and read back, with and without response`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let characteristic = try await peripheral.characteristic(scratch, in: counterService)
        for count in [0, 20, 500] {
            let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
            try await peripheral.write(value, for: characteristic)
            #expect(try await peripheral.value(for: characteristic, timeout: .seconds(20)) == value)
            #expect(characteristic.value == value)
        }
        for number in 0..<200 as Range<UInt8> {
            try await peripheral.write(Data([number]), for: characteristic, type: .withoutResponse)
        }
        #expect(try await peripheral.value(for: characteristic) == Data([199]))
        #expect(application.controller.statistics.writeCommandsDropped == 0)
        for type in [CBCharacteristicWriteType.withResponse, .withoutResponse] {
            await #expect(throws: CBATTError(.invalidAttributeValueLength)) {
                try await peripheral.write(Data(count: 513), for: characteristic, type: type)
            }
        }
        let value = try await peripheral.characteristic(counterValue, in: counterService)
        await #expect(throws: CBATTError(.writeNotPermitted)) { try await peripheral.write(Data([1]), for: value) }
    }

    @Test func `a cancelled read takes nobody else's answer, and its own answer goes to nobody`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let characteristic = try await peripheral.characteristic(scratch, in: counterService)
        let value = try await peripheral.characteristic(counterValue, in: counterService)
        try await peripheral.write(Data([7]), for: characteristic)
        for _ in 0..<20 {
            let cancelled = Task { try await peripheral.value(for: value) }
            let read = Task { try await peripheral.value(for: characteristic) }
            let hasty = Task { try await peripheral.value(for: value, timeout: .zero) }
            cancelled.cancel()
            if case .failure(let error) = await cancelled.result {
                #expect((error as? CBError)?.code == .operationCancelled)
            }
            if case .failure(let error) = await hasty.result {
                #expect((error as? CBError)?.code == .connectionTimeout)
            }
            #expect(try await read.value == Data([7]))
        }
    }

    @Test func `calls that wait end with the connection`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let characteristic = try await peripheral.characteristic(scratch, in: counterService)
        let reads = (0..<20).map { _ in Task { try await peripheral.value(for: characteristic) } }
        let writes = (0..<100).map { number in
            Task { try await peripheral.write(Data([number]), for: characteristic, type: .withoutResponse) }
        }
        application.radio.simulateDisconnection(of: sensor)
        for read in reads { _ = await read.result }
        for write in writes { _ = await write.result }
        try await waitFor("the drop") { peripheral.state == .disconnected }
        try await peripheral.connect(timeout: .seconds(20))
        await #expect(throws: CBError(.invalidHandle)) { try await peripheral.value(for: characteristic) }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct AsyncNotificationTests {
    @Test func `every consumer and the delegate get every value in order; the last one switches off`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter, rate: 100)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        peripheral.delegate = application
        let characteristic = try await peripheral.characteristic(counterValue, in: counterService)
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
        let characteristic = try await peripheral.characteristic(counterValue, in: counterService)
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
        let characteristic = try await peripheral.characteristic(counterValue, in: counterService)
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
        let again = try await peripheral.characteristic(counterValue, in: counterService)
        for try await _ in peripheral.notifications(for: again) { break }
    }

    @Test func `our own disconnection ends a stream without an error, and a refusal with it`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter, rate: 100)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let unable = try await peripheral.characteristic(scratch, in: counterService)
        await #expect(throws: CBATTError(.requestNotSupported)) {
            for try await _ in peripheral.notifications(for: unable) {}
        }
        let characteristic = try await peripheral.characteristic(counterValue, in: counterService)
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
        let characteristic = try await peripheral.characteristic(counterValue, in: counterService)
        for _ in 0..<20 {
            for try await _ in peripheral.notifications(for: characteristic) { break }
        }
        try await waitFor("the end of notifications") { !characteristic.isNotifying }
    }
}
