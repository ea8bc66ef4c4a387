// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth
@testable import CoreBluetoothPrograms

/// Every delegate method that a subclass may add: called if the subclass declares it, and otherwise not.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct SubclassDelegateTests {
    private let radio = VirtualRadio(seed: 32)

    private func makeController(
        at address: DeviceAddress = DeviceAddress(kind: .public, value: 0x98), _ directory: String? = nil
    ) throws -> CBController {
        CBController(
            transport: .descriptor(try radio.makeController(address: address)), stateDirectory: directory)
    }

    /// Makes every call to a delegate.
    private func tell(_ delegate: BareDelegate, on controller: CBController) {
        let manager = CBCentralManager(
            delegate: nil, queue: nil, options: [CBCentralManagerOptionControllerKey: controller])
        let peripheralManager = CBPeripheralManager(
            delegate: nil, queue: nil, options: [CBPeripheralManagerOptionControllerKey: controller])
        let address = DeviceAddress(kind: .public, value: 0x97)
        let peripheral = CBPeripheral(address: address, identifier: UUID(), manager: manager)
        let central = CBCentral(address: address, identifier: UUID())
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        let value = CBMutableCharacteristic(
            type: CBUUID(string: "2A37"), properties: .read, value: nil, permissions: .readable)
        let text = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "")
        let request = CBATTRequest(central: central, characteristic: value, offset: 0, value: nil, transaction: nil)

        let centrals: any CBCentralManagerDelegate = delegate
        centrals.centralManager(manager, willRestoreState: [:])
        centrals.centralManager(manager, didDiscover: peripheral, advertisementData: [:], rssi: -40)
        centrals.centralManager(manager, didConnect: peripheral)
        centrals.centralManager(manager, didFailToConnect: peripheral, error: nil)
        centrals.centralManager(manager, didDisconnectPeripheral: peripheral, error: nil)
        centrals.centralManager(
            manager, didDisconnectPeripheral: peripheral, timestamp: 0, isReconnecting: false, error: nil)
        centrals.centralManager(manager, connectionEventDidOccur: .peerConnected, for: peripheral)
        centrals.centralManager(manager, didUpdateANCSAuthorizationFor: peripheral)

        let values: any CBPeripheralDelegate = delegate
        values.peripheralDidUpdateName(peripheral)
        values.peripheral(peripheral, didModifyServices: [])
        values.peripheral(peripheral, didReadRSSI: -40, error: nil)
        values.peripheral(peripheral, didDiscoverServices: nil)
        values.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: nil)
        values.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: nil)
        values.peripheral(peripheral, didUpdateValueFor: value, error: nil)
        values.peripheral(peripheral, didWriteValueFor: value, error: nil)
        values.peripheral(peripheral, didUpdateNotificationStateFor: value, error: nil)
        values.peripheral(peripheral, didDiscoverDescriptorsFor: value, error: nil)
        values.peripheral(peripheral, didUpdateValueFor: text, error: nil)
        values.peripheral(peripheral, didWriteValueFor: text, error: nil)
        values.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
        values.peripheral(peripheral, didOpen: nil, error: nil)

        let services: any CBPeripheralManagerDelegate = delegate
        services.peripheralManager(peripheralManager, willRestoreState: [:])
        services.peripheralManagerDidStartAdvertising(peripheralManager, error: nil)
        services.peripheralManager(peripheralManager, didAdd: service, error: nil)
        services.peripheralManager(peripheralManager, central: central, didSubscribeTo: value)
        services.peripheralManager(peripheralManager, central: central, didUnsubscribeFrom: value)
        services.peripheralManagerIsReady(toUpdateSubscribers: peripheralManager)
        services.peripheralManager(peripheralManager, didReceiveRead: request)
        services.peripheralManager(peripheralManager, didReceiveWrite: [request])
        services.peripheralManager(peripheralManager, didPublishL2CAPChannel: 0x80, error: nil)
        services.peripheralManager(peripheralManager, didUnpublishL2CAPChannel: 0x80, error: nil)
        services.peripheralManager(peripheralManager, didOpen: nil, error: nil)
    }

    /// All of them, in the order of ``tell(_:on:)``.
    private static let methods = [
        "centralManager(_:willRestoreState:)", "centralManager(_:didDiscover:advertisementData:rssi:)",
        "centralManager(_:didConnect:)", "centralManager(_:didFailToConnect:error:)",
        "centralManager(_:didDisconnectPeripheral:error:)",
        "centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)",
        "centralManager(_:connectionEventDidOccur:for:)", "centralManager(_:didUpdateANCSAuthorizationFor:)",
        "peripheralDidUpdateName(_:)", "peripheral(_:didModifyServices:)", "peripheral(_:didReadRSSI:error:)",
        "peripheral(_:didDiscoverServices:)", "peripheral(_:didDiscoverIncludedServicesFor:error:)",
        "peripheral(_:didDiscoverCharacteristicsFor:error:)", "peripheral(_:didUpdateValueFor:error:)",
        "peripheral(_:didWriteValueFor:error:)", "peripheral(_:didUpdateNotificationStateFor:error:)",
        "peripheral(_:didDiscoverDescriptorsFor:error:)", "peripheral(_:didUpdateValueFor:error:)",
        "peripheral(_:didWriteValueFor:error:)", "peripheralIsReady(toSendWriteWithoutResponse:)",
        "peripheral(_:didOpen:error:)", "peripheralManager(_:willRestoreState:)",
        "peripheralManagerDidStartAdvertising(_:error:)", "peripheralManager(_:didAdd:error:)",
        "peripheralManager(_:central:didSubscribeTo:)", "peripheralManager(_:central:didUnsubscribeFrom:)",
        "peripheralManagerIsReady(toUpdateSubscribers:)", "peripheralManager(_:didReceiveRead:)",
        "peripheralManager(_:didReceiveWrite:)", "peripheralManager(_:didPublishL2CAPChannel:error:)",
        "peripheralManager(_:didUnpublishL2CAPChannel:error:)", "peripheralManager(_:didOpen:error:)",
    ]

    @Test func `every method that a subclass adds is called where it says that it has them`() throws {
        let controller = try makeController()
        defer { controller.shutdown() }
        let delegate = FullDelegate()
        tell(delegate, on: controller)
        #expect(delegate.calls == Self.methods)
    }

    @Test func `no method that a subclass adds is called where it does not say that it has them`() throws {
        let controller = try makeController()
        defer { controller.shutdown() }
        let delegate = AddingDelegate()
        tell(delegate, on: controller)
        #expect(delegate.calls.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a subclass that says that it restores is given what a crash left`(saysSo: Bool) async throws {
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor 1", kind: .counter,
                rate: 20))
        let first = try RestorationApplication(on: radio, StateDirectory())
        let earlier = try await first.makeCentral()
        earlier.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { !first.discovered.isEmpty }
        let peripheral = try #require(first.discovered.first)
        earlier.connect(peripheral)
        try await first.hears("connected")
        try await waitFor("what is kept") {
            first.directory.central?.peripherals.count == 1 && first.directory.knows([peripheral.identifier])
        }
        let directory = try first.crash()
        let controller = try makeController(at: RestorationApplication.address, directory.path)
        defer { controller.shutdown() }
        let proxy = saysSo ? ConformingProxy() : RestoringProxy()
        var restored: [CBPeripheral] = []
        proxy.restored.sink { restored += $0 }
        var isOn = false
        proxy.state.sink { if $0 == .poweredOn { isOn = true } }
        let manager = CBCentralManager(
            delegate: proxy, queue: nil,
            options: [
                CBCentralManagerOptionControllerKey: controller, CBCentralManagerOptionRestoreIdentifierKey: "test",
            ])
        // The restoration comes before poweredOn.
        try await waitFor("power") { isOn }
        #expect(restored.map(\.identifier) == (saysSo ? [peripheral.identifier] : []))
        if saysSo { try await waitFor("the connection") { restored.first?.state == .connected } }
        withExtendedLifetime((earlier, manager)) {}
    }
}

/// A conforming class with the required methods alone.
class BareDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

/// Adds all optional methods, without a declaration.
class AddingDelegate: BareDelegate {
    private(set) var calls: [String] = []
    private func record(_ call: String = #function) { calls.append(call) }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) { record() }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { record() }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { record() }
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        record()
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { record() }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) { record() }
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) { record() }
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
        record()
    }

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { record() }
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) { record() }
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) { record() }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { record() }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) { record() }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { record() }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record() }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record() }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record() }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record() }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record()
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record()
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { record() }
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) { record() }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) { record() }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) { record() }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        record()
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { record() }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { record() }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { record() }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) { record() }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) { record() }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) { record() }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) { record() }
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        record()
    }
}

/// Adds all optional methods, and declares them.
final class FullDelegate: AddingDelegate, CBCentralManagerSubclassDelegate, CBPeripheralSubclassDelegate,
    CBPeripheralManagerSubclassDelegate
{}
