// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import Collector

/// When the scan for sensors runs, and for whom.
@Suite struct ScanPlanTests {
    private func at(_ seconds: UInt64) -> DispatchTime {
        DispatchTime(uptimeNanoseconds: (1_000 + seconds) * 1_000_000_000)
    }

    @Test func `a scan that tells of some devices gives way to somebody who asks for all`() {
        var plan = ScanPlan()
        #expect(plan.mayBegin(at: at(0)))
        plan.began(tellingOfAll: false, at: at(0))
        #expect(plan.isRunning && !plan.mayBegin(at: at(1)))
        plan.ask(at: at(1))
        #expect(plan.mayBegin(at: at(1)))
        plan.began(tellingOfAll: true, at: at(1))
        #expect(!plan.mayBegin(at: at(2)), "it tells of all already")
        #expect(plan.isAsked(at: at(30)) && !plan.isAsked(at: at(31)))
    }

    @Test func `known sensors have the radio first, and people do not wait for them`() {
        var plan = ScanPlan()
        plan.hold(at: at(0))
        #expect(plan.isHeld && !plan.mayBegin(at: at(1)))
        plan.prolongHold(at: at(9))
        #expect(!plan.isHoldOver(at: at(18)) && plan.isHoldOver(at: at(19)))
        plan.ask(at: at(9))
        #expect(plan.mayBegin(at: at(9)))
        plan.release()
        plan.prolongHold(at: at(20))
        #expect(!plan.isHeld && plan.mayBegin(at: at(60)), "a hold that is over is not begun again")
    }

    @Test(arguments: [(false, 60), (true, 10)] as [(Bool, UInt64)])
    func `a scan is looked at again after its period`(isAsked: Bool, period: UInt64) {
        var plan = ScanPlan()
        if isAsked { plan.ask(at: at(0)) }
        plan.began(tellingOfAll: true, at: at(0))
        #expect(plan.deadline == at(period))
        let taken = [period - 1, period, period + 1].map { plan.takeRenewal(at: at($0)) }
        #expect(taken == [false, true, false] && plan.isRunning, "once; that it runs does not change by itself")
    }

    @Test func `a crowd brings the next scan nearer, and never puts it off`() {
        var plan = ScanPlan()
        plan.renewSoon(at: at(0))
        #expect(plan.deadline == nil, "there is no scan")
        plan.began(tellingOfAll: true, at: at(0))
        plan.renewSoon(at: at(20))
        #expect(plan.deadline == at(30))
        plan.renewSoon(at: at(29))
        #expect(plan.deadline == at(30))
    }

    @Test func `the end of a scan is told once, and a lost controller leaves nothing to wait for`() {
        var plan = ScanPlan()
        var ends = [plan.end()]
        plan.began(tellingOfAll: true, at: at(0))
        ends += [plan.end(), plan.end()]
        #expect(ends == [false, true, false] && plan.deadline == nil && !plan.isRunning)
        plan.began(tellingOfAll: true, at: at(0))
        plan.interrupt()
        #expect(!plan.isRunning && plan.mayBegin(at: at(1)))
        plan.began(tellingOfAll: true, at: at(0))
        plan.lose()
        #expect(!plan.isRunning && plan.deadline == nil)
    }
}
