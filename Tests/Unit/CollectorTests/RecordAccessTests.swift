// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Readings
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

@Suite(.serialized)
struct RecordAccessTests {
    /// A function, because the macro takes no mutating call.
    private func judge<Value: Equatable>(
        _ value: Value, is wanted: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == wanted, sourceLocation: sourceLocation)
    }

    @Test func `all records are asked for once, then those that are newer`() {
        var access = RecordAccess(newest: nil)
        judge(access.request(), is: [0x01, 0x01])
        judge(access.count([0x00, 0x02, 0x01]), is: true)
        judge(access.count([0x00, 0x01, 0x01]), is: true)
        judge(access.count([0x00, 0x09]), is: true)
        #expect(access.newest == 0x0102)
        judge(access.answer([0x06, 0x00, 0x01, 0x01]), is: .done)
        judge(access.request(), is: [0x01, 0x03, 0x01, 0x03, 0x01])
        judge(access.answer([0x06, 0x00, 0x01, 0x06]), is: .askAgain)
        judge(access.request(), is: [0x01, 0x06])
        judge(access.count([0x00, 0x02, 0x01]), is: false)
        judge(access.answer([0x06, 0x00, 0x01, 0x01]), is: .nothingNew)
        judge(access.request(), is: [0x01, 0x03, 0x01, 0x03, 0x01])
    }

    @Test func `behind the last number that there is, a meter that begins anew is collected from again`() {
        var full = RecordAccess(newest: .max)
        judge(full.request(), is: [0x01, 0x06])
        judge(full.count([0x00, 0xFF, 0xFF]), is: false)
        judge(full.answer([0x06, 0x00, 0x01, 0x01]), is: .nothingNew)
        #expect(full.newest == .max)
        judge(full.request(), is: [0x01, 0x06])
        judge(full.count([0x00, 0x02, 0x00]), is: false)
        judge(full.answer([0x06, 0x00, 0x01, 0x01]), is: .askAgain)
        judge(full.request(), is: [0x01, 0x01])
        judge(full.count([0x00, 0x02, 0x00]), is: true)
        #expect(full.newest == 2)
    }

    @Test func `a meter that numbers anew is asked for all that it has; one that does not tell its last is not`() {
        var access = RecordAccess(newest: 9)
        judge(access.request(), is: [0x01, 0x03, 0x01, 0x0A, 0x00])
        judge(access.answer([0x06, 0x00, 0x01, 0x06]), is: .askAgain)
        judge(access.request(), is: [0x01, 0x06])
        judge(access.count([0x00, 0x02, 0x00]), is: false)
        judge(access.answer([0x06, 0x00, 0x01, 0x01]), is: .askAgain)
        judge(access.request(), is: [0x01, 0x01])
        judge(access.count([0x00, 0x01, 0x00]), is: true)
        judge(access.count([0x00, 0x02, 0x00]), is: true)
        judge(access.answer([0x06, 0x00, 0x01, 0x01]), is: .done)
        #expect(access.newest == 2)
        var cut = RecordAccess(newest: 9)
        _ = cut.request()
        judge(cut.answer([0x06, 0x00, 0x01, 0x06]), is: .askAgain)
        cut.linkBegan()
        judge(cut.request(), is: [0x01, 0x03, 0x01, 0x0A, 0x00])
        var late = RecordAccess(newest: 9)
        _ = late.request()
        late.linkBegan()
        judge(late.answer([0x06, 0x00, 0x01, 0x01]), is: .other)
        var silent = RecordAccess(newest: 9)
        _ = silent.request()
        judge(silent.answer([0x06, 0x00, 0x01, 0x06]), is: .askAgain)
        _ = silent.request()
        judge(silent.answer([0x06, 0x00, 0x01, 0x02]), is: .nothingNew)
        #expect(silent.newest == 9)
    }

    @Test(
        arguments: [
            [], [0x06], [0x06, 0x00, 0x01], [0x06, 0x00, 0x01, 0x01, 0x00], [0x06, 0x01, 0x01, 0x01],
            [0x06, 0x00, 0x04, 0x01], [0x05, 0x00, 0x01, 0x00],
        ] as [[UInt8]])
    func `what is no answer to the request is none`(_ value: [UInt8]) {
        var access = RecordAccess(newest: nil)
        _ = access.request()
        judge(access.answer(value), is: .other)
        judge(access.answer([0x06, 0x00, 0x01, 0x08]), is: .refused(8))
        judge(access.answer([0x06, 0x00, 0x01, 0x01]), is: .other)
    }

    @Test func `the records of a meter are collected, and on the next link only those that are new`() async throws {
        var rule = ListeningScene.rule("meter", address: Meter.address.value)
        rule.subscribe = [RecordAccess.measurement]
        let scene = try ListeningScene([rule])
        let meter = try Meter(on: scene.radio, records: 5)
        func numbers() -> [UInt8] { scene.outcome.now.readings.map { $0.value.count > 1 ? $0.value[1] : 0 } }
        #expect(await eventually { numbers() == [1, 2, 3, 4, 5] }, "\(numbers()), \(meter.requests)")
        #expect(scene.outcome.now.readings.allSatisfy { $0.characteristic == "2a18" })
        let fields = Decoders.decode(characteristic: "2a18", value: scene.outcome.now.readings[0].value)
        #expect(fields?.first == .int(.sequence, 1))
        #expect(await eventually { scene.outcome.now.facts["records:meter"] == "5" })
        meter.add(2)
        scene.collector.apply([])
        #expect(await eventually { scene.status("meter") == nil })
        scene.collector.apply([rule])
        #expect(await eventually { numbers() == [1, 2, 3, 4, 5, 6, 7] }, "\(numbers()), \(meter.requests)")
        #expect(meter.requests == [[0x01, 0x01], [0x01, 0x03, 0x01, 0x06, 0x00]])
    }

    @Test func `a meter that was set back is collected from again`() async throws {
        var rule = ListeningScene.rule("meter", address: Meter.address.value)
        rule.subscribe = [RecordAccess.measurement]
        let scene = try ListeningScene([rule], facts: ["records:meter": "200"])
        let meter = try Meter(on: scene.radio, records: 2)
        func numbers() -> [UInt8] { scene.outcome.now.readings.map { $0.value.count > 1 ? $0.value[1] : 0 } }
        #expect(await eventually { scene.outcome.now.facts["records:meter"] == "2" }, "\(meter.requests)")
        #expect(numbers() == [1, 2])
        #expect(meter.requests == [[0x01, 0x03, 0x01, 0xC9, 0x00], [0x01, 0x06], [0x01, 0x01]])
    }

    @Test func `a meter that will not is told of, and collected from all the same`() async throws {
        var rule = ListeningScene.rule("meter", address: Meter.address.value)
        rule.subscribe = [RecordAccess.measurement]
        let scene = try ListeningScene([rule])
        let meter = try Meter(on: scene.radio, records: 5, refuses: true)
        #expect(
            await eventually {
                scene.status("meter")?.lastFailure?.contains("the sensor answers with code 2") == true
            })
        #expect(scene.status("meter")?.link == .collecting && scene.outcome.now.readings.isEmpty)
        withExtendedLifetime(meter) {}
    }
}

/// A meter with stored records.
private final class Meter: NSObject, CBPeripheralManagerDelegate, Sendable {
    private struct State {
        var manager: CBPeripheralManager?
        var measurement: CBMutableCharacteristic?
        var controlPoint: CBMutableCharacteristic?
        var records: UInt8
        var requests: [[UInt8]] = []
    }

    static let address = DeviceAddress(kind: .public, value: 0xB0_0000_0009)
    private let controller: CBController
    private let queue = DispatchQueue(label: "meter")
    private let state: Mutex<State>
    private let refuses: Bool

    init(on radio: VirtualRadio, records: UInt8, refuses: Bool = false) throws {
        state = Mutex(State(records: records))
        self.refuses = refuses
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.address)), stateDirectory: nil)
        super.init()
        queue.sync {
            let manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
            state.withLock { $0.manager = manager }
        }
    }

    deinit { controller.shutdown() }

    var requests: [[UInt8]] { state.withLock { $0.requests } }
    func add(_ count: UInt8) { state.withLock { $0.records += count } }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "1808"), primary: true)
        let measurement = CBMutableCharacteristic(
            type: CBUUID(string: "2A18"), properties: .notify, value: nil, permissions: .readable)
        let controlPoint = CBMutableCharacteristic(
            type: CBUUID(string: "2A52"), properties: [.write, .indicate], value: nil, permissions: .writeable)
        service.characteristics = [measurement, controlPoint]
        state.withLock { ($0.measurement, $0.controlPoint) = (measurement, controlPoint) }
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Meter"])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first, let value = request.value.map({ [UInt8]($0) }) else { return }
        peripheral.respond(to: request, withResult: .success)
        let (records, measurement, controlPoint) = state.withLock { state in
            state.requests.append(value)
            return (state.records, Held(state.measurement), Held(state.controlPoint))
        }
        guard let measurement = measurement.value, let controlPoint = controlPoint.value else { return }
        let first: UInt8 = value.count == 5 ? value[3] : value == [0x01, 0x06] ? max(records, 1) : 1
        if !refuses, first <= records {
            for number in first...records {
                // Without a concentration: 2026-11-24 12:00:00.
                let record: [UInt8] = [0x00, number, 0x00, 0xEA, 0x07, 11, 24, 12, 0, 0]
                _ = peripheral.updateValue(Data(record), for: measurement, onSubscribedCentrals: nil)
            }
        }
        let code: UInt8 = refuses ? 0x02 : first <= records ? 0x01 : 0x06
        _ = peripheral.updateValue(Data([0x06, 0x00, 0x01, code]), for: controlPoint, onSubscribedCentrals: nil)
    }

    /// Takes an object out of the lock. Sound, because all uses are on `queue`.
    private struct Held: @unchecked Sendable {
        let value: CBMutableCharacteristic?
        init(_ value: CBMutableCharacteristic?) { self.value = value }
    }
}
