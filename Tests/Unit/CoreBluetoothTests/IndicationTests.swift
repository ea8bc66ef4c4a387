// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Glibc
import Synchronization
import Testing
import TestSupport
import VirtualRadio

/// Keeps indications until the test confirms them.
private final class Keeper: NSObject, CBIndicationDelegate, Sendable {
    private struct Told {
        var indications: [CBIndication] = []
        var values = 0
        var strengths = 0
    }

    private let told = Mutex(Told())

    var indications: [CBIndication] { told.withLock { $0.indications } }
    /// Values that came by `didUpdateValueFor`.
    var values: Int { told.withLock { $0.values } }
    /// Answers to `readRSSI`.
    var strengths: Int { told.withLock { $0.strengths } }

    func peripheral(
        _ peripheral: CBPeripheral, didReceive indication: CBIndication, for characteristic: CBCharacteristic
    ) {
        #expect(characteristic.value == indication.value)
        told.withLock { $0.indications.append(indication) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { told.withLock { $0.values += 1 } }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        told.withLock { $0.strengths += 1 }
    }
}

/// Waits on this thread: a sensor gives an indication up after 30 seconds, which tasks may have to wait for their turn
/// where many tests run.
private func until(_ what: String, _ condition: () -> Bool) throws {
    guard blockingEventually(hangLimit, condition) else {
        throw WaitedInVain(description: "waited in vain for \(what)")
    }
}

@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct IndicationTests {
    /// A thermometer that indicates up to fifty values a second.
    private struct Scene {
        let application: Application
        let sensor: AirNodeID
        let manager: CBCentralManager
        let peripheral: CBPeripheral
        let keeper = Keeper()

        init() throws {
            let application = try Application()
            self.application = application
            sensor = application.addSensor(.thermometer, rate: 50)
            manager = try Self.makeManager(of: application)
            manager.scanForPeripherals(withServices: nil)
            try until("a discovery") { !application.discovered.isEmpty }
            manager.stopScan()
            peripheral = try #require(application.discovered.first?.peripheral)
            try connect()
        }

        static func makeManager(of application: Application) throws -> CBCentralManager {
            let manager = CBCentralManager(
                delegate: application, queue: application.queue,
                options: [CBCentralManagerOptionControllerKey: application.controller])
            try until("power") { manager.state == .poweredOn }
            return manager
        }

        func connect() throws {
            manager.connect(peripheral, options: nil)
            try until("a connection") { peripheral.state == .connected }
        }

        func subscribe() throws { try Self.subscribe(keeper, to: peripheral) }

        static func subscribe(_ keeper: Keeper, to peripheral: CBPeripheral) throws {
            peripheral.delegate = keeper
            peripheral.discoverServices([CBUUID(string: "1809")])
            try until("the service") { peripheral.services?.isEmpty == false }
            let service = try #require(peripheral.services?.first)
            peripheral.discoverCharacteristics(nil, for: service)
            try until("the characteristic") { service.characteristics?.isEmpty == false }
            let characteristic = try #require(service.characteristics?.first { $0.uuid == CBUUID(string: "2A1C") })
            peripheral.setNotifyValue(true, for: characteristic)
            try until("the subscription") { characteristic.isNotifying }
        }

        /// Waits until so many indications were told.
        func hear(_ count: Int) throws {
            try until("\(count) indications") { keeper.indications.count >= count }
        }

        /// Has the link work for longer than another indication would take.
        func work() throws {
            let characteristic = try #require(peripheral.services?.first?.characteristics?.first)
            for _ in 0..<5 {
                let (strengths, values) = (keeper.strengths, keeper.values)
                peripheral.readRSSI()
                peripheral.readValue(for: characteristic)
                try until("answers") { keeper.strengths > strengths && keeper.values > values }
                usleep(20_000)
            }
        }
    }

    @Test func `an indication that is kept holds back the next one, and nothing else`() throws {
        let scene = try Scene()
        try scene.subscribe()
        for count in 1...4 {
            try scene.hear(count)
            try scene.work()
            #expect(scene.keeper.indications.count == count)
            for _ in 0..<3 { scene.keeper.indications[count - 1].confirm() }
        }
        #expect(scene.application.radio.violations(of: scene.sensor).isEmpty)
        let sent = try #require(scene.application.radio.ledger(of: scene.sensor)).entries.map { Data($0.value) }
        let isSame = sent.starts(with: scene.keeper.indications.map(\.value))
        #expect(isSame)
    }

    @Test func `an indication of a link that was lost meanwhile is confirmed to nobody`() throws {
        let scene = try Scene()
        try scene.subscribe()
        try scene.hear(1)
        scene.application.radio.simulateDisconnection(of: scene.sensor)
        try until("the disconnection") { scene.peripheral.state == .disconnected }
        scene.keeper.indications[0].confirm()
        try scene.connect()
        try scene.subscribe()
        try scene.hear(2)
        scene.keeper.indications[0].confirm()
        try scene.work()
        #expect(scene.keeper.indications.count == 2)
        scene.keeper.indications[1].confirm()
        try scene.hear(3)
        #expect(scene.application.radio.violations(of: scene.sensor).isEmpty)
    }

    @Test func `managers that share a connection confirm an indication together`() throws {
        let scene = try Scene()
        try scene.subscribe()
        try scene.hear(1)
        let manager = try Scene.makeManager(of: scene.application)
        let peripheral = try #require(
            manager.retrievePeripherals(withIdentifiers: [scene.peripheral.identifier]).first)
        manager.connect(peripheral, options: nil)
        try until("the second manager's connection") { peripheral.state == .connected }
        let keeper = Keeper()
        try Scene.subscribe(keeper, to: peripheral)

        scene.keeper.indications[0].confirm()
        try scene.hear(2)
        try until("the same for the second manager") { keeper.indications.count == 1 }
        scene.keeper.indications[1].confirm()
        try scene.work()
        #expect(scene.keeper.indications.count == 2 && keeper.indications.count == 1)
        keeper.indications[0].confirm()
        try scene.hear(3)
        #expect(scene.application.radio.violations(of: scene.sensor).isEmpty)
    }
}
