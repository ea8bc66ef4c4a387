// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing
import VirtualRadio

@testable import HostBench

struct RadioScheduleTests {
    static let conflicts: [Set<RadioUsers>] = [
        [[.scan, .initiate]], [[.scan, .advertise]], [[.initiate, .advertise]],
        [[.scan, .initiate], [.initiate, .advertise]], [[.scan, .initiate], [.scan, .advertise]],
        [[.scan, .advertise], [.initiate, .advertise]],
        [[.scan, .initiate], [.scan, .advertise], [.initiate, .advertise]],
    ]

    @Test func `without conflicts everybody has the radio, and nothing is due`() {
        var schedule = RadioSchedule()
        let all: RadioUsers = [.scan, .initiate, .advertise]
        #expect(schedule.turn(of: all, conflicts: [], at: .zero) == all)
        #expect(schedule.sliceEnd == nil)
        #expect(schedule.turn(of: [.scan], conflicts: [[.scan, .advertise]], at: .zero) == [.scan])
        #expect(schedule.sliceEnd == nil)
    }

    @Test(arguments: conflicts) func `each user gets at least a third of all turns`(conflicts: Set<RadioUsers>) {
        var schedule = RadioSchedule()
        var now = MonotonicTime.zero
        var turns: [RadioUsers: Int] = [:]
        for _ in 0..<60 {
            let turn = schedule.turn(of: [.scan, .initiate, .advertise], conflicts: conflicts, at: now)
            #expect(!conflicts.contains { $0.isSubset(of: turn) })
            for user in RadioUsers.single where turn.contains(user) { turns[user, default: 0] += 1 }
            guard let end = schedule.sliceEnd, end > now else {
                Issue.record("no end of the turn")
                return
            }
            now = end
        }
        for user in RadioUsers.single { #expect(turns[user, default: 0] >= 20) }
    }

    @Test func `a user that comes and goes does not push another out`() {
        var schedule = RadioSchedule()
        var now = MonotonicTime.zero
        var served = 0
        for round in 0..<400 {
            let wanted: RadioUsers = round % 2 == 0 ? [.scan, .initiate] : [.scan, .initiate, .advertise]
            let turn = schedule.turn(
                of: wanted, conflicts: [[.scan, .initiate], [.scan, .advertise], [.initiate, .advertise]], at: now)
            if turn == .scan { served += 1 }
            now = now + .milliseconds(100)
        }
        #expect(served > 100)
    }

    @Test func `connectable advertising is tried up to the number of links at which it was refused`() {
        var learned = LearnedCombinations()
        #expect(learned.isConnectable(beside: 20))
        learned.refusedConnectable(beside: 0)
        learned.refusedConnectable(beside: 3)
        #expect(learned.isConnectable(beside: 2) && !learned.isConnectable(beside: 3))
    }

    @Test func `one refusal may be an accident, two are none`() {
        var learned = LearnedCombinations(companyIdentifier: 0x005D)
        learned.refused(.scan, beside: [.scan])
        learned.refused(.scan, beside: [.scan, .advertise])
        #expect(learned.conflicts == [])
        learned.refused(.advertise, beside: [.scan])
        #expect(learned.conflicts == [[.scan, .advertise]])
        #expect(LearnedCombinations(companyIdentifier: 0x000F).conflicts == [[.initiate, .advertise]])
    }
}

struct ScheduleTests {
    static let all: UInt64 = 0x03FF_FFFF_FFFF
    /// Connectable advertising with active scanning, with initiating; active scanning with initiating.
    static let bits: [UInt64] = [1 << 14, 1 << 32, 1 << 23]

    /// Controllers without one, two or all three of the combinations, with true or false claims.
    static let controllers: [ControllerSettings] = (1..<8).flatMap { mask in
        let missing = bits.indices.reduce(0 as UInt64) { mask >> $1 & 1 == 1 ? $0 | bits[$1] : $0 }
        return [
            ControllerSettings(states: all & ~missing),
            ControllerSettings(extendedAdvertising: mask % 2 == 0, states: all & ~missing, claimedStates: all),
        ]
    }

    /// All uses at once: advertises, scans, and waits for a peer that never comes.
    private func busy(_ settings: ControllerSettings) -> Duet {
        let duet = Duet(settings, ControllerSettings())
        _ = duet.air.addSensor(
            VirtualSensor.Configuration(address: Simulation.sensor(1), name: "S", kind: .counter, rate: 10))
        duet.scan()
        begin(duet)
        return duet
    }

    private func begin(_ duet: Duet) {
        duet.advertise()
        duet.scan(by: 0)
        duet.players[0].host.connect(
            DeviceAddress(kind: .public, value: 0xAB), for: Duet.client, at: duet.now)
    }

    private func advertisementsHeard(by player: Int, of address: DeviceAddress, _ duet: Duet) -> Int {
        duet.players[player].advertisements.count { $0.advertisement.address == address }
    }

    @Test(arguments: controllers.indices)
    func `what a controller cannot do at once is done in turns, and each user gets its share`(index: Int) {
        let duet = busy(Self.controllers[index])
        duet.run(for: .seconds(20))
        duet.forget()
        duet.run(for: .seconds(60))
        // 20–30 ms, later 160 ms: a quarter of the advertisements of an advertiser that has the radio alone.
        #expect(advertisementsHeard(by: 1, of: duet.a.address, duet) > 60)
        #expect(advertisementsHeard(by: 0, of: Simulation.sensor(1), duet) > 20)
        let creations = duet.commands(.leCreateConnection, of: 0) + duet.commands(.leExtendedCreateConnection, of: 0)
        let isContended = Self.controllers[index].states.map { $0 & (1 << 23 | 1 << 32) != 1 << 23 | 1 << 32 } ?? false
        #expect(!isContended || creations.count >= 5)
        #expect(duet.a.host.counters.commandTimeouts == 0)
        #expect(duet.violations == [])
        // The host can be found, and finds: both ways at once.
        duet.connect()
        #expect(duet.run(for: .seconds(20)) { duet.link(of: 1) != nil })
        duet.players[0].host.connect(Simulation.sensor(1), for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(30)) { duet.link(of: 0) != nil })
    }

    @Test(arguments: [false, true])
    func `a controller that wedges is set up again, and never wedges again`(isExtended: Bool) {
        let duet = busy(
            ControllerSettings(extendedAdvertising: isExtended, wedgesWhenInitiatingWhileAdvertising: true))
        #expect(duet.run(for: .seconds(30)) { duet.a.host.counters.commandTimeouts == 1 })
        #expect(duet.run(for: .seconds(5)) { duet.a.host.state == .ready })
        begin(duet)
        duet.forget()
        duet.run(for: .seconds(60))
        #expect(duet.a.host.counters.commandTimeouts == 1)
        #expect(advertisementsHeard(by: 1, of: duet.a.address, duet) > 60)
        #expect(duet.violations == [])
    }

    @Test func `where trouble is known, advertising is paused around initiating from the start`() {
        let duet = busy(ControllerSettings(wedgesWhenInitiatingWhileAdvertising: true, company: 0x000F))
        duet.run(for: .seconds(60))
        #expect(duet.a.host.counters.commandTimeouts == 0)
        #expect(advertisementsHeard(by: 1, of: duet.a.address, duet) > 60)
    }

    @Test func `a controller that cannot be connectable beside links is scannable until they end`() throws {
        let duet = Duet(
            ControllerSettings(states: Self.all & ~(1 << 35 | 1 << 38)), ControllerSettings(), ControllerSettings())
        duet.scan(by: 2)
        let links = try duet.connected()
        duet.run(for: .seconds(1))
        duet.forget()
        duet.run(for: .seconds(5))
        #expect(!duet.players[2].advertisements.isEmpty)
        #expect(duet.players[2].advertisements.allSatisfy { !$0.advertisement.isConnectable })
        duet.connect(by: 2)
        duet.run(for: .seconds(5))
        #expect(duet.link(of: 2) == nil)
        duet.players[0].host.endLink(links.a, at: duet.now)
        #expect(duet.run(for: .seconds(10)) { duet.link(of: 2) != nil })
        #expect(duet.violations == [])
    }

    @Test func `a controller whose links are all in use goes on without being connectable`() throws {
        let duet = Duet(
            ControllerSettings(maximumLinks: 1, states: Self.all & ~(1 << 38), claimedStates: Self.all),
            ControllerSettings(), ControllerSettings())
        duet.scan(by: 2)
        _ = try duet.connected()
        duet.run(for: .seconds(20))
        duet.forget()
        duet.run(for: .seconds(5))
        #expect(!duet.players[2].advertisements.isEmpty)
        #expect(duet.count(0) { if case .advertisingFailed = $0 { true } else { false } } == 0)
    }
}
