// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Testing

@Suite("The ladder of steps against a dead radio")
struct RecoveryLadderTests {
    private static let all = Set(RecoveryStep.allCases)
    private static let own: Set<RecoveryStep> = [.scan, .reset, .reopen]
    private let silence = RadioTrouble.silence(.seconds(60), hasHeard: true, isLinked: false)
    private let failure = RadioTrouble.failure("no answer")

    /// The ladder's decisions about a trouble that comes again every `seconds` seconds, until it pauses.
    private func climb(
        _ ladder: inout RecoveryLadder, _ trouble: RadioTrouble, _ available: Set<RecoveryStep>, every seconds: Int,
        from start: MonotonicTime = .zero
    ) -> (steps: [RecoveryStep], pause: Duration) {
        var steps: [RecoveryStep] = []
        var now = start
        while true {
            switch ladder.decide(about: trouble, available: available, at: now) {
            case .take(let step): steps.append(step)
            case .pause(let end): return (steps, end - now)
            }
            now = now + .seconds(seconds)
        }
    }

    @Test func `silence is met from the scan on, a failure from the reset on, one rung after the other`() {
        var ladder = RecoveryLadder()
        #expect(climb(&ladder, silence, Self.all, every: 20).steps == RecoveryStep.allCases)
        ladder = RecoveryLadder()
        #expect(
            climb(&ladder, failure, Self.all, every: 2).steps
                == [.reset, .reset, .reset, .reopen, .reopen, .power, .rebind, .process, .reboot])
        ladder = RecoveryLadder()
        #expect(climb(&ladder, failure, [.scan, .reset, .reopen, .rebind], every: 2).steps.last == .rebind)
    }

    @Test func `where nothing was ever heard, or links bring data, silence is worth no strong step`() {
        var ladder = RecoveryLadder()
        let never = RadioTrouble.silence(.seconds(600), hasHeard: false, isLinked: false)
        #expect(climb(&ladder, never, Self.all, every: 20).steps == [.scan, .reset, .reopen])
        ladder = RecoveryLadder()
        let busy = RadioTrouble.silence(.seconds(60), hasHeard: true, isLinked: true)
        #expect(climb(&ladder, busy, Self.all, every: 20).steps == [.scan, .reset, .reopen])
        // The only sensor of a place has a link. A working link is not ended for the lack of other sensors.
        ladder = RecoveryLadder()
        let alone = RadioTrouble.silence(.seconds(600), hasHeard: false, isLinked: true)
        #expect(climb(&ladder, alone, Self.all, every: 20).steps == [.scan])
    }

    @Test func `a step that has helped for long enough is the first again`() {
        var ladder = RecoveryLadder()
        var now = MonotonicTime.zero
        for _ in 0..<50 {
            #expect(ladder.decide(about: failure, available: Self.all, at: now) == .take(.reset))
            #expect(ladder.isClimbing && ladder.lastStep == .reset)
            let cure = ladder.recordEffect(at: now + .seconds(1))
            #expect(cure?.step == .reset && cure?.after == .seconds(1))
            #expect(ladder.recordEffect(at: now + .seconds(2)) == nil)
            now = now + .seconds(61)
        }
    }

    @Test func `a cure that does not last is none`() {
        var ladder = RecoveryLadder()
        var steps: [RecoveryStep] = []
        for second in stride(from: 0, to: 300, by: 50) {
            let now = MonotonicTime.zero + .seconds(second)
            guard case .take(let step) = ladder.decide(about: failure, available: Self.all, at: now) else { continue }
            steps.append(step)
            _ = ladder.recordEffect(at: now + .seconds(1))
        }
        #expect(steps == [.reset, .reset, .reset, .reopen, .reopen, .power])
    }

    @Test func `after the last rung there are pauses that grow to ten minutes, and it begins again`() {
        var ladder = RecoveryLadder()
        var now = MonotonicTime.zero
        var pauses: [Duration] = []
        for _ in 0..<10 {
            let climbed = climb(&ladder, failure, Self.own, every: 2, from: now)
            #expect(climbed.steps == [.reset, .reset, .reset, .reopen, .reopen])
            pauses.append(climbed.pause)
            now = now + .seconds(10) + climbed.pause
        }
        #expect(pauses.prefix(3) == [.seconds(5), .seconds(10), .seconds(20)] && pauses.last == .seconds(600))
    }

    @Test func `a day has so many steps of each kind, and no more`() {
        var ladder = RecoveryLadder()
        var taken: [RecoveryStep: Int] = [:]
        var now = MonotonicTime.zero
        while now < .zero + .seconds(86_399) {
            switch ladder.decide(about: failure, available: Self.all, at: now) {
            case .take(let step): taken[step, default: 0] += 1
            case .pause: break
            }
            now = now + .seconds(31)
        }
        for step in RecoveryStep.allCases where step != .scan { #expect(taken[step] == step.daily, "\(step)") }
        #expect(taken[.scan] == nil)
        // The next day has as many again.
        now = now + .seconds(86_400)
        #expect(ladder.decide(about: failure, available: [.reboot], at: now) == .take(.reboot))
    }

    @Test(arguments: [1, 25, 31, 40, 300, 1_800])
    func `where somebody is heard now and then the ladder is climbed as well, once`(gap: Int) {
        var ladder = RecoveryLadder()
        var liveness = LivenessMachine()
        liveness.scans(true, at: .zero)
        for count in 0...20 { liveness.heard(at: .zero + .seconds(count * gap)) }
        var steps: [RecoveryStep] = []
        while steps.count < 10, let now = liveness.deadline, let trouble = liveness.trouble(at: now),
            case .take(let step) = ladder.decide(about: trouble, available: Self.own, at: now)
        {
            steps.append(step)
            liveness.prove(at: now)
        }
        #expect(steps == [.scan, .reset, .reopen])
    }

    @Test func `a trouble has lasted since its first step`() {
        var ladder = RecoveryLadder()
        for second in [0, 2, 4] { _ = ladder.decide(about: failure, available: Self.all, at: .zero + .seconds(second)) }
        #expect(ladder.recordEffect(at: .zero + .seconds(68))?.after == .seconds(68))
    }

    @Test func `a step whose effect nobody waits for any more is forgotten`() {
        var ladder = RecoveryLadder()
        #expect(ladder.decide(about: silence, available: Self.own, at: .zero) == .take(.scan))
        let late = MonotonicTime.zero + .seconds(7_200)
        #expect(ladder.decide(about: silence, available: Self.own, at: late) == .take(.scan))
    }

    @Test func `an adapter that does not come back is met by the next step`() {
        var ladder = RecoveryLadder()
        var now = MonotonicTime.zero
        while ladder.lastStep != .power {
            _ = ladder.decide(about: failure, available: Self.all, at: now)
            now = now + .seconds(2)
        }
        let wanted: [RecoveryStep] = [.rebind, .process, .reboot]
        for step in wanted {
            now = now + .seconds(60)
            #expect(ladder.decide(about: .noReturn, available: Self.all, at: now) == .take(step))
        }
    }

    @Test func `an adapter that the kernel could not set up is taken from its driver, or pauses grow`() {
        var ladder = RecoveryLadder()
        var now = MonotonicTime.zero
        for step in [RecoveryStep.rebind, .process, .reboot] {
            #expect(ladder.decide(about: .unfinished, available: Self.all, at: now) == .take(step))
            now = now + .seconds(20)
        }
        ladder = RecoveryLadder()
        for seconds in [5, 10, 20, 40, 80] {
            let end = now + .seconds(seconds)
            #expect(ladder.decide(about: .unfinished, available: Self.own, at: now) == .pause(until: end))
            now = end + .seconds(20)
        }
    }
}

@Suite("Whether a scanner works, by the reports it gets")
struct LivenessMachineTests {
    private static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func `a silence of a minute is a fault where something was heard each second`() {
        var machine = LivenessMachine()
        machine.scans(true, at: Self.at(0))
        for second in 1...100 { machine.heard(at: Self.at(second)) }
        #expect(machine.trouble(at: Self.at(159)) == nil)
        #expect(machine.deadline == Self.at(160))
        #expect(machine.trouble(at: Self.at(160)) == .silence(.seconds(60), hasHeard: true, isLinked: false))
        machine.received(at: Self.at(160))
        #expect(machine.trouble(at: Self.at(161)) == .silence(.seconds(61), hasHeard: true, isLinked: true))
    }

    @Test func `who has a link is not expected to be heard`() {
        var machine = LivenessMachine()
        machine.scans(true, at: Self.at(0))
        for second in 1...100 { machine.heard(at: Self.at(second)) }
        machine.bears(1)
        #expect(machine.trouble(at: Self.at(699)) == nil)
        #expect(machine.trouble(at: Self.at(700)) == .silence(.seconds(600), hasHeard: false, isLinked: true))
        // Another device is heard, and then falls silent.
        machine.heard(at: Self.at(701))
        machine.bears(1)
        #expect(machine.trouble(at: Self.at(761)) == nil, "a gap of ten minutes was learned here")
        var other = LivenessMachine()
        other.scans(true, at: Self.at(0))
        other.heard(at: Self.at(1))
        other.bears(2)
        other.heard(at: Self.at(2))
        // The end of a link is no new link.
        other.bears(1)
        #expect(other.trouble(at: Self.at(62)) == .silence(.seconds(60), hasHeard: true, isLinked: true))
        other.bears(2)
        #expect(other.trouble(at: Self.at(62)) == nil)
    }

    @Test func `a silence that a step has ended is no example of this place`() {
        var machine = LivenessMachine()
        machine.scans(true, at: Self.at(0))
        for second in 1...100 { machine.heard(at: Self.at(second)) }
        machine.prove(at: Self.at(160))
        machine.heard(at: Self.at(179))
        #expect(machine.deadline == Self.at(239))
    }

    @Test func `where nothing was ever heard it takes ten minutes`() {
        var machine = LivenessMachine()
        machine.scans(true, at: Self.at(0))
        #expect(machine.trouble(at: Self.at(599)) == nil)
        #expect(machine.trouble(at: Self.at(600)) == .silence(.seconds(600), hasHeard: false, isLinked: false))
    }

    @Test func `a place with one advertisement a minute is given eight minutes`() {
        var machine = LivenessMachine()
        machine.scans(true, at: Self.at(0))
        for minute in 0...20 { machine.heard(at: Self.at(60 * minute)) }
        #expect(machine.trouble(at: Self.at(1_200 + 479)) == nil)
        #expect(machine.trouble(at: Self.at(1_200 + 480)) != nil)
    }

    @Test func `who waits for a connection listens for a sign of life after a minute without one`() {
        var machine = LivenessMachine()
        #expect(machine.probeDue(at: Self.at(5)) == Self.at(65) && machine.probeDue(at: Self.at(50)) == Self.at(65))
        machine.received(at: Self.at(60))
        #expect(machine.probeDue(at: Self.at(61)) == Self.at(120))
        machine.heard(at: Self.at(125))
        #expect(machine.probeDue(at: Self.at(126)) == Self.at(185))
    }

    @Test func `time without a scan does not count`() {
        var machine = LivenessMachine()
        machine.scans(true, at: Self.at(0))
        machine.heard(at: Self.at(0))
        for round in 0..<5 {
            machine.scans(false, at: Self.at(100 * round + 10))
            #expect(machine.deadline == nil && machine.trouble(at: Self.at(100 * round + 99)) == nil)
            machine.scans(true, at: Self.at(100 * round + 100))
        }
        #expect(machine.deadline == Self.at(510))
        #expect(machine.trouble(at: Self.at(509)) == nil && machine.trouble(at: Self.at(510)) != nil)
    }

    @Test func `a step has twenty seconds, and what was tried in vain makes the place a quiet one`() {
        var machine = LivenessMachine()
        machine.scans(true, at: Self.at(0))
        machine.heard(at: Self.at(1))
        machine.prove(at: Self.at(61))
        #expect(machine.trouble(at: Self.at(80)) == nil && machine.trouble(at: Self.at(81)) != nil)
        var now = 81
        var limits: [Int] = []
        for _ in 0..<8 {
            machine.giveUp(at: Self.at(now))
            guard let deadline = machine.deadline else { break }
            limits.append(Int((deadline - Self.at(now)).wholeMilliseconds / 1_000))
            now += limits.last ?? 0
        }
        #expect(limits == [1_200, 2_400, 4_800, 9_600, 19_200, 21_600, 21_600, 21_600])
        // One advertisement restores everything. The silence before is not learned from.
        machine.heard(at: Self.at(now))
        #expect(machine.deadline == Self.at(now + 60))
    }
}
