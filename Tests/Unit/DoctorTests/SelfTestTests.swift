// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import VirtualRadio

@testable import Doctor
@testable import GatewayBench

@Suite("A board's capability")
struct SelfTestTests {
    @Test func `an adapter is measured by what it hears, and says of itself`() throws {
        let radio = VirtualRadio(seed: 4)
        defer { radio.stop() }
        for number in 1...3 {
            _ = radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(number)),
                    name: "S\(number)",
                    kind: .counter, advertisingInterval: .milliseconds(50)))
        }
        let tree = try Tree()
        try tree.write("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
        try tree.write("/proc/meminfo", "MemTotal:        3884000 kB\n")
        try tree.write("/sys/devices/platform/soc/soc:firmware/get_throttled", "50000\n")
        var settings = ControllerSettings(extendedAdvertising: true, aclDataLength: 251, aclDataCount: 7)
        settings.acceptListSize = 12
        let transport = try radio.makeController(address: DeviceAddress(kind: .public, value: 1), settings: settings)
        var steps: [String] = []
        let report = SelfTest(
            tree.surroundings, controller: "tcp:x:1", transport: .descriptor(transport), folder: tree.folder.path,
            time: .seconds(2)
        ).run { steps.append($0) }
        #expect(steps == ["disk", "adapter", "advertisements, 2 s"])
        #expect(report.board.model == "Raspberry Pi 4 Model B Rev 1.5" && report.board.memoryMib == 3_792)
        #expect(report.board.wasUndervolted == true && !report.board.hasRtc && report.board.isClockSynchronized == true)
        let adapter = try #require(report.adapter)
        #expect(adapter.hasExtendedAdvertising && adapter.aclCount == 7 && adapter.aclLength == 251)
        #expect(adapter.acceptListSize == 12 && adapter.company == "ffff" && adapter.bus == nil)
        let heard = try #require(report.advertisements)
        #expect(heard.devices == 3 && heard.packets > 10 && heard.packetsASecond > 1, "\(heard)")
        let disk = try #require(report.disk)
        #expect(disk.writes == 50 && disk.medianMs <= disk.worstMs && disk.worstMs > 0)
        // Nothing is left in the folder.
        #expect(tree.surroundings.names(in: "").sorted() == ["proc", "sys"])
    }

    @Test func `sensors that are named are connected to, until the adapter bears no more`() throws {
        let radio = VirtualRadio(seed: 4)
        defer { radio.stop() }
        func address(_ number: UInt64) -> DeviceAddress {
            DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + number)
        }
        for number in 1...3 as ClosedRange<UInt64> {
            _ = radio.addSensor(
                VirtualSensor.Configuration(
                    address: address(number), name: "S\(number)", kind: .counter, advertisingInterval: .milliseconds(50)
                ))
        }
        let tree = try Tree()
        func links(_ maximum: Int, _ sensors: ClosedRange<UInt64>) throws -> SelfTestReport.Links? {
            let transport = try radio.makeController(
                address: DeviceAddress(kind: .public, value: 1), settings: ControllerSettings(maximumLinks: maximum))
            var test = SelfTest(
                tree.surroundings, controller: "tcp:x:1", transport: .descriptor(transport), folder: tree.folder.path,
                time: .milliseconds(100), sensors: Set(sensors.map { "\(address($0))" }))
            // The test waits for a missing sensor.
            test.linkLimits = LinkProbe.Limits(patience: .seconds(sensors == 1...3 ? 600 : 3), reading: .seconds(2))
            return test.run().links
        }
        let all = try #require(try links(8, 1...3))
        #expect(all.asked == 3 && all.heard == 3 && all.up == 3 && all.refusal == nil, "\(all)")
        #expect((all.readsASecond ?? 0) > 1 && (all.octetsASecond ?? 0) > 1 && all.connectMedianMs != nil, "\(all)")
        let two = try #require(try links(2, 1...3))
        #expect(two.up == 2 && two.refusal != nil, "\(two)")
        let absent = try #require(try links(8, 3...4))
        #expect(absent.asked == 2 && absent.heard == 1 && absent.up == 1, "\(absent)")
    }

    /// A sensor that gives its only value to paired hosts alone, and pairs with every host.
    private final class Reserved: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        static let address = DeviceAddress(kind: .public, value: 0x02_0000_0000_09)
        let controller: CBController
        private let queue = DispatchQueue(label: "reserved")
        private var manager: CBPeripheralManager?

        init(on radio: VirtualRadio) throws {
            controller = CBController(
                transport: .descriptor(try radio.makeController(address: Self.address)), stateDirectory: nil)
            controller.pairingPolicy.incoming = .open
            super.init()
            queue.sync {
                manager = CBPeripheralManager(
                    delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
            }
        }

        deinit { controller.shutdown() }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "2A19"), properties: .read, value: nil, permissions: .readEncryptionRequired)
            ]
            peripheral.add(service)
            peripheral.startAdvertising([:])
        }
    }

    @Test func `a sensor that wants pairing keeps the bond that it has`() throws {
        let radio = VirtualRadio(seed: 4)
        defer { radio.stop() }
        let sensor = try Reserved(on: radio)
        let tree = try Tree()
        var test = SelfTest(
            tree.surroundings, controller: "tcp:x:1",
            transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 1))),
            folder: tree.folder.path, time: .milliseconds(100), sensors: ["\(Reserved.address)"])
        // Its read is refused, and nothing else is there to be waited for.
        test.linkLimits = LinkProbe.Limits(patience: .seconds(8), reading: .seconds(1))
        let links = try #require(test.run().links)
        #expect(links.up == 1 && links.readsASecond == nil, "\(links)")
        #expect(sensor.controller.bonds.isEmpty)
    }

    @Test func `what is not there is said`() throws {
        let tree = try Tree()
        let report = SelfTest(
            tree.surroundings, controller: "unix:/nowhere", transport: .unix(tree.folder.path("nowhere")),
            folder: tree.folder.path("none"), time: .seconds(1)
        ).run()
        #expect(report.adapter == nil && report.advertisements == nil)
        #expect(report.adapterProblem?.contains("nowhere") == true, "\(report.adapterProblem ?? "")")
        #expect(report.disk == nil && report.diskProblem?.contains("No such file") == true)
    }
}
