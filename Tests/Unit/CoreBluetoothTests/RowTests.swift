// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import CoreBluetooth
import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

/// Rows of docs/core-bluetooth.md without a test elsewhere.
@Suite(.timeLimit(.minutes(10)))
struct RowTests {
    @Test func `a state is told in words as well`() async throws {
        let application = try Application()
        let manager = try await application.makeManager()
        #expect(manager.stateReason == "powered on")
        #expect(manager.authorization == .allowedAlways)
        #expect(CBCentralManager.authorization == CBPeripheralManager.authorization)
    }

    @Test(arguments: [false, true]) func `features are those of the controller`(isExtended: Bool) async throws {
        let settings = ControllerSettings(extendedAdvertising: isExtended, codedPHY: isExtended)
        let application = try Application(settings: settings)
        _ = try await application.makeManager()
        #expect(application.controller.supports(.extendedScanAndConnect) == isExtended)
        #expect(application.controller.supports(.leCoded) == isExtended)
        #expect(application.controller.supports([.le2M, .leCoded]) == isExtended)
        #expect(application.controller.supports(.le2M))
        #expect(application.controller.supports([]))
    }

    @Test func `options that are an iPhone's alone change nothing`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = CBCentralManager(
            delegate: application, queue: application.queue,
            options: [
                CBCentralManagerOptionControllerKey: application.controller,
                CBCentralManagerOptionShowPowerAlertKey: true, CBCentralManagerOptionDeviceAccessForMedia: true,
            ])
        try await waitFor("power") { manager.state == .poweredOn }
        let peripheral = try await application.connect(
            with: manager,
            options: [
                CBConnectPeripheralOptionEnableTransportBridgingKey: true, CBConnectPeripheralOptionRequiresANCS: true,
            ])
        #expect(!peripheral.ancsAuthorized)
        application.centralManager(manager, didUpdateANCSAuthorizationFor: peripheral)
    }

    @Test func `an advertisement says when and how it was heard`() async throws {
        let application = try Application(settings: ControllerSettings(extendedAdvertising: true))
        _ = application.addSensor(.counter)
        let listener = Listener()
        let manager = CBCentralManager(
            delegate: listener, queue: application.queue,
            options: [CBCentralManagerOptionControllerKey: application.controller])
        try await waitFor("power") { manager.state == .poweredOn }
        let start = Date().timeIntervalSinceReferenceDate
        manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        try await waitFor("advertisements") { listener.times.count >= 3 }
        let times = listener.times
        #expect(times == times.sorted())
        #expect(times.allSatisfy { $0 > start - 1 && $0 < start + 120 })
        #expect(listener.primaryPHY == CBPHY.le1M.rawValue)
    }

    @Test func `connections and values are noticed in the log where that is asked for`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let notices = Notices()
        let address = DeviceAddress(kind: .public, value: 0xA0_0000_0002)
        let controller = CBController(
            transport: .descriptor(try application.radio.makeController(address: address)), stateDirectory: nil,
            logger: Logger(label: "test") { _ in notices })
        defer { controller.shutdown() }
        let manager = CBCentralManager(
            delegate: application, queue: application.queue, options: [CBCentralManagerOptionControllerKey: controller])
        try await waitFor("power") { manager.state == .poweredOn }
        let peripheral = try await application.connect(
            with: manager,
            options: [
                CBConnectPeripheralOptionNotifyOnConnectionKey: true,
                CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
                CBConnectPeripheralOptionNotifyOnNotificationKey: true,
            ])
        #expect(notices.messages == ["a peripheral has connected"])
        let notifying = try await application.find(counterCharacteristic, on: peripheral)
        peripheral.setNotifyValue(true, for: notifying)
        try await waitFor("values") { application.values.count > 3 }
        application.radio.simulateDisconnection(of: sensor)
        try await application.hears("disconnected CBErrorDomain 6")
        // One notice for many values.
        #expect(
            notices.messages == [
                "a peripheral has connected", "a peripheral notifies", "a peripheral has disconnected",
            ])
        application.forget()
        manager.connect(peripheral)
        try await application.hears("connected")
        #expect(notices.messages.count == 3)
    }

    @Test func `a connection begins after its delay, and not when it was cancelled before`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { !application.discovered.isEmpty }
        manager.stopScan()
        let peripheral = try #require(application.discovered.first?.peripheral)
        manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 3600])
        #expect(peripheral.state == .connecting)
        manager.cancelPeripheralConnection(peripheral)
        manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 0.05])
        try await application.hears("connected")
        #expect(application.controller.statistics.connections == 1)
    }

    @Test func `a connection that is there already is told again, and ended without an error`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        application.forget()
        manager.connect(peripheral)
        try await application.hears("connected")
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        #expect(application.controller.statistics.connections == 1)
        #expect(peripheral.state == .disconnected)
    }

    @Test func `a controller without room for another connection says so`() async throws {
        let application = try Application(settings: ControllerSettings(maximumLinks: 1))
        _ = application.addSensor(.counter, number: 1)
        let manager = try await application.makeManager()
        let first = try await application.connect(with: manager)
        _ = application.addSensor(.counter, number: 2)
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("another one") {
            application.discovered.contains { $0.peripheral.identifier != first.identifier }
        }
        let second = try #require(
            application.discovered.first { $0.peripheral.identifier != first.identifier }?.peripheral)
        manager.connect(second)
        try await application.hears("failed CBErrorDomain \(CBError.connectionLimitReached.rawValue)")
        #expect(second.state == .disconnected)
        application.forget()
        manager.cancelPeripheralConnection(first)
        try await application.hears("disconnected")
        manager.connect(second)
        try await application.hears("connected")
    }

    @Test func `parameters of a connection are set, and told`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        manager.setConnectionParameters(.highLatency, for: peripheral)
        var link = try await peripheral.linkInformation()
        while link.latency != 4 { link = try await peripheral.linkInformation(timeout: .seconds(20)) }
        #expect((.milliseconds(285) ... .milliseconds(300)).contains(link.interval))
        #expect(link.timeout == .seconds(5))
        #expect((27...251).contains(link.transmitOctets) && (27...251).contains(link.receiveOctets))
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        await #expect(throws: CBError(.notConnected)) { try await peripheral.linkInformation() }
    }

    @Test func `connection parameters outside the specification are none`() {
        let quick = Duration.milliseconds(15) ... .milliseconds(30)
        #expect(CBConnectionParameters(interval: quick, latency: 0, timeout: .seconds(5)) == .lowLatency)
        #expect(CBConnectionParameters(interval: .zero ... .milliseconds(30), latency: 0, timeout: .seconds(5)) == nil)
        #expect(CBConnectionParameters(interval: quick, latency: 500, timeout: .seconds(32)) == nil)
        #expect(CBConnectionParameters(interval: quick, latency: -1, timeout: .seconds(5)) == nil)
        #expect(CBConnectionParameters(interval: quick, latency: 0, timeout: .seconds(33)) == nil)
        // The latency lets the peripheral be silent for 3 s, and 5 s without a packet are then no certain sign of a lost link.
        #expect(CBConnectionParameters(interval: quick, latency: 99, timeout: .seconds(5)) == nil)
    }

    @Test func `a peripheral that is unpaired is forgotten`() async throws {
        let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let identity = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
        let key = try #require(SecretKey([UInt8](repeating: 7, count: 16)))
        let bond = try #require(Bond(identity: identity, keys: .secureConnections(key)))
        let store = BondStore(directory: directory + "/bonds", logger: Logger(label: "test"))
        func stored() -> Int {
            store.load()
            return store.use(Application.address).count
        }
        _ = store.use(Application.address)
        store.apply([.stored(bond)])
        store.finishSaving()
        let application = try Application(stateDirectory: directory)
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { !application.discovered.isEmpty }
        let peripheral = try #require(application.discovered.first?.peripheral)
        #expect(stored() == 1)
        manager.unpair(peripheral)
        try await waitFor("the end of the bond") { stored() == 0 }
        manager.connect(peripheral)
        try await application.hears("connected")
        manager.unpair(peripheral)
        try await waitFor("the end of the connection") { peripheral.state == .disconnected }
    }

    @Test func `services of all managers are in one database, below those of the host`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let managers = [try await peripheral.makeManager(), try await peripheral.makeManager()]
        for (manager, uuid) in zip(managers, ["1809", "180D"]) {
            try await peripheral.publish(CBMutableService(type: CBUUID(string: uuid), primary: true), with: manager)
        }
        managers[0].startAdvertising([CBAdvertisementDataLocalNameKey: "Gateway"])
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        let hosts = try await remote.services(withUUIDs: [CBUUID(string: "1800"), CBUUID(string: "1801")])
        remote.discoverServices(nil)
        try await central.hears("services")
        #expect(hosts.map(\.uuid.uuidString) == ["1800", "1801"])
        // A service requested by UUID stays.
        #expect(remote.services?.map(\.uuid.uuidString) == ["1800", "1801", "1809", "180D"])
        centralManager.cancelPeripheralConnection(remote)
    }

    @Test func `manufacturer and service data are advertised as well, and what does not fit is refused`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let manager = try await peripheral.makeManager()
        manager.startAdvertising([CBAdvertisementDataManufacturerDataKey: Data(count: 40)])
        try await peripheral.hears("advertising CBErrorDomain \(CBError.outOfSpace.rawValue)")
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: 5])
        try await peripheral.hears("advertising CBErrorDomain \(CBError.invalidParameters.rawValue)")
        manager.startAdvertising([
            CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF, 1]),
            CBAdvertisementDataServiceDataKey: [CBUUID(string: "1809"): Data([2])],
        ])
        try await peripheral.hears("advertising")
        let listener = Listener()
        let scanner = CBCentralManager(
            delegate: listener, queue: central.queue, options: [CBCentralManagerOptionControllerKey: central.controller]
        )
        try await waitFor("power") { scanner.state == .poweredOn }
        scanner.scanForPeripherals(withServices: nil)
        try await waitFor("the advertisement") { listener.manufacturerData == Data([0xFF, 0xFF, 1]) }
        #expect(listener.serviceData == [CBUUID(string: "1809"): Data([2])])
    }

    @Test func `a published channel is opened by its PSM, and both sides have it`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let manager = try await peripheral.makeManager()
        manager.publishL2CAPChannel(withEncryption: false)
        try await peripheral.hears("published channel")
        let psm = try #require(peripheral.publishedPSM)
        #expect((0x80...0xFF).contains(psm))
        manager.startAdvertising(nil)
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        remote.openL2CAPChannel(psm)
        try await peripheral.hears("opened channel")
        #expect(peripheral.channel?.psm == psm)
        manager.unpublishL2CAPChannel(psm)
    }

    @Test func `a central is asked for the latency that is desired`() async throws {
        let central = try Application()
        let peripheral = try PeripheralApplication(on: central.radio)
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        let rate = CBMutableCharacteristic(
            type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: [])
        service.characteristics = [rate]
        let manager = try await peripheral.makeManager()
        try await peripheral.publish(service, with: manager)
        manager.startAdvertising(nil)
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        remote.setNotifyValue(true, for: try await central.find(rate.uuid, on: remote))
        try await waitFor("a subscriber") { peripheral.centrals.first != nil }
        manager.setDesiredConnectionLatency(.high, for: try #require(peripheral.centrals.first))
        let latency = try await firstAnswer(where: { $0 == 4 }) { try await remote.linkInformation().latency }
        #expect(latency == 4)
        centralManager.cancelPeripheralConnection(remote)
    }
}

private let counterCharacteristic = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

/// Keeps the last advertisement, and the time of each advertisement.
private final class Listener: NSObject, CBCentralManagerDelegate, Sendable {
    private struct Heard {
        var times: [Double] = []
        var primaryPHY: Int?
        var manufacturerData: Data?
        var serviceData: [CBUUID: Data]?
    }

    private let heard = Mutex(Heard())
    var times: [Double] { heard.withLock { $0.times } }
    var primaryPHY: Int? { heard.withLock { $0.primaryPHY } }
    var manufacturerData: Data? { heard.withLock { $0.manufacturerData } }
    var serviceData: [CBUUID: Data]? { heard.withLock { $0.serviceData } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let time = advertisementData[CBAdvertisementDataTimestampKey] as? Double
        let phy = (advertisementData[CBAdvertisementDataPrimaryPHYKey] as? NSNumber)?.intValue
        let manufacturerData = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data
        let serviceData = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
        heard.withLock { heard in
            heard.times += time.map { [$0] } ?? []
            (heard.primaryPHY, heard.manufacturerData, heard.serviceData) = (phy, manufacturerData, serviceData)
        }
    }
}

/// A log that keeps its notices.
private struct Notices: LogHandler {
    private final class Box: Sendable {
        let messages = Mutex<[String]>([])
    }

    private let box = Box()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice
    var messages: [String] { box.messages.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level == .notice else { return }
        box.messages.withLock { $0.append(event.message.description) }
    }
}
