// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Limits
import Readings

/// The news about the gateway itself, and the news told so far; a value.
struct GatewayNews {
    private(set) var information: GatewayInformation
    /// The state of image updates; nil if the gateway was not flashed.
    private(set) var update: ImageUpdate?
    /// ``update``, as last told on this connection.
    private var toldUpdate: ImageUpdate?
    /// The problems and changes told so far.
    private var problems = ProblemTelling()
    /// The limits and their events told so far.
    private var limits = LimitTelling()
    /// The gateway's claim to its name; nil: other gateways are not looked for.
    private(set) var claim: NameClaim?
    /// The last radio event that was told.
    private var toldRadio: UInt64 = 0
    private var nextStatistics = MonotonicTime.zero

    init(_ information: GatewayInformation) { self.information = information }

    /// A connection begins: all facts are news there, except single events.
    mutating func begin() {
        toldUpdate = nil
        problems.begin()
        limits.begin()
        nextStatistics = .zero
    }

    /// The receiver may have lost the list of limits, so the next call tells it again.
    mutating func repeatLimits() { limits.repeatList() }

    /// Whether the list of limits is news. If so, the list counts as told.
    mutating func recordLimits(_ news: LimitNews) -> Bool { limits.recordList(news) }

    /// The oldest event of a limit that was not sent.
    func nextLimitEvent(_ news: LimitNews) -> LimitEvent? { limits.nextEvent(news) }

    mutating func sentLimitEvent(_ number: Int64) { limits.sent(number) }

    /// The event of a limit was not taken, and goes again.
    mutating func returnLimitEvent(_ number: Int64) { limits.goBack(to: number) }

    /// - Returns: Whether the information has changed.
    mutating func update(_ information: GatewayInformation) -> Bool {
        guard information != self.information else { return false }
        self.information = information
        return true
    }

    // MARK: - Updates

    mutating func update(_ update: ImageUpdate?) { self.update = update }

    /// The untold state of updates; nil if there is no news. The returned state counts as told.
    mutating func takeUpdate() -> ImageUpdate? {
        guard let update, update != toldUpdate else { return nil }
        toldUpdate = update
        return update
    }

    /// The receiver may have lost the state, so the next call tells it again.
    mutating func repeatUpdate() { toldUpdate = nil }

    // MARK: - Problems

    /// Whether the list of problems is news. If so, the list counts as told.
    mutating func recordProblems(_ news: ProblemNews, at now: MonotonicTime) -> Bool {
        problems.recordList(news, at: now)
    }

    /// The receiver may have lost the list, so the next call tells it again.
    mutating func repeatProblems() { problems.repeatList() }

    /// The oldest change of a problem that was not told.
    func nextProblemEvent(_ news: ProblemNews) -> ProblemNews.Event? { problems.nextEvent(news) }

    mutating func told(_ event: ProblemNews.Event) { problems.told(event) }

    // MARK: - The claim to the name

    mutating func look(for others: NameClaim) { claim = others }

    /// A connection begins. Returns what to keep for the next process, if it is news.
    mutating func beginClaim(at now: MonotonicTime, from facts: any FactSource) -> String? {
        claim?.begin(at: now, from: facts)
    }

    mutating func endClaim(at now: MonotonicTime) { claim?.end(at: now) }

    /// Whether the gateway begins to listen to its statistics, because its claim has not come back.
    mutating func takeWatch(at now: MonotonicTime) -> Bool { claim?.takeWatch(at: now) == true }

    /// A claim has arrived. Returns whether another gateway of this name was noticed by it.
    mutating func heardClaim(_ payload: [UInt8], isRetained: Bool, at now: MonotonicTime) -> Bool {
        notices(at: now) { $0?.heard(payload, isRetained: isRetained, at: now) }
    }

    /// Statistics have arrived. Returns whether another gateway of this name was noticed by them.
    mutating func heardStatistics(_ payload: [UInt8], at now: MonotonicTime) -> Bool {
        notices(at: now) { $0?.heardStatistics(payload, at: now) }
    }

    private mutating func notices(at now: MonotonicTime, _ hear: (inout NameClaim?) -> Void) -> Bool {
        let wasForeign = claim?.isForeign(at: now) == true
        hear(&claim)
        return !wasForeign && claim?.isForeign(at: now) == true
    }

    /// Whether an answer to another's claim is due. If so, the answer counts as sent.
    mutating func takeAnswer(at now: MonotonicTime) -> Bool { claim?.takeAnswer(at: now) == true }

    // MARK: - The radio

    /// Whether an event is untold; events are numbered and come in their order.
    func isUntold(_ event: RadioHealth.Event) -> Bool { event.number > toldRadio }

    mutating func told(_ event: RadioHealth.Event) { toldRadio = max(toldRadio, event.number) }

    // MARK: - Statistics

    func statisticsWait(from now: MonotonicTime) -> Duration { nextStatistics - now }

    /// Whether statistics are due. If so, the next statistics are due after `interval`.
    mutating func takeStatistics(at now: MonotonicTime, every interval: Duration) -> Bool {
        guard now >= nextStatistics else { return false }
        nextStatistics = now + interval
        return true
    }
}
