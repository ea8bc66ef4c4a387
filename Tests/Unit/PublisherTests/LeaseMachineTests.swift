// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Testing

@testable import Publisher

/// Gateways at one broker that hear the same sensors: a table of machines, and a broker that delivers a topic's messages to all of them in
/// one order.
@Suite("A sensor's owner")
struct LeaseMachineTests {
    @Test func `of two gateways that hear a sensor the one that hears it better takes care of it, and goes on`() {
        var house = LeaseHouse()
        house.start("a")
        house.start("b")
        house.hear("s", by: "a", rssi: -80)
        house.hear("s", by: "b", rssi: -50)
        house.pass(10)
        #expect(house.owners() == ["b"])
        #expect(house.machines["a"]?.sensors["s"]?.owner == .other("b"))
        house.pass(300) { house in
            #expect(house.owners() == ["b"])
            #expect(house.retained["s"]?.until.map { $0 > Int64(house.now) * 1_000 } == true)
        }
    }

    @Test func `when the owner dies another takes over inside a minute`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(30)
        house.start("b", "s")
        house.pass(100)
        #expect(house.owners() == ["a"])
        house.machines["a"] = nil
        house.connected = ["b"]
        var seconds = 0
        while house.owners() != ["b"], seconds < 120 {
            house.pass(1)
            seconds += 1
        }
        #expect(seconds <= 60)
    }

    @Test func `sensors are bounded, and a broker is asked for sixteen at a time`() {
        var machine = LeaseMachine(gateway: "a")
        machine.connected((0..<2_000).map { "s\($0)" }, retains: true, at: .zero)
        #expect(machine.sensors.count == 1_024)
        var asked: [Int] = []
        for _ in 0..<64 {
            for case .subscribe(let devices) in machine.takeDue(at: .zero, wall: nil, spread: 1) {
                asked.append(devices.count)
            }
        }
        #expect(asked == Array(repeating: 16, count: 64))
        #expect(machine.sensors.values.allSatisfy { $0.isSubscribed })
    }

    @Test func `who ends in order and gives a sensor up has it taken over at once`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.start("b", "s")
        house.pass(10)
        let time = house.time(house.now)
        house.machines["a"]?.record("s", isPresent: false, at: time)
        house.machines["a"]?.release()
        house.act("a")
        house.cut("a")
        house.pass(6)
        #expect(house.owners() == ["b"] && house.retained["s"]?.gateway == "b")
    }

    @Test func `a gateway that hears it much better takes over after a while, a bit better does not`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.start("b", "s")
        func hear(_ house: inout LeaseHouse, _ rssi: Int) {
            house.hear("s", by: "a", rssi: -70)
            house.hear("s", by: "b", rssi: rssi)
        }
        house.pass(200) { hear(&$0, -64) }
        #expect(house.owners() == ["a"])
        house.pass(20) { hear(&$0, -50) }
        #expect(house.owners() == ["a"], "not at once")
        house.pass(40) { hear(&$0, -50) }
        #expect(house.owners() == ["b"])
        house.pass(200) { hear(&$0, -50) }
        #expect(house.owners() == ["b"], "and it stays so")
    }

    @Test func `one packet that is heard well is no reason to take over`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.start("b", "s")
        house.pass(200) { house in
            house.hear("s", by: "a", rssi: -70)
            house.hear("s", by: "b", rssi: house.now % 15 == 0 ? -30 : -75)
        }
        #expect(house.owners() == ["a"])
    }

    @Test func `two that claim a sensor in the same moment end with one owner`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.start("b", "s")
        house.pass(30) { house in #expect(house.owners().count <= 1) }
        #expect(house.owners().count == 1)
    }

    @Test func `the retained word of a gateway that is gone does not hold for longer than it says`() {
        var house = LeaseHouse()
        house.retained["s"] = SensorLease(gateway: "old", rssi: -60, until: 900_000, age: 1_000, held: 500_000)
        house.start("a", "s")
        house.pass(10)
        #expect(house.owners() == ["a"])
        house = LeaseHouse()
        house.retained["s"] = SensorLease(gateway: "old", rssi: -60, until: 1_030_000, age: 1_000, held: 500_000)
        house.start("a", "s")
        house.pass(10)
        #expect(house.owners().isEmpty)
        house.pass(30)
        #expect(house.owners() == ["a"])
    }

    @Test func `a word that claims to hold for ever is believed for as long as any other`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        let text = #"{"gw":"x","rssi":20,"until":\#(Int64.max),"age_ms":\#(Int64.min),"held_ms":\#(Int64.max)}"#
        house.say(SensorLease([UInt8](text.utf8)), "s")
        #expect(house.owners().isEmpty)
        house.pass(60)
        #expect(house.owners() == ["a"])
    }

    @Test func `clocks that are wrong, or not known, change nothing of who takes care`() {
        for clocks: [String: Int64?] in [["a": 3_600_000], ["b": -3_600_000], ["a": Int64?.none], ["b": Int64?.none]] {
            var house = LeaseHouse()
            house.clocks = clocks
            house.start("a", "s")
            house.pass(10)
            house.start("b", "s")
            house.pass(200) { #expect($0.owners().count <= 1) }
            #expect(house.owners().count == 1)
        }
    }

    @Test func `a gateway that comes back after an outage finds that it is still the owner, or that another is`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.cut("a")
        house.pass(300)
        house.connect("a")
        house.pass(10)
        #expect(house.owners() == ["a"])
        #expect((house.retained["s"]?.held ?? 0) > 300_000, "nobody else has spoken meanwhile")
        house.start("b", "s")
        house.pass(10)
        house.cut("a")
        house.pass(70)
        #expect(house.owners().contains("b"))
        house.connect("a")
        house.pass(30)
        #expect(house.owners() == ["b"])
        #expect(house.machines["a"]?.sensors["s"]?.owner == .other("b"))
    }

    @Test func `where what is said does not come back readings are delivered all the same, and it is said once`() {
        var house = LeaseHouse()
        house.deaf = ["a"]
        house.start("a", "s", "t")
        house.pass(14)
        #expect(house.machines["a"]?.verdict(on: "s", unix: 1_000_000) == .keep)
        house.pass(120)
        #expect(house.machines["a"]?.verdict(on: "s", unix: 1_000_000) == .deliver)
        #expect(house.machines["a"]?.speaksFor("s") == true)
        #expect(house.complaints == ["a": 1])
    }

    @Test func `without retained words a gateway listens for a while before it says that a sensor is its own`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.retained = [:]
        house.machines["b"] = LeaseMachine(gateway: "b")
        let time = house.time(house.now)
        house.machines["b"]?.record("s", isPresent: true, at: time)
        house.connect("b", retains: false)
        house.pass(100) { #expect($0.owners() == ["a"]) }
    }

    // MARK: - Readings

    @Test func `what another gateway has heard is dropped, and what it has not heard is delivered`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.start("b", "s")
        func hear(_ house: inout LeaseHouse) { for gateway in house.machines.keys { house.hear("s", by: gateway) } }
        house.pass(30, hear)
        let start = Int64(house.now - 20) * 1_000 - (house.retained["s"]?.held ?? 0)
        func verdict(_ unix: Int64) -> LeaseMachine.Verdict? { house.machines["b"]?.verdict(on: "s", unix: unix) }
        #expect(verdict(start - 20_000) == .deliver, "before it took over")
        #expect(verdict(Int64(house.now - 20) * 1_000) == .drop)
        #expect(verdict(Int64(house.now) * 1_000 + 1) == .keep)
        #expect(house.machines["b"]?.verdict(on: "s", unix: nil) == .deliver)
        #expect(house.machines["b"]?.verdict(on: "unknown", unix: start) == .deliver)
        // Kept while the ownership is unknown, dropped when the owner has heard a later packet.
        let mark = Int64(house.now) * 1_000 + 100
        house.machines["b"]?.keep(7, of: "s", unix: mark)
        #expect(house.machines["b"]?.kept == [7])
        house.pass(41, hear)
        #expect(house.dropped["b"] == [7] && house.machines["b"]?.kept.isEmpty == true)
        // The owner dies: the readings since its last packet from the sensor are delivered.
        house.machines["a"] = nil
        house.connected = ["b"]
        let last = Int64(house.now) * 1_000 + 500
        house.machines["b"]?.keep(8, of: "s", unix: last)
        house.pass(60, hear)
        #expect(house.owners() == ["b"] && house.machines["b"]?.kept.isEmpty == true)
        #expect(verdict(last) == .deliver && verdict(mark) == .drop)
        #expect(house.dropped["b"] == [7])
    }

    @Test func `a gateway's own word of an earlier run makes it no owner before it has spoken again`() {
        var house = LeaseHouse()
        house.retained["s"] = SensorLease(gateway: "a", rssi: -60, until: 1_030_000, age: 1_000, held: 500_000)
        house.start("a", "s")
        house.act("a")
        #expect(house.machines["a"]?.sensors["s"]?.isSubscribed == true && house.owners().isEmpty)
        house.act("a")
        #expect(house.owners() == ["a"] && house.retained["s"]?.held == 0)
    }

    @Test func `where the time is not known, what came while another takes care is kept`() {
        var house = LeaseHouse()
        house.clocks = ["b": Int64?.none]
        house.start("a", "s")
        house.pass(10)
        house.start("b", "s")
        house.pass(10)
        #expect(house.machines["b"]?.sensors["s"]?.owner == .other("a"))
        for unix in [0, Int64(house.now) * 1_000] {
            #expect(house.machines["b"]?.verdict(on: "s", unix: unix) == .keep)
        }
    }

    @Test func `the time between two turns of another gateway is not covered by either`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        func speak(_ house: inout LeaseHouse, held: Int64) {
            house.say(SensorLease(gateway: "x", rssi: -60, until: nil, age: 0, held: held), "s")
        }
        func verdict(_ second: Int) -> LeaseMachine.Verdict? {
            house.machines["a"]?.verdict(on: "s", unix: Int64(second) * 1_000)
        }
        speak(&house, held: 5_000)
        let end = house.now
        #expect(verdict(end - 5) == .drop && verdict(end) == .drop && verdict(end - 6) == .deliver)
        // The gateway gives the sensor up, and comes back.
        house.say(nil, "s")
        house.pass(30)
        #expect(house.owners() == ["a"])
        house.machines["a"]?.keep(9, of: "s", unix: Int64(end + 10) * 1_000)
        speak(&house, held: 2_000)
        house.act("a")
        #expect(verdict(house.now) == .drop && verdict(house.now - 2) == .drop)
        #expect(verdict(house.now - 3) == .deliver && verdict(end + 1) == .deliver)
        #expect(house.dropped["a"] == nil && house.machines["a"]?.kept == [9])
        // Overlapping turns count as one.
        speak(&house, held: 1_000)
        #expect(verdict(house.now - 2) == .drop && verdict(house.now) == .drop)
    }

    @Test func `an owner that does not hear the sensor any more covers nothing, and is relieved`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.start("b", "s")
        house.pass(10) { $0.hear("s", by: "a") }
        // The sensor moves from one gateway to the other.
        let moved = Int64(house.now) * 1_000
        house.pass(30) { $0.hear("s", by: "b", rssi: -75) }
        #expect(house.machines["b"]?.verdict(on: "s", unix: moved + 15_000) == .keep)
        house.pass(90) { $0.hear("s", by: "b", rssi: -75) }
        #expect(house.owners() == ["b"])
        #expect(house.machines["b"]?.verdict(on: "s", unix: moved + 15_000) == .deliver)
    }

    @Test func `a retained word from the future covers nothing`() {
        var house = LeaseHouse()
        house.retained["s"] = SensorLease(gateway: "old", rssi: -60, until: 9_000_000_000, age: 0, held: 1_000_000_000)
        house.start("a", "s")
        house.pass(80)
        #expect(house.owners() == ["a"])
        #expect(house.machines["a"]?.verdict(on: "s", unix: Int64(house.now) * 1_000) == .deliver)
        #expect(house.machines["a"]?.verdict(on: "s", unix: 1_001_000) == .deliver, "it may have died before")
    }

    @Test func `a gateway that takes a sensor back does not say that it has had it all the time`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(100)
        #expect((house.retained["s"]?.held ?? 0) > 60_000)
        house.say(SensorLease(gateway: "x", rssi: -60, until: nil, age: 0, held: 0), "s")
        house.pass(60)
        #expect(house.owners() == ["a"])
        #expect((house.retained["s"]?.held ?? .max) < 20_000)
    }

    @Test func `who only hears a sensor that gives its values on a link does not take it over`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.start("b")
        house.pass(200) { house in
            house.hear("s", by: "a", rssi: -90)
            house.hear("s", by: "b", rssi: -40, isPresent: false)
        }
        #expect(house.owners() == ["a"])
    }

    @Test func `who had a sensor before waits like everybody when it is nobody's again`() {
        var house = LeaseHouse()
        house.start("a")
        house.hear("s", by: "a", rssi: -95)
        house.pass(10)
        house.start("b")
        house.hear("s", by: "b", rssi: -45)
        house.say(SensorLease(gateway: "x", rssi: -60, until: nil, age: 0, held: 0), "s")
        house.pass(60)
        #expect(house.owners() == ["b"])
    }

    @Test func `words that cross end with the one that was said last`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        // Ours is on its way when the other's comes.
        let (time, wall) = (house.time(house.now), house.wall("a"))
        let ours = house.retained["s"]
        let other = SensorLease(gateway: "x", rssi: -60, until: nil, age: 0, held: 0)
        house.machines["a"]?.received(other, of: "s", isRetained: false, at: time, wall: wall, spread: 1)
        #expect(house.owners().isEmpty)
        house.machines["a"]?.received(ours, of: "s", isRetained: false, at: time, wall: wall, spread: 1)
        #expect(house.owners() == ["a"])
    }

    @Test func `a gateway that comes back says nothing of a sensor before it knows whose it is`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.cut("a")
        house.pass(120)
        #expect(house.machines["a"]?.speaksFor("s") == true, "there is nobody to ask")
        house.connect("a")
        #expect(house.machines["a"]?.speaksFor("s") == false)
        house.pass(5)
        #expect(house.machines["a"]?.speaksFor("s") == true)
    }

    @Test func `a sensor is released when it is forgotten, and what was kept of it goes out`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.machines["a"]?.forget("s")
        house.act("a")
        #expect(house.retained["s"] == nil && house.machines["a"]?.sensors.isEmpty == true)
    }

    @Test(arguments: [
        "{", "[]", "{}", #"{"gw":""}"#, #"{"gw":7}"#, #"{"gw":"a","until":"x"}"#, #"{"gw":"a","rssi":1e99}"#,
        #"{"gw":"\#(String(repeating: "x", count: 65))"}"#, #"{"gw":"\#(String(repeating: "x", count: 600))"}"#,
    ])
    func `what is no lease is none`(text: String) {
        #expect(SensorLease([UInt8](text.utf8)) == nil)
    }

    @Test func `a lease is written as it is read`() {
        // A century: no sum of these times overflows an integer.
        let old = SensorLease([UInt8](#"{"gw":"a","age_ms":9223372036854775807}"#.utf8))
        #expect(old?.age == 3_200_000_000_000)
        let lease = SensorLease(gateway: "gw-1", rssi: -67, until: 1_767_261_906_123, age: 4, held: 3_600)
        let text = #"{"gw":"gw-1","rssi":-67,"until":1767261906123,"age_ms":4,"held_ms":3600}"#
        #expect(lease.payload == [UInt8](text.utf8))
        #expect(SensorLease(lease.payload) == lease)
        #expect(SensorLease([UInt8](#"{"gw":"gw-1","rssi":99,"more":1}"#.utf8)) == SensorLease(gateway: "gw-1"))
    }
}
