// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Testing

@testable import Publisher

/// The parts of the promises of ``LeaseMachine``, one by one.
@Suite("Leases, clause by clause")
struct LeaseDetailTests {
    /// A gateway that another gateway has told of its ownership.
    private static func told(_ lease: SensorLease = SensorLease(gateway: "b", rssi: -50, age: 0, held: 5_000))
        -> LeaseHouse
    {
        var house = LeaseHouse()
        house.start("a", "s")
        house.say(lease, "s")
        return house
    }

    @Test func `a sensor that is forgotten keeps another gateway's claim`() {
        var house = Self.told()
        house.machines["a"]?.forget("s")
        house.act("a")
        #expect(house.retained["s"]?.gateway == "b")
    }

    @Test func `of the rows that are held back the first is released, once, and none outlives the connection`() {
        var house = LeaseHouse()
        house.start("a", "s")
        func released() -> Int64? { house.machines["a"]?.releaseHeld(of: "s") }
        for row in [5, 3, 9] as [Int64] { house.machines["a"]?.hold(row, of: "s") }
        #expect(released() == 3)
        #expect(released() == nil)
        house.machines["a"]?.hold(4, of: "s")
        house.cut("a")
        house.connect("a")
        #expect(released() == nil)
    }

    @Test func `each connection tells once that no claim comes back`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.deaf = ["a"]
        house.pass(120)
        #expect(house.complaints["a"] == 1)
        house.cut("a")
        house.connect("a")
        house.pass(120)
        #expect(house.complaints["a"] == 2)
    }

    @Test func `claims that came back before are no reason to complain of the next one`() {
        var house = LeaseHouse()
        house.start("a", "s")
        for _ in 0..<5 {
            house.pass(10)
            #expect(house.owners() == ["a"])
            house.say(nil, "s")
        }
        house.pass(10)
        #expect(house.owners() == ["a"] && house.complaints.isEmpty)
    }

    @Test func `a gateway that comes back to its own claim repeats the claim at once`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        house.cut("a")
        house.pass(10)
        house.connect("a")
        for _ in 0..<3 { house.act("a") }
        #expect(house.owners() == ["a"])
        #expect(house.retained["s"]?.until == Int64(house.now) * 1_000 + LeaseMachine.term.wholeMilliseconds)
    }

    @Test func `an owner that hears its sensor again renews its claim at once`() {
        var house = LeaseHouse()
        house.start("a", "s")
        house.pass(10)
        #expect(house.owners() == ["a"])
        house.hear("s", by: "a", isPresent: false)
        // The renewal came due meanwhile, and the owner had nothing to renew.
        house.pass(Int(LeaseMachine.renewal / .seconds(1)) + 1)
        #expect(house.owners() == ["a"])
        house.hear("s", by: "a")
        house.act("a")
        #expect(house.retained["s"]?.until == Int64(house.now) * 1_000 + LeaseMachine.term.wholeMilliseconds)
    }

    @Test func `the signal of a gateway that has given the sensor up is forgotten`() {
        var house = Self.told()
        #expect(house.machines["a"]?.sensors["s"]?.theirRSSI == -50)
        house.say(nil, "s")
        #expect(house.machines["a"]?.sensors["s"]?.theirRSSI == nil)
    }

    @Test func `a reading of the moment in which another gateway took over is that gateway's`() {
        let house = Self.told(SensorLease(gateway: "b", rssi: -50, held: 5_000))
        let since = Int64(house.now) * 1_000 - 5_000
        #expect(house.machines["a"]?.verdict(on: "s", unix: since) == .keep)
        #expect(house.machines["a"]?.verdict(on: "s", unix: since - 1) == .deliver)
    }

    @Test func `at its end a gateway gives up what it does not hear, and keeps its claim for the others`() {
        var house = LeaseHouse()
        house.start("a", "s", "t")
        house.pass(10)
        house.hear("t", by: "a", isPresent: false)
        house.machines["a"]?.release()
        house.act("a")
        #expect(house.retained.keys.sorted() == ["s"])
    }

    /// The margin for a takeover is eight decibels.
    @Test(arguments: [(-53, []), (-52, ["a"]), (-51, ["a"])] as [(Int, [String])])
    func `who hears a sensor better by the margin takes it over, and not by a decibel less`(
        _ rssi: Int, _ owners: [String]
    ) {
        var house = LeaseHouse()
        house.start("a")
        house.hear("s", by: "a", rssi: rssi)
        house.say(SensorLease(gateway: "b", rssi: -60, age: 0, held: 0), "s")
        #expect(house.machines["a"]?.sensors["s"]?.theirRSSI == -60)
        house.pass(35) { $0.hear("s", by: "a", rssi: rssi) }
        #expect(house.owners() == owners)
    }
}
