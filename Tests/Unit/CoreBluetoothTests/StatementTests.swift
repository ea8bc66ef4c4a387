// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

private let serviceUUID = CBUUID(string: "9E3C0001-5B1A-4F0D-8E5B-7C1D2E3F4A5B")
private let valueUUID = CBUUID(string: "9E3C0002-5B1A-4F0D-8E5B-7C1D2E3F4A5B")

/// Statements of Apple's documents without a test elsewhere: the second table of docs/core-bluetooth.md.
@Suite(.timeLimit(.minutes(10)))
struct StatementTests {
    /// A central with a connection to a peripheral with one characteristic.
    private func connect(
        _ central: Application, _ peripheral: PeripheralApplication, _ characteristic: CBMutableCharacteristic
    ) async throws -> (managers: [CBManager], remote: CBPeripheral) {
        let service = CBMutableService(type: serviceUUID, primary: true)
        service.characteristics = [characteristic]
        let manager = try await peripheral.makeManager()
        try await peripheral.publish(service, with: manager)
        manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        return ([manager, centralManager], try await central.connect(with: centralManager))
    }

    @Test func `a value that was given is read without the delegate, whatever its permissions say`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let value = Data([1, 2, 3])
        let connection = try await connect(
            central, peripheral,
            CBMutableCharacteristic(type: valueUUID, properties: .read, value: value, permissions: []))
        let found = try await central.find(valueUUID, on: connection.remote)
        connection.remote.readValue(for: found)
        try await waitFor("the value") { central.values.last == value }
        #expect(!peripheral.calls.contains { $0.hasPrefix("read") })
        #expect(connection.managers.allSatisfy { $0.state == .poweredOn })
    }

    @Test(
        arguments: [
            CBATTError.Code.readNotPermitted, .invalidOffset, .insufficientAuthorization, .attributeNotFound,
            .unlikelyError, .insufficientResources,
        ])
    func `the result that a delegate gives is the error that the central has`(code: CBATTError.Code) async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        peripheral.answersReads { _ in code }
        let connection = try await connect(
            central, peripheral,
            CBMutableCharacteristic(type: valueUUID, properties: .read, value: nil, permissions: .readable))
        let found = try await central.find(valueUUID, on: connection.remote)
        connection.remote.readValue(for: found)
        try await waitFor("the error") {
            central.calls.contains { $0.contains("CBATTErrorDomain \(code.rawValue)") }
        }
        #expect(connection.managers.allSatisfy { $0.state == .poweredOn })
    }

    @Test func `a scan before the manager is powered on is none`() throws {
        let controller = CBController(transport: .unix("/nonexistent/controller"), stateDirectory: nil)
        defer { controller.shutdown() }
        let manager = CBCentralManager(
            delegate: nil, queue: nil, options: [CBCentralManagerOptionControllerKey: controller])
        manager.scanForPeripherals(withServices: nil)
        #expect(!manager.isScanning)
    }

    @Test func `a manager without a queue calls its delegate on the main queue`() async throws {
        let application = try Application()
        let seen = Mutex(false)
        final class Listener: NSObject, CBCentralManagerDelegate, Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            func centralManagerDidUpdateState(_ central: CBCentralManager) { body() }
        }
        let listener = Listener {
            dispatchPrecondition(condition: .onQueue(.main))
            seen.withLock { $0 = true }
        }
        let manager = CBCentralManager(
            delegate: listener, queue: nil, options: [CBCentralManagerOptionControllerKey: application.controller])
        try await waitFor("the first call") { seen.withLock { $0 } }
        withExtendedLifetime((manager, listener)) {}
    }

    @Test func `services, characteristics and errors of attribute servers say what they are`() {
        let service = CBMutableService(type: serviceUUID, primary: true)
        let value = CBMutableCharacteristic(
            type: valueUUID, properties: .read, value: Data([0xAB, 0xCD]), permissions: .readable)
        #expect(service.description.contains(serviceUUID.uuidString))
        #expect(value.description.contains(valueUUID.uuidString) && value.description.contains("properties = 0x2"))
        let texts = (1...0x11).compactMap(CBATTError.Code.init(rawValue:)).map { CBATTError($0).localizedDescription }
        #expect(Set(texts.map { $0.prefix { $0 != "(" } }).count == 0x11, "\(texts)")
        #expect(CBATTError(.readNotPermitted).localizedDescription.hasPrefix("Reading is not permitted."))
    }
}
