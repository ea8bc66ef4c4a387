// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Knows when the wall time is right, and gives readings their times.
///
/// Wall time is always uptime plus an offset that a source has vouched for. While no source vouches for the system's
/// clock, its errors change no reading's time: a wrong time set by hand, or the time of an empty battery.
package struct ClockMachine: Sendable {
    /// The base of wall time.
    struct Base: Equatable, Sendable {
        var source: ClockSource
        /// Unix time minus uptime, in milliseconds.
        var offset: Int64
        /// Uptime in milliseconds.
        var learnedAt: Int64
        /// Bound of the error at `learnedAt`, in milliseconds; nil: unknown.
        var error: Int64?

        func error(at uptime: Int64) -> Int64? {
            error.map { $0.addingSaturated(drift(over: uptime.subtractingSaturated(learnedAt))) }
        }
    }

    /// The oldest possible time. No build of this program is older than the compiler that it needs, Swift 6.2 of 15
    /// September 2025: a clock with an earlier time is wrong, whatever source vouches for it.
    package static let earliest: Int64 = 1_757_894_400_000
    /// Later times are nonsense: 1 January 2100.
    package static let latest: Int64 = 4_102_444_800_000
    /// Largest correction without a step back, in milliseconds; a leap second is such a correction. The time stands
    /// still until the clock has caught up.
    package static let smallStep: Int64 = 2_000
    /// Smallest step of the system's clock, in milliseconds: smaller differences come from reading two clocks one after
    /// the other.
    static let noticedStep: Int64 = 20
    /// How long a ``ClockWord`` is valid, in milliseconds.
    static let validity: Int64 = 1_000
    /// Error of a time from a person or a phone, in milliseconds, and of a time service's marker.
    static let givenError: Int64 = 1_000

    let boot: String
    private let requiresSynchronization: Bool
    private let maximumError: Int64

    private(set) var base: Base?
    /// A source vouches for the system's clock now.
    private(set) var isSynchronized = false
    private(set) var anchor: ClockAnchor?
    private var anchorSource = ClockSource.journal
    private(set) var word = ClockWord.nothing
    private var nextWord = Int64.min
    /// The offset of the system's clock at the last question for the kernel's word.
    private var seenOffset: Int64?
    /// The last time that the machine gave.
    private var last = Int64.min
    /// How often the system's clock was set during this run, and by how many milliseconds the last time.
    private(set) var steps = 0
    private(set) var lastStep: Int64?

    package init(boot: String, _ configuration: ClockConfiguration) {
        self.boot = boot
        requiresSynchronization = configuration.requiresSynchronization
        maximumError = configuration.maximumError.wholeMilliseconds
    }

    /// Possible error, in milliseconds, of a clock that ran freely for `milliseconds`: 100 ppm. The crystals of small
    /// boards have up to 50 ppm over their range of temperatures.
    static func drift(over milliseconds: Int64) -> Int64 { max(milliseconds, 0) / 10_000 }

    // MARK: Knowledge

    /// Whether ``receive(_:at:)`` is due: once a second, and as soon as the system's clock was set.
    func wantsWord(at sample: ClockSample) -> Bool {
        guard sample.uptime < nextWord, let seenOffset else { return true }
        return sample.offset.distanceSaturated(to: seenOffset) >= Self.noticedStep
    }

    mutating func receive(_ word: ClockWord, at sample: ClockSample) {
        if let seenOffset, sample.offset.distanceSaturated(to: seenOffset) >= Self.noticedStep {
            steps += 1
            lastStep = sample.offset.subtractingSaturated(seenOffset)
        }
        seenOffset = sample.offset
        nextWord = sample.uptime.addingSaturated(Self.validity)
        self.word = word
        let claim = claim(word, at: sample)
        isSynchronized = claim != nil
        if let claim { learn(claim) }
    }

    private func claim(_ word: ClockWord, at sample: ClockSample) -> Base? {
        guard (Self.earliest..<Self.latest).contains(sample.unix) else { return nil }
        var claim = Base(source: .kernel, offset: sample.offset, learnedAt: sample.uptime, error: word.maximumError)
        if word.isSynchronized, word.maximumError <= maximumError { return claim }
        if let mark = word.serviceMark, let learnedAt = uptime(ofMark: mark, at: sample) {
            claim = Base(source: .timeService, offset: sample.offset, learnedAt: learnedAt, error: Self.givenError)
            if let error = claim.error(at: sample.uptime), error <= maximumError { return claim }
        }
        guard !requiresSynchronization else { return nil }
        return Base(source: .system, offset: sample.offset, learnedAt: sample.uptime, error: nil)
    }

    /// The uptime at which the time service made its marker. Nil when the system's clock was set since then: the marker
    /// would be from before the boot, or from the future. Nil also when the kernel vouched for its clock after the
    /// marker and no longer does: the kernel's withdrawal is newer than the marker.
    private func uptime(ofMark mark: Int64, at sample: ClockSample) -> Int64? {
        let uptime = sample.uptime.subtractingSaturated(sample.unix.subtractingSaturated(mark))
        guard mark >= Self.earliest, uptime >= -Self.validity, uptime <= sample.uptime.addingSaturated(Self.validity)
        else { return nil }
        if let base, base.source == .kernel, base.learnedAt > uptime { return nil }
        return min(uptime, sample.uptime)
    }

    mutating func learn(_ new: Base) {
        base = new
        let doubt = anchor.map { new.offset.distanceSaturated(to: $0.offset) > $0.tolerance(at: new.learnedAt) }
        guard doubt != false || new.source.rank > anchorSource.rank else { return }
        (anchor, anchorSource) = (ClockAnchor(offset: new.offset, uptime: new.learnedAt), new.source)
    }

    /// Takes over the journal's offset of this boot from an earlier run.
    mutating func restore(offset: Int64, at sample: ClockSample) {
        let unix = sample.uptime.addingSaturated(offset)
        guard base == nil, (Self.earliest..<Self.latest).contains(unix) else { return }
        learn(Base(source: .journal, offset: offset, learnedAt: 0, error: nil))
    }

    // MARK: Times

    mutating func stamp(at sample: ClockSample) -> TimeStamp {
        guard let base else {
            return TimeStamp(boot: boot, uptimeMilliseconds: sample.uptime, unixMilliseconds: nil, quality: .unsynced)
        }
        let unix = sample.uptime.addingSaturated(base.offset)
        let isBehind = unix < last && last.subtractingSaturated(unix) <= Self.smallStep
        if !isBehind { last = unix }
        return TimeStamp(
            boot: boot, uptimeMilliseconds: sample.uptime, unixMilliseconds: last,
            quality: quality(of: base, at: sample.uptime))
    }

    private func quality(of base: Base, at uptime: Int64) -> ClockQuality {
        if isSynchronized { return .synced }
        guard base.source == .trusted, let error = base.error(at: uptime) else { return .holdover }
        return error <= maximumError ? .synced : .holdover
    }
}
