// SPDX-License-Identifier: Apache-2.0

import Testing

/// Collector, publisher and journal get the time as an argument, or from a given clock, so that a whole gateway can run in virtual time.
@Suite("Clocks")
struct ClockTests {
    /// The remaining reads of a clock, by module. Timers and waits begin in `Platform` (`DispatchWaits.swift`).
    private static let left = ["Collector": 0, "Journal": 0, "Publisher": 0]

    private static func reads(in code: Substring) -> Int {
        let types = code.matches(
            of:
                /\b(MonotonicTime|MonotonicClock|ContinuousClock|SuspendingClock|DispatchTime|DispatchWallTime|Date)\.now\b/
        )
        let members = code.matches(of: /(^|[^\w)\]?!.])\.now\b/)
        let others = code.matches(
            of:
                /\bDate\(\)|\bclock_gettime\b|\b(ContinuousClock|SuspendingClock)\(\)|\bKernelClock\.(uptime|unix|sample)/
        )
        let foreign = code.matches(of: /systemUptime\b|\btime\((nil|&)|\bgettimeofday\b/)
        return types.count + members.count + others.count + foreign.count
    }

    @Test("no module reads a clock of its own", arguments: left.keys.sorted())
    func reads(module: String) throws {
        var found: [String] = []
        for file in try Repository.files(below: "Sources/\(module)") where file.hasSuffix(".swift") {
            for line in try Repository.text(file).split(separator: "\n") {
                let code = line.trimmingPrefix { $0 == " " }
                guard !code.hasPrefix("//") else { continue }
                found += Array(repeating: "\(file): \(code)", count: Self.reads(in: code))
            }
        }
        let left = try #require(Self.left[module])
        #expect(
            found.count == left,
            "\(module) reads clocks in \(found.count) places, and may in \(left):\n\(found.joined(separator: "\n"))")
    }

    @Test(arguments: [
        ("let now = MonotonicTime.now", 1), ("f(at: .now)", 1), (".now", 1), ("end - .now", 1),
        ("x(.now() + .seconds(1))", 1),
        ("Date()", 1), ("let t = ContinuousClock.now - DispatchTime.now()", 2),
        ("clock_gettime(CLOCK_MONOTONIC, &time)", 1),
        ("let now = ProcessInfo.processInfo.systemUptime", 1), ("time(nil)", 1), ("time(&now)", 1),
        ("gettimeofday(&now, nil)", 1), ("time(of: reading)", 0), ("moment.now", 0), ("clock.now + wait", 0),
        ("clock.now()", 0), ("Date(timeIntervalSince1970: 0)", 0),
        ("self.nowhere", 0),
        ("case .nowhere", 0),
    ])
    func `the test finds what reads a clock`(code: String, reads: Int) {
        #expect(Self.reads(in: code[...]) == reads)
    }
}
