// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A set of row numbers as runs of consecutive numbers: a whole settled backlog is one run.
package struct RowSet: Equatable, Sendable {
    /// Ascending, with at least one missing number between two runs.
    package private(set) var runs: [ClosedRange<Int64>] = []

    package init() {}

    package init(_ numbers: some Sequence<Int64>) {
        for number in numbers { insert(number...number) }
    }

    package var isEmpty: Bool { runs.isEmpty }

    package func contains(_ number: Int64) -> Bool { end(ofRunWith: number) != nil }

    /// The last number of the run that holds `number`.
    package func end(ofRunWith number: Int64) -> Int64? {
        let index = firstRun(endingAtOrAfter: number)
        guard index < runs.count, runs[index].contains(number) else { return nil }
        return runs[index].upperBound
    }

    package mutating func insert(_ run: ClosedRange<Int64>) {
        // Numbers mostly come in order.
        if let last = runs.last, last.upperBound.addingSaturated(1) < run.lowerBound {
            runs.append(run)
            return
        }
        let first = firstRun(endingAtOrAfter: run.lowerBound.subtractingSaturated(1))
        var merged = run
        var end = first
        while end < runs.count, runs[end].lowerBound <= run.upperBound.addingSaturated(1) {
            merged = min(merged.lowerBound, runs[end].lowerBound)...max(merged.upperBound, runs[end].upperBound)
            end += 1
        }
        if end == first + 1 { runs[first] = merged } else { runs.replaceSubrange(first..<end, with: [merged]) }
    }

    package mutating func formUnion(_ other: RowSet) {
        guard !runs.isEmpty else { return self = other }
        for run in other.runs { insert(run) }
    }

    private func firstRun(endingAtOrAfter number: Int64) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
