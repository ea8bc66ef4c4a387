// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import TestSupport
import VirtualRadio

/// Discovery, reads and writes as asynchronous calls.
@Suite(.timeLimit(.minutes(10)))
struct AsyncValueTests {
    @Test func `everything a peripheral has is discovered`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        peripheral.delegate = application
        let services = try await peripheral.services()
        #expect(services.count == peripheral.services?.count && services.count >= 2)
        let service = try #require(try await peripheral.services(withUUIDs: [Counter.service]).first)
        #expect(services.contains { $0 === service })
        let characteristics = try await peripheral.characteristics(in: service)
        #expect(characteristics.map(\.uuid) == [Counter.value, Counter.scratch])
        let value = try await peripheral.characteristic(Counter.value, in: Counter.service)
        #expect(value === characteristics[0])
        let descriptors = try await peripheral.descriptors(of: value)
        #expect(try await peripheral.value(for: try #require(descriptors.first)) == Data([0, 0]))
        #expect(descriptors.first?.value as? NSNumber == 0)
        #expect(try await peripheral.includedServices(in: service).isEmpty)
        #expect(try await peripheral.rssi() < 0)
        await #expect(throws: CBATTError(.attributeNotFound)) {
            try await peripheral.characteristic(CBUUID(string: "2A37"), in: Counter.service)
        }
        await #expect(throws: CBError(.uuidNotAllowed)) {
            try await peripheral.write(Data([1, 0]), for: try #require(descriptors.first))
        }
        // Only the asking task gets the answer.
        #expect(!application.calls.contains { $0.hasPrefix("services") || $0.hasPrefix("value") })
    }

    @Test func `values are written and read back, with and without response`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let characteristic = try await peripheral.characteristic(Counter.scratch, in: Counter.service)
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
        let value = try await peripheral.characteristic(Counter.value, in: Counter.service)
        await #expect(throws: CBATTError(.writeNotPermitted)) { try await peripheral.write(Data([1]), for: value) }
    }

    @Test func `a cancelled read takes nobody else's answer, and its own answer goes to nobody`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connectAsynchronously(with: manager)
        let characteristic = try await peripheral.characteristic(Counter.scratch, in: Counter.service)
        let value = try await peripheral.characteristic(Counter.value, in: Counter.service)
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
        let characteristic = try await peripheral.characteristic(Counter.scratch, in: Counter.service)
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
