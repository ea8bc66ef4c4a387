// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Testing

@testable import Collector

@Suite("Entries without a sensor")
struct HeardDevicesTests {
    private let start = DispatchTime(uptimeNanoseconds: 1_000_000_000)

    private func rule(_ change: (inout SensorRule) -> Void) -> SensorRule {
        var rule = SensorRule()
        change(&rule)
        return rule
    }

    private func candidate(_ name: String?, _ address: UInt64? = nil, services: [UInt16] = []) -> SensorRule.Candidate {
        SensorRule.Candidate(
            name: name, address: address, identifier: UUID(), services: services.map { BluetoothUUID($0) })
    }

    private func nearest(
        to rule: SensorRule, among heard: [SensorRule.Candidate], isConnectable: Bool = true
    ) -> [AwaitedSensor.Heard] {
        var devices = HeardDevices()
        for candidate in heard { devices.record(candidate, rssi: -60, isConnectable: isConnectable, at: start) }
        return devices.awaited([rule], at: start + .seconds(3)).first?.nearest ?? []
    }

    @Test(
        "a name with a typing error is near, and a different name is not",
        arguments: [
            ("Frigde", "Fridge", true), ("fridge", "Fridge", true), ("Thermo*", "Thremo 17", true),
            ("Thermo*", "THERMO 17", true), ("Thermo*", "Therm0", true), ("Fridge", "Greenhouse", false),
            ("Thermo*", "Flow counter", false), ("Fridge", "", false),
        ])
    func names(entry: String, name: String, isNear: Bool) {
        let found = nearest(to: rule { $0.name = entry }, among: [candidate(name), candidate(nil)])
        #expect(found.map(\.name) == (isNear ? [name] : []))
        #expect(found.allSatisfy { $0.likeness == .name && $0.ageMs == 3_000 && $0.rssi == -60 })
    }

    @Test("an address with two wrong digits is near, an address with three is not")
    func addresses() {
        let entry = rule { $0.address = 0xC47C_8D00_1101 }
        #expect(nearest(to: entry, among: [candidate(nil, 0xC47C_8D00_1122)]).map(\.likeness) == [.address])
        #expect(nearest(to: entry, among: [candidate(nil, 0xC47C_8D00_1222)]).isEmpty)
    }

    @Test("a service in the entry's criteria or subscriptions makes a device near")
    func services() {
        let collects = rule { rule in
            rule.name = "Strap"
            rule.subscribe = [
                .init(service: BluetoothUUID(0x180D as UInt16), characteristic: BluetoothUUID(0x2A37 as UInt16))
            ]
        }
        let other = candidate("Polar", services: [0x180D])
        #expect(nearest(to: collects, among: [other]).map(\.likeness) == [.service])
        let demands = rule { rule in
            rule.name = "Strap"
            rule.service = BluetoothUUID(0x1809 as UInt16)
        }
        #expect(nearest(to: demands, among: [other]).isEmpty)
    }

    @Test("a matching device without connectable advertising is reported as such, before all others")
    func notConnectable() {
        let found = nearest(
            to: rule { $0.name = "Fridge" }, among: [candidate("Fridgo"), candidate("Fridge")], isConnectable: false)
        #expect(found.map(\.name) == ["Fridge", "Fridgo"])
        #expect(found.first?.likeness == .all && found.first?.connectable == false)
    }

    @Test("however many devices are in the air, so many are remembered, and three are named")
    func bounds() {
        var devices = HeardDevices()
        for index in 0..<(HeardDevices.capacity * 3) {
            devices.record(candidate("Fridge \(index)"), rssi: nil, isConnectable: true, at: start)
        }
        #expect(devices.count == HeardDevices.capacity)
        let many = (0..<40).map { index in rule { ($0.name, $0.id) = ("Fridge 600", "f\(index)") } }
        let awaited = devices.awaited(many, at: start)
        #expect(awaited.count == 40)
        #expect(awaited.map(\.nearest.count) == Array(repeating: 3, count: 32) + Array(repeating: 0, count: 8))
        // The newest stay.
        let newest = rule { $0.name = "Fridge \(HeardDevices.capacity * 3 - 1)" }
        #expect(devices.awaited([newest], at: start)[0].nearest.first?.likeness == .all)
    }

    @Test("a device without a sighting for ten minutes is gone, and a sighting without a name keeps the name")
    func memory() {
        var devices = HeardDevices()
        var named = candidate("Fridge")
        devices.record(named, rssi: nil, isConnectable: false, at: start)
        named.name = nil
        devices.record(named, rssi: nil, isConnectable: false, at: start + .seconds(1))
        let entry = [rule { $0.name = "Fridge" }]
        #expect(devices.awaited(entry, at: start + .seconds(601))[0].nearest.map(\.name) == ["Fridge"])
        #expect(devices.awaited(entry, at: start + .seconds(602))[0].nearest.isEmpty)
    }

    @Test("an entry has its id as its name, and lists its criteria")
    func words() {
        let full = AwaitedSensor(
            rule {
                ($0.id, $0.name, $0.address) = ("attic", "Thermo*", 0xC47C_8D00_1101)
                $0.service = BluetoothUUID(0x1809 as UInt16)
            })
        #expect(full.entry == "attic")
        #expect(full.wants == "the name \"Thermo*\" and the address C4:7C:8D:00:11:01 and the service 1809")
        #expect(AwaitedSensor(rule { $0.name = "Heart*" }).entry == "Heart*")
        #expect(AwaitedSensor(rule { $0.address = 1 }).entry == "00:00:00:00:00:01")
    }
}
