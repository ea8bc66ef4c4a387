// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth
@testable import CoreBluetoothPrograms

/// Two shapes of libraries for iOS: a mock and a publisher.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct LibraryTests {
    private let radio = VirtualRadio(seed: 31)

    private func makeController() throws -> CBController {
        CBController(
            transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 0x99))),
            stateDirectory: nil)
    }

    private func addSensor() -> AirNodeID {
        radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor 1", kind: .counter,
                rate: 20))
    }

    /// A manager of `proxy`, connected to the only sensor.
    private func connect(_ proxy: CentralProxy, on controller: CBController) async throws -> (
        manager: CBCentralManager, peripheral: CBPeripheral
    ) {
        var found: CBPeripheral?
        var isConnected = false
        proxy.discovered.sink { found = $0 }
        proxy.connected.sink { _ in isConnected = true }
        let manager = CBCentralManager(
            delegate: proxy, queue: nil, options: [CBCentralManagerOptionControllerKey: controller])
        try await waitFor("power") { manager.state == .poweredOn }
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { found != nil }
        manager.stopScan()
        let peripheral = try #require(found)
        peripheral.delegate = proxy
        manager.connect(peripheral)
        try await waitFor("a connection") { isConnected }
        return (manager, peripheral)
    }

    // MARK: Methods of subclasses

    @Test func `methods that only a subclass has are called where it says that it has them`() async throws {
        let controller = try makeController()
        defer { controller.shutdown() }
        let sensor = addSensor()
        let proxy = ConformingProxy()
        var lost: [Int] = []
        var services: [[CBUUID]] = []
        var restored: [Int] = []
        proxy.lost.sink { lost.append(($0.error as NSError?)?.code ?? -1) }
        proxy.services.sink { services.append($0) }
        proxy.restored.sink { restored.append($0.count) }
        let (manager, peripheral) = try await connect(proxy, on: controller)
        peripheral.discoverServices([CBUUID(string: "180A")])
        try await waitFor("services") { !services.isEmpty }
        #expect(services == [[CBUUID(string: "180A")]])
        radio.simulateDisconnection(of: sensor, reason: .remoteUserTerminated)
        try await waitFor("the end") { !lost.isEmpty }
        #expect(lost == [CBError.peripheralDisconnected.rawValue])
        let delegate = try #require(manager.delegate)
        delegate.centralManager(
            manager, willRestoreState: [CBCentralManagerRestoredStatePeripheralsKey: [peripheral]])
        #expect(restored == [1])
        // A method that neither class has: no object receives the call.
        peripheral.delegate?.peripheralDidUpdateName(peripheral)
    }

    // MARK: Properties

    @Test func `a property is published as it changes, until the observation ends`() async throws {
        let controller = try makeController()
        defer { controller.shutdown() }
        _ = addSensor()
        let proxy = ConformingProxy()
        let publisher = PropertyPublisher()
        let (manager, peripheral) = try await connect(proxy, on: controller)
        publisher.follow(peripheral)
        publisher.follow(manager)
        #expect(publisher.states == [.connected])
        manager.scanForPeripherals(withServices: nil)
        manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
        manager.stopScan()
        manager.cancelPeripheralConnection(peripheral)
        try await waitFor("the end") { publisher.states.count == 3 }
        #expect(publisher.states == [.connected, .disconnecting, .disconnected])
        #expect(
            publisher.changes == [
                "- setting false", "connected setting false", "disconnecting setting false",
            ])
        #expect(publisher.scans == [true, false])
        publisher.stop()
        manager.scanForPeripherals(withServices: nil)
        manager.connect(peripheral)
        try await waitFor("a connection") { peripheral.state == .connected }
        #expect(publisher.states.count == 3 && publisher.scans.count == 2)
    }

    @Test func `an observer hears of each change twice where it asks for that`() async throws {
        let controller = try makeController()
        defer { controller.shutdown() }
        let proxy = ConformingProxy()
        let manager = CBCentralManager(
            delegate: proxy, queue: nil, options: [CBCentralManagerOptionControllerKey: controller])
        try await waitFor("power") { manager.state == .poweredOn }
        var told: [String] = []
        let observation = manager.observe(\.isScanning, options: [.prior, .old]) { _, change in
            told.append("\(change.isPrior) \(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue == nil)")
        }
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("both") { told.count == 2 }
        #expect(told == ["true false true", "false false true"])
        observation.invalidate()
        observation.invalidate()
    }

    @Test func `objects are formatted, and asked by their keys`() async throws {
        let controller = try makeController()
        defer { controller.shutdown() }
        _ = addSensor()
        let proxy = ConformingProxy()
        let (manager, peripheral) = try await connect(proxy, on: controller)
        let journal = MockJournal()
        let service = try #require(try await peripheral.services().first)
        for object in [peripheral, manager, service, service.uuid] as [any CVarArg & NSObject] {
            journal.record("seen", object)
            #expect(journal.lines.last == "seen \(object.description) 0")
        }
        journal.record(keysOf: peripheral)
        #expect(journal.lines.last == "true 2 Sensor 1 nothing")
        #expect(peripheral.value(forKey: "services") as? [CBService] == peripheral.services)
        #expect(peripheral.value(forKey: "canSendWriteWithoutResponse") as? Bool == true)
        #expect(peripheral.value(forKey: "ancsAuthorized") as? Bool == false)
        #expect(manager.value(forKey: "state") as? Int == 5 && manager.value(forKey: "isScanning") as? Bool == false)
        #expect(manager.value(forKey: "delegate") as? ConformingProxy === proxy)
        #expect(manager.value(forKey: "queue") == nil)
        let old = OldNames() as any OldAPI
        #expect(old.oldState(of: manager) == "on")
        let characteristic = try #require(try await peripheral.characteristics(in: service).first)
        #expect(!old.isBroadcasted(characteristic))
    }

    // MARK: Mocks and errors

    @Test func `a subclass answers for itself, also where it is published`() {
        let service = MockService(type: CBUUID(string: "180D"), primary: true)
        #expect(service.uuid == CBUUID() && !service.isPrimary)
        #expect(CBUUID() == CBUUID() && CBUUID().data == Data(count: 16))
        service.mockedUUID = CBUUID(string: "180F")
        let base: CBAttribute = service
        #expect(base.uuid == CBUUID(string: "180F"))
    }

    @Test func `errors are made, imported and told apart as Apple's are`() throws {
        let timedOut = MockErrors.timedOut
        #expect(timedOut.code == .connectionTimeout && timedOut == CBError(.connectionTimeout))
        #expect(timedOut.localizedDescription == "the mock fell silent")
        #expect(timedOut.errorDescription == "the mock fell silent")
        #expect((timedOut as NSError).domain == CBErrorDomain && (timedOut as NSError).code == 6)
        #expect((timedOut as NSError).localizedDescription == "the mock fell silent")
        let refused = MockErrors.refused
        #expect(refused.errorUserInfo["characteristic"] as? String == "2A19")
        #expect(refused._nsError.domain == CBATTErrorDomain && refused._nsError.code == 2)
        #expect(CBError(.unknown)._nsError.domain == CBErrorDomain)
        #expect(!refused.localizedDescription.isEmpty && refused.hashValue == CBATTError(.readNotPermitted).hashValue)

        let imported = MockErrors.imported(NSError(domain: CBErrorDomain, code: 7))
        #expect((imported as? CBError)?.code == .peripheralDisconnected)
        let newer = try #require(MockErrors.imported(NSError(domain: CBErrorDomain, code: 99)) as? CBError)
        #expect(newer.code == .unknown && newer.errorCode == 99 && newer != CBError(.unknown))
        let refusal = NSError(domain: CBATTErrorDomain, code: 0x81)
        let application = try #require(MockErrors.imported(refusal) as? CBATTError)
        #expect(application.code.rawValue == 0x81)
        let none = try #require(
            MockErrors.imported(NSError(domain: CBATTErrorDomain, code: 0x181, userInfo: ["why": "no octet"]))
                as? CBATTError)
        #expect(none.code == .unlikelyError && none.errorCode == 0x181 && none != CBATTError(.unlikelyError))
        #expect((none as NSError).code == 0x181 && (none as NSError).userInfo["why"] as? String == "no octet")
        #expect((newer as NSError).code == 99)
        let told = CBATTError(.readNotPermitted, userInfo: [NSLocalizedDescriptionKey: "no"])
        #expect(told.errorDescription == "no" && told.localizedDescription == "no")

        #expect(MockErrors.name(of: timedOut) == "timeout" && MockErrors.name(of: refused) == "not readable")
        #expect(MockErrors.name(of: CBATTError(.insufficientResources)) == "resources")
        #expect(MockErrors.name(of: application) == "application 129")
        #expect(MockErrors.name(of: imported) == "CBErrorDomain 7")
    }

    @Test func `every octet is a code of an attribute server, and the known ones have their names`() throws {
        let codes = try (0...255).map { try #require(CBATTError.Code(rawValue: $0)) }
        #expect(codes.map(\.rawValue) == Array(0...255) && Set(codes).count == 256)
        #expect(Set(codes.map { MockErrors.name(of: $0) }).count == 256)
        #expect(codes.map { MockErrors.name(of: $0) }.filter { $0.hasPrefix("application") }.count == 238)
    }

    // MARK: Services of the host

    @Test func `services that the host looks after are found by name alone`() async throws {
        let controller = try makeController()
        defer { controller.shutdown() }
        _ = addSensor()
        let (manager, peripheral) = try await connect(ConformingProxy(), on: controller)
        defer { withExtendedLifetime(manager) {} }
        let hosts = [CBUUID(string: "1800"), CBUUID(string: "1801")]
        let all = try await peripheral.services()
        #expect(!all.isEmpty && !all.contains { hosts.contains($0.uuid) })
        #expect(peripheral.services == all)
        #expect(try await peripheral.services(withUUIDs: hosts).map(\.uuid) == hosts)
        let changed = try await peripheral.characteristic(CBUUID(string: "2A05"), in: hosts[1])
        #expect(changed.properties == .indicate)
        // They stay, as the application has them in hand.
        #expect(try await peripheral.services().map(\.uuid).contains(hosts[1]))
        #expect(try await peripheral.descriptors(of: changed).map(\.uuid.uuidString) == ["2902"])
    }
}
