// SPDX-License-Identifier: Apache-2.0

/// The promises at a cut: all earlier marks together.
package struct Expectation: Sendable {
    package private(set) var confirmed: Set<ReadingNumber> = []
    package private(set) var acknowledged: Set<Int64> = []
    package private(set) var givenUp: Set<Int64> = []
    /// Rows whose deletion is durable: they may not come back.
    package private(set) var settled: Set<Int64> = []
    /// Which reading went out under which number.
    package private(set) var handedOut: [Int64: ReadingNumber] = [:]
    package private(set) var highestRow: Int64 = 0
    /// Numbers under which two different readings went out.
    package private(set) var conflicts: Set<Int64> = []
    private var settling: [Int64] = []
    private var settledCount = 0

    package init() {}

    package mutating func add(_ mark: Mark) {
        switch mark {
        case .confirmed(let readings): confirmed.formUnion(readings)
        case .refused: break
        case .handedOut(let rows):
            for row in rows {
                if let known = handedOut.updateValue(row.reading, forKey: row.n), known != row.reading {
                    conflicts.insert(row.n)
                }
                highestRow = max(highestRow, row.n)
            }
        case .acknowledged(let rows):
            acknowledged.formUnion(rows)
            settling += rows
        case .givenUp(let rows):
            givenUp.formUnion(rows)
            settling += rows
        case .settled(let count):
            let end = min(count, settling.count)
            guard end > settledCount else { return }
            settled.formUnion(settling[settledCount..<end])
            settledCount = end
        }
    }
}
