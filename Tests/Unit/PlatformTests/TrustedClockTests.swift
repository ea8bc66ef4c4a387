// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Platform
@testable import Readings

/// 1 July 2026, midnight UTC, in milliseconds.
private let midnight: Int64 = 1_782_864_000_000

@Suite("A clock set by a person")
struct TrustedClockTests {
    private static let lost = ClockWord(isSynchronized: false)

    private var machine: ClockMachine {
        var machine = ClockMachine(boot: "5e0c91aa", .init())
        machine.receive(Self.lost, at: ClockSample(uptime: 10_000, unix: 5))
        return machine
    }

    @Test("a set time counts as synchronised while it can be right enough, and then as held over")
    func expiry() {
        var machine = machine
        let beginning = ClockSample(uptime: 10_000, unix: 5)
        #expect(machine.trust(unixMilliseconds: midnight, at: beginning) == .taken)
        // 1 s at first, 100 ppm from then on: 5 s after 40,000 s.
        for (uptime, quality, error) in [
            (10_000, ClockQuality.synced, 1_000), (40_010_000, .synced, 5_000), (40_020_000, .holdover, 5_001),
        ] as [(Int64, ClockQuality, Int64)] {
            let sample = ClockSample(uptime: uptime, unix: uptime)
            let status = machine.status(at: sample)
            #expect(status.state == quality.rawValue && status.errorMs == error && status.source == .trusted)
            #expect(status.unixMs == midnight + uptime - 10_000)
        }
    }

    @Test("the kernel's time has priority over a set time, and corrects it")
    func correction() {
        var machine = machine
        _ = machine.trust(unixMilliseconds: midnight, at: ClockSample(uptime: 10_000, unix: 5))
        #expect(machine.anchor == ClockAnchor(offset: midnight - 10_000, uptime: 10_000))
        let sample = ClockSample(uptime: 20_000, unix: midnight + 10_400)
        machine.receive(ClockWord(isSynchronized: true), at: sample)
        #expect(machine.anchor == ClockAnchor(offset: midnight - 9_600, uptime: 20_000))
        #expect(machine.trust(unixMilliseconds: midnight, at: sample) == .notNeeded(differenceMs: -10_400))
        #expect(machine.stamp(at: sample).unixMilliseconds == sample.unix)
    }

    @Test("a time before this program was made is not taken", arguments: [0, ClockMachine.earliest - 1, .max, .min])
    func implausible(unix: Int64) {
        var machine = machine
        let sample = ClockSample(uptime: 20_000, unix: 5)
        #expect(machine.trust(unixMilliseconds: unix, at: sample) == .implausible)
        #expect(machine.trust(unixMilliseconds: unix, insists: true, at: sample) == .implausible)
        #expect(machine.stamp(at: sample).quality == .unsynced)
    }

    private static let day: Int64 = 86_400_000

    @Test(
        "a time far from the machine's knowledge needs insistence",
        arguments: [
            // The system's clock shows 1970: up to ten years after this program could be made.
            (5, ClockMachine.earliest, nil), (5, ClockMachine.earliest + 3_653 * day, nil),
            (5, ClockMachine.earliest + 3_653 * day + 1, .program), (5, ClockMachine.latest - 1, .program),
            // The clock shows the time at which the machine was turned off, or a battery's time.
            (midnight, midnight - day, nil), (midnight, midnight - day - 1, .systemClock),
            (midnight, midnight + 366 * day, nil), (midnight, midnight + 366 * day + 1, .systemClock),
        ] as [(Int64, Int64, ClockDoubt.Reference?)])
    func doubt(system: Int64, given: Int64, reference: ClockDoubt.Reference?) {
        var machine = machine
        let sample = ClockSample(uptime: 20_000, unix: system)
        let answer = machine.trust(unixMilliseconds: given, at: sample)
        guard let reference else {
            #expect(answer == .taken)
            return
        }
        let known = reference == .program ? ClockMachine.earliest : system
        #expect(answer == .doubtful(ClockDoubt(reference: reference, differenceMs: given - known)))
        #expect(machine.stamp(at: sample).quality == .unsynced && machine.anchor == nil)
        #expect(machine.trust(unixMilliseconds: given, insists: true, at: sample) == .taken)
        #expect(machine.stamp(at: sample).unixMilliseconds == given)
        // The mistake is mended without a word more.
        #expect(machine.trust(unixMilliseconds: max(known, midnight), at: sample) == .taken)
        #expect(machine.anchor == ClockAnchor(offset: max(known, midnight) - 20_000, uptime: 20_000))
    }

    @Test("a time confirmed in this boot moves by more than a day only with insistence")
    func doubtOfKnownTime() {
        var machine = machine
        machine.receive(ClockWord(isSynchronized: true), at: ClockSample(uptime: 20_000, unix: midnight))
        machine.receive(Self.lost, at: ClockSample(uptime: 30_000, unix: midnight + 10_000))
        // A person has set the clock to 1970: its time is no longer trusted.
        let sample = ClockSample(uptime: 40_000, unix: 7)
        for difference in [-Self.day - 1, Self.day + 1] {
            #expect(
                machine.trust(unixMilliseconds: midnight + 20_000 + difference, at: sample)
                    == .doubtful(ClockDoubt(reference: .knownTime, differenceMs: difference)))
        }
        #expect(machine.trust(unixMilliseconds: midnight + 20_000 + Self.day, at: sample) == .taken)
    }

    @Test("a doubt has its size and its source")
    func doubtInWords() {
        let ahead = ClockDoubt(reference: .systemClock, differenceMs: 1_137 * Self.day + 5)
        #expect("\(ahead)" == "the new time is 1137 days ahead of the system's clock")
        let behind = ClockDoubt(reference: .knownTime, differenceMs: -2 * Self.day)
        #expect("\(behind)" == "the new time is 2 days behind the known time")
        #expect("\(ClockDoubt(reference: .program, differenceMs: .max))".hasSuffix("after this program was made"))
    }

    @Test("the journal's knowledge of this boot is held over, until the clock is confirmed")
    func restoration() {
        var machine = machine
        let sample = ClockSample(uptime: 20_000, unix: 5)
        machine.restore(offset: -20_000, at: sample)
        #expect(machine.stamp(at: sample).quality == .unsynced)
        machine.restore(offset: midnight, at: sample)
        machine.restore(offset: midnight + 1, at: sample)
        #expect(machine.stamp(at: sample).quality == .holdover)
        #expect(machine.stamp(at: sample).unixMilliseconds == midnight + 20_000)
        let later = ClockSample(uptime: 30_000, unix: midnight + 30_003)
        machine.receive(ClockWord(isSynchronized: true), at: later)
        #expect(machine.anchor == ClockAnchor(offset: midnight + 3, uptime: 30_000))
    }

    @Test("the anchor survives a clock's drift, and moves when the drift does not explain the difference")
    func anchor() {
        var machine = machine
        let synced = ClockWord(isSynchronized: true)
        machine.receive(synced, at: ClockSample(uptime: 20_000, unix: midnight + 20_000))
        let first = ClockAnchor(offset: midnight, uptime: 20_000)
        machine.receive(synced, at: ClockSample(uptime: 21_000, unix: midnight + 23_000))
        #expect(machine.anchor == first)
        // Ten days later: 86.4 s of drift, and 2 s.
        let late: Int64 = 20_000 + 864_000_000
        machine.receive(synced, at: ClockSample(uptime: late, unix: midnight + late + 88_400))
        #expect(machine.anchor == first)
        machine.receive(synced, at: ClockSample(uptime: late, unix: midnight + late - 88_401))
        #expect(machine.anchor == ClockAnchor(offset: midnight - 88_401, uptime: late))
    }

    @Test("no numbers are too large for the clock", arguments: [Int64.min, -1, 0, 1, .max])
    func extremes(number: Int64) {
        for other in [Int64.min, -1, 0, 1, .max] {
            for word in [Self.lost, ClockWord(isSynchronized: true, maximumError: other, serviceMark: number)] {
                for requires in [true, false] {
                    var machine = ClockMachine(boot: "5e0c91aa", .init(requiresSynchronization: requires))
                    let sample = ClockSample(uptime: number, unix: other)
                    _ = machine.wantsWord(at: sample)
                    machine.receive(word, at: sample)
                    machine.restore(offset: other, at: sample)
                    _ = machine.trust(unixMilliseconds: midnight, at: sample)
                    _ = machine.trust(unixMilliseconds: midnight, insists: true, at: sample)
                    _ = machine.status(at: sample)
                    _ = machine.wantsWord(at: ClockSample(uptime: other, unix: number))
                    machine.receive(word, at: ClockSample(uptime: other, unix: number))
                    _ = machine.status(at: ClockSample(uptime: other, unix: midnight))
                }
            }
        }
    }
}
