// SPDX-License-Identifier: Apache-2.0

import NetworkControl
import Testing

@testable import Configuration
@testable import Gateway
@testable import Provisioning

@Suite struct ApplyMachineTests {
    private static let wireless = WirelessSettings(ssid: "Attic", password: "correct horse")

    private static func plan(wireless: ApplyPlan.Wireless? = .join(wireless), changes: Bool = true) -> ApplyPlan {
        var change = ConfigurationChange()
        if changes { change.values[["mqtt", "host"]] = .some(.text("b")) }
        return ApplyPlan(country: "DE", wireless: wireless, change: change, checksBroker: true)
    }

    /// Drives a machine whose action number `failing` fails; nil: none.
    private func drive(
        _ plan: ApplyPlan, failing: Int? = nil, byDeadline: Bool = false
    ) -> (actions: [ApplyMachine.Action], told: [String], outcome: ApplyMachine.Outcome?) {
        var machine = ApplyMachine(plan)
        var effects = machine.begin()
        var (actions, told): ([ApplyMachine.Action], [String]) = ([], [])
        while !effects.isEmpty {
            switch effects.removeFirst() {
            case .tell(let message):
                told.append(
                    "\(message.step.rawValue) \(message.state.rawValue)" + (message.reason.map { " \($0)" } ?? ""))
            case .setDeadline: break
            case .finish(let outcome): return (actions, told, outcome)
            case .perform(let action):
                actions.append(action)
                if action == .join(Self.wireless) { effects += machine.handle(.reached(.address)) }
                if actions.count - 1 == failing {
                    effects += machine.handle(
                        byDeadline ? .deadline : .failed(step: nil, reason: "failed", text: "words"))
                } else {
                    if action == .checkBroker {
                        for step: ProgressMessage.Step in [.name, .connect, .broker] {
                            effects += machine.handle(.reached(step))
                        }
                    }
                    effects += machine.handle(.succeeded(network: action == .keepNetwork ? "profile" : nil))
                }
            }
        }
        return (actions, told, nil)
    }

    private static let whole: [ApplyMachine.Action] = [
        .check, .setCountry("DE"), .join(wireless), .tryOut, .checkBroker, .keepNetwork,
        .keepSettings(network: "profile"), .settleNetwork("profile"),
    ]

    @Test func `everything is done in order, and each step is told once`() {
        let (actions, told, outcome) = drive(Self.plan())
        #expect(actions == Self.whole && outcome == .kept)
        #expect(
            told == [
                "check running", "check done", "country running", "country done", "associate running",
                "associate done", "address running", "address done", "name running", "name done", "connect running",
                "connect done", "broker running", "broker done", "keep running", "keep done", "done done",
            ])
    }

    @Test func `what a slow disk keeps is not called off in the middle`() {
        var change = ConfigurationChange()
        change.values[["gateway", "name"]] = .some(.text("Attic"))
        var machine = ApplyMachine(ApplyPlan(change: change))
        var effects = machine.begin()
        var deadlines: [Duration?] = []
        while !effects.isEmpty {
            switch effects.removeFirst() {
            case .setDeadline(let deadline): deadlines.append(deadline)
            case .perform(.keepSettings): return #expect(deadlines.last == .some(nil))
            case .perform: effects += machine.handle(.succeeded(network: nil))
            default: break
            }
        }
        Issue.record("nothing was kept")
    }

    @Test func `what does not change is not done`() {
        var change = ConfigurationChange()
        change.values[["gateway", "name"]] = .some(.text("Attic"))
        #expect(drive(ApplyPlan(change: change)).actions == [.check, .tryOut, .keepSettings(network: nil)])
        #expect(drive(ApplyPlan(country: "DE")).actions == [.check, .setCountry("DE")])
        let none = drive(Self.plan(wireless: ApplyPlan.Wireless.none, changes: false))
        #expect(
            none.actions == [
                .check, .setCountry("DE"), .checkBroker, .keepSettings(network: ""), .settleNetwork(nil),
            ])
        #expect(none.outcome == .kept)
    }

    /// The actions that the machine takes back after the failure of the action with this number.
    private static let ways: [(failing: Int, back: [ApplyMachine.Action], last: String)] = [
        (0, [], "check failed failed"), (1, [], "country failed failed"),
        (2, [.revertNetwork], "address failed failed"),
        (3, [.revertSettings, .revertNetwork], "name failed failed"),
        (4, [.revertSettings, .revertNetwork], "name failed failed"),
        (5, [.revertSettings, .revertNetwork, .settleFormerNetwork], "keep failed failed"),
        (6, [.revertSettings, .revertNetwork, .settleFormerNetwork], "keep failed failed"),
    ]

    @Test(arguments: 0..<7, [false, true])
    func `a failure is told, and everything so far is taken back`(failing: Int, byDeadline: Bool) {
        let way = Self.ways[failing]
        let (actions, told, outcome) = drive(Self.plan(), failing: failing, byDeadline: byDeadline)
        #expect(actions == Array(Self.whole.prefix(failing + 1)) + way.back)
        let reason = byDeadline ? "timed-out" : "failed"
        let last = byDeadline ? way.last.dropLast(6) + reason : way.last
        #expect(told.suffix(2) == [last, "rolled-back done"])
        #expect(outcome == .rolledBack(reason: reason))
        // For every step, "running" is followed by "done" or "failed".
        for line in told where line.hasSuffix(" running") {
            let step = line.dropLast(8)
            #expect(told.contains { $0 == "\(step) done" || $0.hasPrefix("\(step) failed") }, "\(told)")
        }
    }

    @Test func `after the commit point a failure changes nothing any more`() {
        let (actions, told, outcome) = drive(Self.plan(), failing: 7)
        #expect(actions == Self.whole && outcome == .kept && told.last == "done done")
    }

    @Test func `what fails on the way back does not hold it up`() {
        var machine = ApplyMachine(Self.plan())
        var effects = machine.begin()
        var actions: [ApplyMachine.Action] = []
        var outcome: ApplyMachine.Outcome?
        while !effects.isEmpty, outcome == nil {
            switch effects.removeFirst() {
            case .perform(let action):
                actions.append(action)
                effects +=
                    actions.count < 6
                    ? machine.handle(.succeeded(network: nil))
                    : machine.handle(actions.count % 2 == 0 ? .deadline : .failed(step: nil, reason: "r", text: ""))
            case .finish(let end): outcome = end
            default: break
            }
        }
        #expect(actions.suffix(3) == [.revertSettings, .revertNetwork, .settleFormerNetwork])
        #expect(outcome == .rolledBack(reason: "timed-out"))
        let late = machine.handle(.deadline) + machine.handle(.succeeded(network: nil))
        #expect(late.isEmpty)
    }

    @Test func `a step that is behind is not told again, and has no new deadline`() {
        var machine = ApplyMachine(Self.plan(wireless: nil))
        _ = machine.begin()
        _ = machine.handle(.succeeded(network: nil))
        _ = machine.handle(.succeeded(network: nil))
        _ = machine.handle(.succeeded(network: nil))
        let first = machine.handle(.reached(.connect))
        let again = machine.handle(.reached(.name)) + machine.handle(.reached(.connect))
        #expect(!first.isEmpty && again.isEmpty)
    }

    @Test func `the trial of a network lasts longer than everything that is done in it`() {
        let steps: [ProgressMessage.Step] = [.associate, .address, .keep]
        let longest = steps.map(ApplyMachine.limit).reduce(ApplyMachine.brokerLimit, +) + .seconds(5)
        #expect(ApplyMachine.trialLimit > longest)
    }
}
