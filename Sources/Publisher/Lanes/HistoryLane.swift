// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// A person's setting for the history lane.
package enum HistoryMode: String, Codable, CaseIterable, Sendable {
    case normal
    /// Nothing goes until a person resumes the lane.
    case paused
    /// Without a limit until all rows have gone.
    case draining
}

/// The lane of the past: brings old rows to `…/history`, oldest first, at its own pace.
///
/// The lane reads forward over all rows, up to the first row that is young or still in the live lane. It looks again
/// when this row is old. Rows go into messages for each sensor. A gathering takes enough rows to make messages worth
/// their cost, and few enough that memory does not grow with the backlog.
struct HistoryLane {
    /// Rows read from the journal at a time.
    static let pageSize = 256
    /// Limit of rows read at once, because live values wait meanwhile.
    static let rowsAtOnce = 1_024
    /// Limit of pages read at once, if all rows belong to refused devices.
    static let pagesAtOnce = 8
    /// Limit of rows in a gathering.
    static let gatheringRows = 4_096
    /// A gathering ends when its messages have more octets than this.
    static let gatheringOctets = 1 << 20

    private(set) var mode = HistoryMode.normal
    var bucket: TokenBucket
    /// Devices that the broker refuses on `…/history`.
    var refused = RefusedDevices()
    /// Messages that can go now.
    private var messages: ArraySlice<OutgoingMessage> = []
    /// Rows of the present gathering.
    private(set) var gathered = 0
    private(set) var isGathering = false

    /// The last row read and judged.
    private var cursor: Int64 = 0
    /// All rows of this gathering and of `messages` come after this row.
    private var start: Int64 = 0
    private var page: ArraySlice<JournalRow> = []
    private var mayHaveMore = true
    /// Before this uptime, the row after `cursor` is not for history.
    private var lookAgain = Int64.min
    /// Reads a single row, to see whether the row is for history.
    private var isProbing = false
    private var underway: Set<Int64> = []
    /// Rows that were old enough, but passed over because the live lane holds them back.
    private var passed: Set<Int64> = []
    /// When to check whether the live lane has released these rows.
    private var nextCatchUp = MonotonicTime.zero

    init(rate: Int) { bucket = TokenBucket(rate: rate) }

    mutating func change(to mode: HistoryMode) { self.mode = mode }

    /// Begins again with the oldest row.
    mutating func begin() {
        goBack(to: 0, underway: [])
        passed.removeAll()
        bucket.forgetCredit()
        refused.beginConnection()
    }

    mutating func expectRows() { mayHaveMore = true }

    /// Whether the rate and the mode allow a message now.
    mutating func isOpen(at now: MonotonicTime) -> Bool {
        switch mode {
        case .normal: bucket.isOpen(at: now)
        case .paused: false
        case .draining: true
        }
    }

    /// All rows for history have been sent.
    func isIdle(at uptime: Int64) -> Bool {
        messages.isEmpty && !isGathering && page.isEmpty && (!mayHaveMore || uptime < lookAgain)
    }

    /// Uptime of the next look; nil if new rows have to come first.
    var nextLook: Int64? {
        guard messages.isEmpty, !isGathering, page.isEmpty else { return .min }
        return mayHaveMore ? lookAgain : nil
    }

    // MARK: - Reading

    /// The next row to judge; nil if there is no row now.
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

    /// The row and all later rows are not for history before `uptime`.
    mutating func stop(before row: JournalRow, until uptime: Int64) {
        cursor = row.n - 1
        page = []
        mayHaveMore = true
        lookAgain = uptime
        isProbing = true
    }

    /// The row is in a message now.
    mutating func gather() {
        gathered += 1
        isProbing = false
    }

    /// The live lane holds the row back. Later rows do not wait for the row.
    mutating func pass(_ row: JournalRow) {
        passed.insert(row.n)
        isProbing = false
    }

    /// The row is not for this lane, and is gone.
    mutating func leave() { isProbing = false }

    var hasPassed: Bool { !passed.isEmpty }

    /// Whether to check now for passed rows that the live lane has released. If so, the next check comes after
    /// `interval`.
    mutating func takeCatchUp(at now: MonotonicTime, every interval: Duration) -> Bool {
        guard hasPassed, now >= nextCatchUp else { return false }
        nextCatchUp = now + interval
        return true
    }

    /// The rows were delivered.
    mutating func forget(_ rows: [Int64]) {
        if hasPassed { passed.subtract(rows) }
    }

    /// Reads passed rows again that are no longer `held`; only between gatherings, because a running gathering would be
    /// lost.
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

    /// Reads again from after row `n`, or earlier: no unsent row is left out.
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

    /// The next message, without messages of devices that were refused since. Their rows are read again later.
    mutating func nextMessage() -> OutgoingMessage? {
        while let message = messages.popFirst() {
            if !refused.contains(message.device) { return message }
        }
        return nil
    }

    mutating func sent(rows: Int) {
        if mode == .normal { bucket.spend(rows) }
    }
}
