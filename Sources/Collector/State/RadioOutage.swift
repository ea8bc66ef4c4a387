// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Whether the radio works, as far as sensors are concerned; a value. A controller with a new set-up within seconds counts as working.
struct RadioOutage: Equatable, Sendable {
    enum Fact: Equatable, Sendable {
        case works
        /// It has not worked since that moment, in milliseconds since boot.
        case failed(since: Int64)
        /// It works again since `back`, and had not since `since`.
        case back(since: Int64, back: Int64)
    }

    /// A time without a radio. It tells nothing of sensors: their packets were not heard. In milliseconds since boot.
    struct Pause: Equatable, Sendable {
        var since: Int64
        var back: Int64
    }

    /// The radio's last signs of life, in milliseconds since boot; nil for an unknown time.
    struct Signs: Equatable, Sendable {
        /// An advertisement.
        var advert: Int64?
        /// A packet on a link.
        var link: Int64?

        /// - Parameter isLinked: Packets on links count, too.
        func last(isLinked: Bool) -> Int64? { [advert, isLinked ? link : nil].compactMap { $0 }.max() }
    }

    private struct Failure: Equatable, Sendable {
        var at: Int64
        var signs: Signs
        /// Nil during the failure.
        var back: Int64?
    }

    /// Most kept pauses; the oldest go first.
    private static let capacity = 32

    private var failedAt: Int64?
    private var last: Pause?
    private var pauses: [Pause] = []
    /// The newest failure, and the radio's signs of life at its beginning.
    private var newest: Failure?

    mutating func look(isWorking: Bool, hearing signs: Signs = Signs(), at now: Int64, _ limits: SilenceLimits) {
        guard isWorking else {
            if failedAt == nil { (failedAt, newest) = (now, Failure(at: now, signs: signs)) }
            return
        }
        guard let since = failedAt else { return }
        failedAt = nil
        newest?.back = now
        let pause = Pause(since: since, back: now)
        if isLong(since, now, limits) {
            last = pause
        } else {
            if pauses.count >= Self.capacity { pauses.removeFirst() }
            pauses.append(pause)
        }
    }

    /// The short times without a radio, the present one among them.
    func pauses(at now: Int64, _ limits: SilenceLimits) -> [Pause] {
        guard let failedAt, !isLong(failedAt, now, limits) else { return pauses }
        return pauses + [Pause(since: failedAt, back: max(failedAt, now))]
    }

    /// The newest failure, if the radio had no sign of life for a while before: a time with a deaf radio.
    ///
    /// - Parameter isLinked: Packets on links count, too.
    func deafness(isLinked: Bool, at now: Int64, _ limits: SilenceLimits) -> Pause? {
        guard let newest, let heard = newest.signs.last(isLinked: isLinked),
            newest.at.subtractingSaturated(heard) > limits.pause
        else { return nil }
        return Pause(since: heard, back: newest.back ?? max(heard, now))
    }

    func fact(at now: Int64, _ limits: SilenceLimits) -> Fact {
        if let failedAt, isLong(failedAt, now, limits) { return .failed(since: failedAt) }
        return last.map { .back(since: $0.since, back: $0.back) } ?? .works
    }

    /// When a failure begins to count; nil where none waits for that.
    func nextChange(after now: Int64, _ limits: SilenceLimits) -> Int64? {
        failedAt.map { $0.addingSaturated(limits.radio).addingSaturated(1) }.flatMap { $0 > now ? $0 : nil }
    }

    private func isLong(_ since: Int64, _ now: Int64, _ limits: SilenceLimits) -> Bool {
        now.subtractingSaturated(since) > limits.radio
    }
}
