// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// What a person has asked of the history lane.
package enum HistoryMode: String, Codable, Sendable {
    case normal
    /// Nothing goes until it is resumed.
    case paused
    /// Without a limit until everything has gone.
    case draining
}

/// The lane of the past: brings what is no longer young to `…/history`, oldest first, at its own pace.
///
/// It reads forward over all rows, up to the first that is young or that the live lane still has, and looks again when
/// that one has got old. Rows go into messages for each sensor; a gathering takes rows enough that messages are worth
/// their cost, and few enough that memory does not grow with the backlog.
struct HistoryLane {
    /// Rows read from the journal at a time.
    static let pageSize = 256
    /// Rows read in one go: live values wait meanwhile.
    static let rowsAtOnce = 1_024
    /// Pages read in one go where all rows are of refused devices.
    static let pagesAtOnce = 8
    /// Rows of one gathering.
    static let gatheringRows = 4_096
    /// Octets of a gathering's messages beyond which it ends.
    static let gatheringOctets = 1 << 20

    var mode = HistoryMode.normal
    var bucket: TokenBucket
    /// Devices that the broker refuses on `…/history`.
    var refused = RefusedDevices()
    /// Messages that are ready to go.
    private var messages: ArraySlice<OutgoingMessage> = []
    /// Rows of the gathering that goes on.
    private(set) var gathered = 0
    private(set) var isGathering = false

    /// The last row read and judged.
    private var cursor: Int64 = 0
    /// Everything of this gathering, and in `messages`, comes after this row.
    private var start: Int64 = 0
    private var page: ArraySlice<JournalRow> = []
    private var mayHaveMore = true
    /// Uptime before which the row after `cursor` is not for history.
    private var lookAgain = Int64.min
    /// Reads one row, to see whether it is for history.
    private var isProbing = false
    private var underway: Set<Int64> = []
    /// Rows that were old enough, and passed over because the live lane keeps them back.
    private var passed: Set<Int64> = []
    /// When to look whether the live lane has let go of them.
    private var nextCatchUp = MonotonicTime.zero

    init(rate: Int) { bucket = TokenBucket(rate: rate) }

    /// Begins anew with the oldest row.
    mutating func begin() {
        goBack(to: 0, underway: [])
        passed.removeAll()
        bucket.forgetCredit()
        refused.beginConnection()
    }

    mutating func noteNewRows() { mayHaveMore = true }

    /// Whether a message may go now, as far as rate and people are concerned.
    mutating func isOpen(at now: MonotonicTime) -> Bool {
        switch mode {
        case .normal: bucket.isOpen(at: now)
        case .paused: false
        case .draining: true
        }
    }

    /// Everything that is for history has been sent.
    func isIdle(at uptime: Int64) -> Bool {
        messages.isEmpty && !isGathering && page.isEmpty && (!mayHaveMore || uptime < lookAgain)
    }

    /// Uptime at which to look again; nil when new rows have to come first.
    var nextLook: Int64? {
        guard messages.isEmpty, !isGathering, page.isEmpty else { return .min }
        return mayHaveMore ? lookAgain : nil
    }

    // MARK: - Reading

    /// The next row to judge; nil when there is none for now.
    mutating func nextRow(from source: any DeliveryRows, at uptime: Int64) throws -> JournalRow? {
        guard uptime >= lookAgain else { return nil }
        for _ in 0...Self.pagesAtOnce {
            while let row = page.popFirst() {
                cursor = row.n
                if !underway.contains(row.n), !refused.contains(row.device) { return row }
            }
            guard mayHaveMore else { return nil }
            let limit = isProbing ? 1 : Self.pageSize
            page = try source.rows(after: cursor, limit: limit)[...]
            mayHaveMore = page.count == limit
        }
        return nil
    }

    /// The row is not for history before `uptime`, and neither are those after it.
    mutating func stop(before row: JournalRow, until uptime: Int64) {
        cursor = row.n - 1
        page = []
        mayHaveMore = true
        lookAgain = uptime
        isProbing = true
    }

    /// The row is in a message now.
    mutating func take() {
        gathered += 1
        isProbing = false
    }

    /// The live lane keeps the row back: those after it do not wait for it.
    mutating func pass(_ row: JournalRow) {
        passed.insert(row.n)
        isProbing = false
    }

    /// The row is not for this lane, and gone.
    mutating func leave() { isProbing = false }

    var hasPassed: Bool { !passed.isEmpty }

    /// Whether to look now what of the rows that were passed over the live lane has let go of; then the next look is after
    /// `interval`.
    mutating func takeCatchUp(at now: MonotonicTime, every interval: Duration) -> Bool {
        guard hasPassed, now >= nextCatchUp else { return false }
        nextCatchUp = now + interval
        return true
    }

    /// Rows that were delivered.
    mutating func forget(_ rows: [Int64]) {
        if hasPassed { passed.subtract(rows) }
    }

    /// Reads again what was passed over and is not `held` any more; only between gatherings, which would be for nothing.
    mutating func catchUp(held: Set<Int64>, underway: Set<Int64>) {
        guard hasPassed, !isGathering, messages.isEmpty else { return }
        let free = passed.subtracting(held)
        guard let first = free.min() else { return }
        passed.subtract(free)
        goBack(to: first - 1, underway: underway)
    }

    mutating func beginGathering() {
        isGathering = true
        gathered = 0
        start = cursor
    }

    mutating func endGathering(_ messages: [OutgoingMessage]) {
        isGathering = false
        for message in messages { self.messages.append(message) }
    }

    /// Reads again after row `n`, or before: nothing that was read and not sent is left out.
    mutating func goBack(to n: Int64, underway: Set<Int64>) {
        if !messages.isEmpty || isGathering { cursor = start }
        cursor = min(n, cursor, page.first.map { $0.n - 1 } ?? .max)
        start = cursor
        page = []
        messages.removeAll()
        isGathering = false
        gathered = 0
        mayHaveMore = true
        lookAgain = .min
        isProbing = false
        self.underway = underway
    }

    // MARK: - Sending

    var hasMessages: Bool { !messages.isEmpty }

    /// The next message, without those of devices that were refused since: their rows are read again later.
    mutating func nextMessage() -> OutgoingMessage? {
        while let message = messages.popFirst() {
            if !refused.contains(message.device) { return message }
        }
        return nil
    }

    mutating func sent(rows: Int) {
        if mode == .normal { bucket.take(rows) }
    }
}
