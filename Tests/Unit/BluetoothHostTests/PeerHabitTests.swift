// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import Testing

@testable import BluetoothHost
@testable import HostBench

/// Procedures of the host's own. The host leaves them out with peers whose links end during them.
struct PeerHabitTests {
    private static let day = Duration.seconds(24 * 3600)

    @Test func `three ends in a row prove something, for a day`() {
        var habits = PeerHabits()
        let (peer, other) = (Simulation.sensor(1), Simulation.sensor(2))
        for _ in 0..<2 { habits.ended(during: [[.mtuExchange]], with: peer, at: .zero) }
        #expect(habits.omitted(with: peer, at: .zero).isEmpty)
        habits.ended(during: [[.mtuExchange]], with: peer, at: .zero)
        #expect(habits.omitted(with: peer, at: .zero) == [.mtuExchange])
        #expect(habits.omitted(with: other, at: .zero).isEmpty)
        #expect(habits.omitted(with: peer, at: .zero + (Self.day - .nanoseconds(1))) == [.mtuExchange])
        #expect(habits.omitted(with: peer, at: .zero + Self.day).isEmpty, "it is tried again")
        habits.ended(during: [[.mtuExchange]], with: peer, at: .zero + Self.day)
        #expect(habits.omitted(with: peer, at: .zero + Self.day) == [.mtuExchange], "once")
        habits.outlived([.mtuExchange], with: peer)
        #expect(habits.omitted(with: peer, at: .zero + Self.day).isEmpty)
    }

    @Test func `an answer in between begins the count anew`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for _ in 0..<10 {
            for _ in 0..<2 { habits.ended(during: [[.phy, .deviceName]], with: peer, at: .zero) }
            habits.outlived([.phy, .deviceName], with: peer)
        }
        #expect(habits.omitted(with: peer, at: .zero).isEmpty)
    }

    @Test func `an identity takes over the habits`() {
        var habits = PeerHabits()
        for _ in 0..<2 { habits.ended(during: [[.phy]], with: Simulation.sensor(1), at: .zero) }
        habits.ended(during: [[.phy]], with: Simulation.sensor(2), at: .zero)
        habits.rename(Simulation.sensor(1), to: Simulation.sensor(2))
        #expect(habits.omitted(with: Simulation.sensor(1), at: .zero).isEmpty)
        #expect(habits.omitted(with: Simulation.sensor(2), at: .zero) == [.phy])
    }

    @Test
    func `of two procedures at each end the more suspect one is left out first, and the other is cleared by a link`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for _ in 0..<3 { habits.ended(during: [[.mtuExchange], [.featureExchange]], with: peer, at: .zero) }
        #expect(habits.omitted(with: peer, at: .zero) == [.mtuExchange])
        habits.outlived([.featureExchange], with: peer)
        for _ in 0..<2 { habits.ended(during: [[.featureExchange]], with: peer, at: .zero) }
        #expect(habits.omitted(with: peer, at: .zero) == [.mtuExchange], "it is at its beginning again")
    }

    @Test func `one that ends a link by itself clears those that were only in its company`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for _ in 0..<3 { habits.ended(during: [[.mtuExchange], [.featureExchange]], with: peer, at: .zero) }
        habits.ended(during: [[.featureExchange]], with: peer, at: .zero)
        #expect(habits.omitted(with: peer, at: .zero) == [.featureExchange])
        // A procedure that ends links alone is not cleared by another such procedure.
        var both = PeerHabits()
        for _ in 0..<3 { both.ended(during: [[.mtuExchange]], with: peer, at: .zero) }
        for _ in 0..<3 { both.ended(during: [[.featureExchange]], with: peer, at: .zero) }
        #expect(both.omitted(with: peer, at: .zero) == [.mtuExchange, .featureExchange])
    }

    // MARK: One at a time

    /// Procedures under way at the same time, and the guilty procedures among them.
    static let companies: [(company: [OwnProcedure], guilty: Set<OwnProcedure>, links: Int)] =
        singles + [
            ([.mtuExchange, .phy], [.mtuExchange, .phy], 9),
            ([.featureExchange, .dataLength, .phy], [], 1),
        ]

    /// Each procedure of a company is guilty alone. The host needs three links, and one more link for each earlier suspect.
    private static let singles: [(company: [OwnProcedure], guilty: Set<OwnProcedure>, links: Int)] = [
        [.mtuExchange], [.mtuExchange, .phy], [.featureExchange, .dataLength, .phy],
        [.databaseHash, .featureExchange, .dataLength, .parameters],
    ].flatMap { company in company.enumerated().map { (company, [$0.element], 4 + $0.offset) } }

    @Test(arguments: companies)
    func `of procedures under way together the guilty one alone is left out in the end, and values come`(
        row: (company: [OwnProcedure], guilty: Set<OwnProcedure>, links: Int)
    ) {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        var links = 0
        while links < 20 {
            links += 1
            let omitted = habits.omitted(with: peer, at: .zero)
            let begun = Set(row.company).subtracting(omitted)
            guard begun.isDisjoint(with: row.guilty) else {
                habits.ended(during: [begun], with: peer, at: .zero)
                continue
            }
            habits.outlived(begun, with: peer)
            break
        }
        #expect(links == row.links)
        #expect(Set(habits.omitted(with: peer, at: .zero)) == row.guilty, "no innocent one waits for its day")
    }

    @Test func `procedures of which each ends links by itself are left out one after the other, and none returns`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for (index, procedure) in OwnProcedure.allCases.enumerated() {
            for _ in 0..<3 { habits.ended(during: [[procedure]], with: peer, at: .zero) }
            #expect(habits.omitted(with: peer, at: .zero) == Array(OwnProcedure.allCases.prefix(index + 1)))
        }
    }

    @Test func `links that end for ever, whatever is left out, leave a bounded record`() {
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        for number in 0..<1000 {
            let begun = OwnProcedure.allCases.enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element)
            habits.ended(during: begun.map { [$0] }, with: peer, at: .zero + .seconds(number))
        }
        #expect(habits.remembered(of: peer) == PeerHabits.endsLimit)
    }

    @Test func `a peer's record takes the same memory from its first end on`() {
        func places(_ value: Any) -> Int {
            let mirror = Mirror(reflecting: value)
            let isCollection = [.collection, .dictionary, .set].contains(mirror.displayStyle)
            return mirror.children.reduce(isCollection ? mirror.children.count : 0) { $0 + places($1.value) }
        }
        var habits = PeerHabits()
        let peer = Simulation.sensor(1)
        habits.ended(during: [[.phy]], with: peer, at: .zero)
        let first = places(habits)
        #expect(first > 0)
        for procedure in OwnProcedure.allCases {
            habits.ended(during: [[procedure, .phy], [.mtuExchange]], with: peer, at: .zero)
            #expect(places(habits) == first)
        }
        habits.outlived(Set(OwnProcedure.allCases), with: peer)
        #expect(places(habits) == 0)
    }

    @Test func `of too many peers the peer whose last end is the oldest gives way`() {
        var habits = PeerHabits()
        func end(_ number: Int, at second: Int) {
            let peer = Simulation.sensor(UInt64(number))
            for _ in 0..<3 { habits.ended(during: [[.phy]], with: peer, at: .zero + .seconds(second)) }
        }
        func isKnown(_ number: Int) -> Bool {
            !habits.omitted(with: Simulation.sensor(UInt64(number)), at: .zero + .seconds(2000)).isEmpty
        }
        for number in 1...PeerHabits.peersLimit { end(number, at: number) }
        end(1, at: 1000)
        for number in 0..<3 { end(PeerHabits.peersLimit + 1 + number, at: 1001 + number) }
        #expect((2...4).allSatisfy { !isKnown($0) })
        let kept = (1...PeerHabits.peersLimit + 3).filter(isKnown)
        #expect(kept == [1] + Array(5...PeerHabits.peersLimit + 3))
    }

    @Test func `a procedure keeps the rank of the first set that has it`() {
        let company = RankedProcedures([[.phy], [], [.parameters, .phy], [.mtuExchange]])
        #expect(company[.phy] == 0 && company[.parameters] == 2 && company[.mtuExchange] == 3)
        #expect(company[.deviceName] == nil && company.count == 3 && !company.isEmpty)
        #expect(company.subtracting([.phy, .deviceName]) == RankedProcedures([[], [], [.parameters], [.mtuExchange]]))
        #expect(company.subtracting(Set(OwnProcedure.allCases)).isEmpty)
        #expect(RankedProcedures(Array(repeating: [], count: 40) + [[.parameters]])[.parameters] == 14)
    }
}
