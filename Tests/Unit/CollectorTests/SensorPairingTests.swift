// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import Collector

@Suite struct SensorPairingTests {
    private let start = DispatchTime(uptimeNanoseconds: 1_000_000_000_000)

    private func pairing() -> SensorPairing { SensorPairing(pauses: .seconds(30)...(.seconds(3600)), next: start) }

    private func begin(_ pairing: inout SensorPairing) -> Int {
        var number = 0
        pairing.begin(interruptingValues: false) {
            number = $0
            return Task {}
        }
        return number
    }

    private func hears(_ pairing: inout SensorPairing) -> (Bool, Bool) {
        let heard = pairing.agentHears()
        return (heard.isSensors, heard.isToBeTold)
    }

    @Test func `only the newest pairing ends, and once`() {
        var one = pairing()
        let first = begin(&one)
        one.forget()
        let second = begin(&one)
        let results = [one.end(first), one.end(second), one.end(second)]
        #expect(results == [false, true, false] && !one.isUnderway)
    }

    /// Rows by the first reporter of the end.
    @Test func `an end is told once, by the code that began the pairing or by the agent`() {
        var ours = pairing()
        let number = begin(&ours)
        _ = ours.end(number)
        #expect(hears(&ours) == (false, false), "it was told where it was begun")

        var early = pairing()
        _ = begin(&early)
        #expect(hears(&early) == (false, false), "the code that began it will tell")

        var lost = pairing()
        _ = begin(&lost)
        lost.forget()
        #expect(hears(&lost) == (false, true), "the link has ended before")
        #expect(hears(&lost) == (true, true), "this one is the sensor's own")

        var unsaid = pairing()
        let none = begin(&unsaid)
        _ = unsaid.end(none)
        unsaid.neverBegan()
        #expect(hears(&unsaid) == (true, true))
    }

    @Test func `pauses grow while pairings fail, and a success takes them back`() {
        var one = pairing()
        #expect(one.isDue(at: start))
        one.failed(at: start, spread: 1)
        #expect(!one.isDue(at: start) && one.next == start + .seconds(30))
        one.failed(at: start, spread: 1.2)
        #expect(one.next == start + .seconds(72))
        one.failed(at: start, spread: 1)
        #expect(one.next == start + .seconds(120))
        one.succeeded(at: start)
        #expect(one.isDue(at: start))
        one.failed(at: start, spread: 0.8)
        #expect(one.next == start + .seconds(24))
    }

    @Test func `an operator's word that a bond is to go holds for a minute, and is forgotten`() {
        var restraint = PairingRestraint()
        var rule = SensorRule()
        rule.name = "flow"
        var other = SensorRule()
        other.name = "other"
        restraint.unpaired(rule, at: start)
        #expect(restraint.hold(of: rule) == start + .seconds(60) && restraint.hold(of: other) == nil)
        restraint.unpaired(other, at: start + .seconds(61))
        #expect(restraint.hold(of: rule) == nil && restraint.hold(of: other) == start + .seconds(121))
    }
}
