// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Synchronization
import Testing

@testable import Platform
@testable import Readings

/// 1 July 2026, midnight UTC, in milliseconds.
private let midnight: Int64 = 1_782_864_000_000

@Suite("Clock")
struct ClockTests {
    /// One reading of the clocks: the machine's clocks, the kernel's state, and the result.
    struct Look: Sendable {
        var uptime: Int64
        /// The system's clock, relative to `midnight`.
        var system: Int64
        var word: ClockWord
        /// The time that a reading gets, relative to `midnight`.
        var expected: Int64?
        var quality: ClockQuality

        init(
            _ uptime: Int64, _ system: Int64, _ word: ClockWord, _ expected: Int64?, _ quality: ClockQuality
        ) {
            (self.uptime, self.system, self.word) = (uptime, system, word)
            (self.expected, self.quality) = (expected, quality)
        }
    }

    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var looks: [Look]
        var configuration = ClockConfiguration()

        init(_ name: String, _ looks: [Look], configuration: ClockConfiguration = .init()) {
            (testDescription, self.looks, self.configuration) = (name, looks, configuration)
        }
    }

    private static let synced = ClockWord(isSynchronized: true, maximumError: 20)
    private static let lost = ClockWord(isSynchronized: false, maximumError: 16_000)
    private static let trusting = ClockConfiguration(requiresSynchronization: false)
    private static let century: Int64 = 3_000_000_000_000

    private static func marked(_ mark: Int64) -> ClockWord {
        ClockWord(isSynchronized: false, maximumError: 16_000, serviceMark: midnight + mark)
    }

    static let stories: [Story] = [
        Story(
            "nothing is known before the kernel's clock is synchronised, whatever it shows",
            [
                Look(1_000, -midnight, lost, nil, .unsynced), Look(2_000, 500, lost, nil, .unsynced),
                Look(3_000, 1_000, synced, 1_000, .synced),
            ]),
        Story(
            "what was synchronised and is no longer runs on, and comes back",
            [
                Look(1_000, 0, synced, 0, .synced), Look(100_000, 99_000, lost, 99_000, .holdover),
                Look(200_000, 199_000, synced, 199_000, .synced),
            ]),
        Story(
            "a bound of the error that is too wide is no synchronisation",
            [
                Look(1_000, 0, ClockWord(isSynchronized: true, maximumError: 5_001), nil, .unsynced),
                Look(2_000, 1_000, ClockWord(isSynchronized: true, maximumError: 5_000), 1_000, .synced),
                Look(3_000, 2_000, ClockWord(isSynchronized: true, maximumError: 9_000), 2_000, .holdover),
            ]),
        Story(
            "a clock that shows 1970, or the next century, is wrong whoever says that it is right",
            [
                Look(1_000, -midnight, synced, nil, .unsynced),
                Look(2_000, ClockMachine.earliest - 1 - midnight, synced, nil, .unsynced),
                Look(3_000, century, synced, nil, .unsynced),
                Look(4_000, ClockMachine.earliest - midnight, synced, ClockMachine.earliest - midnight, .synced),
            ]),
        Story(
            "the system's clock as it is, where that is wanted, but not in 1970",
            [Look(1_000, -midnight, lost, nil, .unsynced), Look(2_000, 5, lost, 5, .synced)], configuration: trusting),
        Story(
            "a clock that is set while nobody vouches for it changes no times, ahead or back",
            [
                Look(1_000, 0, synced, 0, .synced), Look(2_000, 3_600_000, lost, 1_000, .holdover),
                Look(3_000, -3_600_000, lost, 2_000, .holdover), Look(4_000, -midnight, lost, 3_000, .holdover),
                Look(5_000, 4_000, synced, 4_000, .synced),
            ]),
        Story(
            "a step is noticed before the second in which the kernel's last word counts is over",
            [
                Look(1_000, 0, synced, 0, .synced), Look(1_100, 3_600_000, lost, 100, .holdover),
                Look(1_200, 60_000, synced, 60_000, .synced),
            ]),
        Story(
            "a step that the kernel vouches for counts, also far back",
            [
                Look(1_000, 0, synced, 0, .synced), Look(1_500, 86_400_000, synced, 86_400_000, .synced),
                Look(2_000, 1_000, synced, 1_000, .synced),
            ]),
        Story(
            "the time service's marker does where the kernel is not told",
            [
                Look(60_000, 0, marked(-10_000), 0, .synced),
                Look(3_660_000, 3_600_000, marked(-10_000), 3_600_000, .synced),
            ]
        ),
        Story(
            "a marker from before the boot, or from the future, is none: the clock was set since",
            [
                Look(60_000, 0, marked(-62_000), nil, .unsynced), Look(61_000, 1_000, marked(4_000), nil, .unsynced),
                // Set ahead by an hour: the boot is made to look later than the marker.
                Look(62_000, 3_600_000, marked(-10_000), nil, .unsynced),
                Look(63_000, 3_000, marked(-10_000), 3_000, .synced),
            ]),
        Story(
            "an old marker is no present synchronisation",
            [
                Look(40_100_000, 0, marked(-40_050_000), nil, .unsynced),
                Look(40_101_000, 1_000, marked(0), 1_000, .synced),
            ]),
        Story(
            "a marker does not hide that the kernel's clock was lost, unless it is newer",
            [
                Look(60_000, 0, synced, 0, .synced),
                Look(61_000, 1_000, marked(-100), 1_000, .holdover),
                Look(62_000, 2_000, marked(1_500), 2_000, .synced),
            ]),
        Story(
            "a wrong time that was believed is taken back when a better one comes",
            [
                Look(1_000, 3_600_000, lost, 3_600_000, .synced), Look(2_000, 1_000, synced, 1_000, .synced),
                Look(3_000, 2_000, lost, 2_000, .synced),
            ], configuration: trusting),
    ]

    static let leapSeconds: [Story] = [
        Story(
            "time stands still in a leap second, and does not go back",
            [
                Look(1_000, -1_500, ClockWord(isSynchronized: true, leap: .insert), -1_500, .synced),
                Look(2_490, -10, ClockWord(isSynchronized: true, leap: .insert), -10, .synced),
                // 23:59:59.000 a second time.
                Look(2_500, -1_000, ClockWord(isSynchronized: true, leap: .inProgress), -10, .synced),
                Look(3_000, -500, ClockWord(isSynchronized: true, leap: .inProgress), -10, .synced),
                Look(3_490, -10, ClockWord(isSynchronized: true, leap: .inProgress), -10, .synced),
                Look(3_500, 0, ClockWord(isSynchronized: true, leap: .none), 0, .synced),
            ]),
        Story(
            "a second that the day lacks is left out",
            [
                Look(1_000, -1_500, ClockWord(isSynchronized: true, leap: .delete), -1_500, .synced),
                Look(1_499, -1_001, ClockWord(isSynchronized: true, leap: .delete), -1_001, .synced),
                Look(1_500, 0, ClockWord(isSynchronized: true), 0, .synced),
            ]),
    ]

    @Test(
        "readings get the confirmed time, whatever happens to the system's clock", arguments: stories)
    func times(of story: Story) { tell(story) }

    @Test("no time goes back in a leap second, and none is made up", arguments: leapSeconds)
    func leapSecond(_ story: Story) { tell(story) }

    private func tell(_ story: Story) {
        var machine = ClockMachine(boot: "5e0c91aa", story.configuration)
        for look in story.looks {
            let sample = ClockSample(uptime: look.uptime, unix: midnight + look.system)
            if machine.wantsWord(at: sample) { machine.receive(look.word, at: sample) }
            let expected = TimeStamp(
                boot: "5e0c91aa", uptimeMilliseconds: look.uptime,
                unixMilliseconds: look.expected.map { midnight + $0 },
                quality: look.quality)
            #expect(machine.stamp(at: sample) == expected)
        }
    }

    @Test("the kernel is asked once a second, and after a change of the clock, not once a stamp")
    func caching() {
        var machine = ClockMachine(boot: "5e0c91aa", .init())
        var questions = 0
        func stamps(_ range: Range<Int64>, offset: Int64) {
            for uptime in range {
                let sample = ClockSample(uptime: uptime, unix: midnight + uptime + offset)
                guard machine.wantsWord(at: sample) else { continue }
                questions += 1
                machine.receive(Self.lost, at: sample)
            }
        }
        stamps(10_000..<13_000, offset: 0)
        #expect(questions == 3)
        stamps(13_000..<13_500, offset: 0)
        stamps(13_500..<14_000, offset: 60_000)
        #expect(questions == 5 && machine.steps == 1 && machine.lastStep == 60_000)
    }

    @Test("the system's clocks answer")
    func realSources() {
        let clock = SystemClock(requireSynchronization: false)
        let stamp = clock.stamp()
        #expect(stamp.boot.count == 8)
        #expect(stamp.uptimeMilliseconds > 0)
        #expect(stamp.unixMilliseconds ?? 0 > ClockMachine.earliest)
        let status = SystemClock(requireSynchronization: true).status
        #expect(status.boot == stamp.boot && status.kernelErrorMs >= 0)
        #expect(abs(status.systemUnixMs - (stamp.unixMilliseconds ?? 0)) < 60_000)
    }
}
