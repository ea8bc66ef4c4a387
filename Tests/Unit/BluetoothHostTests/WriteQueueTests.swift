// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Testing

/// The times of writes of files that peers may change.
struct WriteQueueTests {
    private typealias Queue = WriteQueue<String>

    enum Step: Sendable {
        case record(String, WriteQueue<String>.Urgency, at: Int)
        /// Files taken at this second, one after the other.
        case take([String], at: Int)
        /// Files taken at a stop.
        case flush([String], at: Int)
        /// The second at which the next file is due.
        case due(Int?)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]

        init(_ testDescription: String, _ steps: [Step]) {
            self.testDescription = testDescription
            self.steps = steps
        }
    }

    /// Three seconds of delay; two writes in a row, then one in ten seconds.
    private static let pace = WritePace(delay: .seconds(3), burst: 2, interval: .seconds(10))

    static let rows: [Row] = [
        Row(
            "what may be later waits, and one entry stands for all changes",
            [
                .due(nil), .record("a", .later, at: 0), .record("a", .later, at: 1), .record("a", .later, at: 2),
                .due(3),
                .take([], at: 2), .take(["a"], at: 3), .due(nil), .take([], at: 100),
            ]),
        Row(
            "what is urgent does not wait, and takes the rest of its file along",
            [.record("a", .later, at: 0), .record("a", .now, at: 1), .due(1), .take(["a"], at: 1), .due(nil)]),
        Row(
            "what is urgent stays so when something follows that is not",
            [.record("a", .now, at: 0), .record("a", .later, at: 0), .due(0), .take(["a"], at: 0), .due(nil)]),
        Row(
            "removals come before all others, then keys, then the rest in order",
            [
                .record("a", .later, at: 0), .record("b", .later, at: 0), .record("c", .now, at: 5),
                .record("d", .now, at: 5),
                .record("e", .first, at: 5), .record("b", .first, at: 5), .take(["b", "e", "c", "d", "a"], at: 5),
            ]),
        Row(
            "a file that changes without end is written twice, and then once in ten seconds",
            [
                .record("a", .later, at: 0), .take(["a"], at: 3), .record("a", .later, at: 3), .due(6),
                .take(["a"], at: 6), .record("a", .later, at: 6), .due(13), .take([], at: 12), .take(["a"], at: 13),
                .record("a", .later, at: 13), .due(23), .record("b", .later, at: 14), .due(17), .take(["b"], at: 17),
                .take(["a"], at: 23),
            ]),
        Row(
            "a quiet file has its budget again",
            [
                .record("a", .now, at: 0), .take(["a"], at: 0), .record("a", .now, at: 0), .take(["a"], at: 0),
                .record("a", .later, at: 20), .due(23),
            ]),
        Row(
            "the debt of urgent writes has a limit",
            [
                .record("a", .now, at: 0), .take(["a"], at: 0), .record("a", .now, at: 0), .take(["a"], at: 0),
                .record("a", .now, at: 0), .take(["a"], at: 0), .record("a", .now, at: 0), .take(["a"], at: 0),
                .record("a", .later, at: 0), .due(10),
            ]),
        Row(
            "a stop takes each file once, the urgent first",
            [.record("a", .later, at: 0), .record("b", .now, at: 0), .flush(["b", "a"], at: 0), .due(nil)]),
    ]

    @Test func `what was urgent once stays urgent until it is written`() {
        let pace = WritePace(delay: .seconds(5), burst: 4, interval: .seconds(60))
        for (first, second) in [(WriteQueue<Int>.Urgency.first, WriteQueue<Int>.Urgency.later), (.later, .first)] {
            var queue = WriteQueue<Int>(pace: pace)
            queue.record(7, first, at: .zero)
            queue.record(7, second, at: .zero)
            let key = queue.next(before: queue.nextNumber, atLeast: .first, at: .zero)
            #expect(key == 7 && queue.count == 0, "\(first), \(second)")
        }
    }

    @Test(arguments: rows)
    func script(_ row: Row) {
        var queue = Queue(pace: Self.pace)
        func time(_ second: Int) -> MonotonicTime { .zero + .seconds(1_000 + second) }
        for step in row.steps {
            switch step {
            case .record(let key, let urgency, let second): queue.record(key, urgency, at: time(second))
            case .due(let second): #expect(queue.deadline == second.map(time), "\(step)")
            case .take(let keys, let second):
                var taken: [String] = []
                while let key = queue.next(at: time(second)) { taken.append(key) }
                #expect(taken == keys, "\(step)")
            case .flush(let keys, let second):
                var taken: [String] = []
                let number = queue.nextNumber
                while let key = queue.next(before: number, at: time(second)) {
                    taken.append(key)
                    // A peer goes on meanwhile.
                    queue.record(key, .later, at: time(second))
                }
                #expect(taken == keys && queue.count == keys.count, "\(step)")
                while queue.next(before: .max, at: time(second)) != nil {}
            }
        }
    }

    @Test func `a hundred thousand changes of a hundred files are a hundred entries`() {
        var queue = Queue(pace: Self.pace)
        for number in 0..<100_000 { queue.record("\(number % 100)", .later, at: .zero) }
        #expect(queue.count == 100)
    }
}
