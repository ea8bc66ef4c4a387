// SPDX-License-Identifier: Apache-2.0

import Testing

/// Collector, publisher and journal get time and randomness as arguments, or from a given clock and generator, so that a whole gateway can run in virtual time.
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
        // A clock of the machine in place of the caller's, as the value of a parameter or a property.
        let own = code.matches(of: /\b(BootClock|SystemClock)(\.system\b|\(| = \.system\b)|\bclock: \.system\b/)
        return types.count + members.count + others.count + foreign.count + own.count
    }

    @Test("no module reads a clock of its own", arguments: left.keys.sorted())
    func reads(module: String) throws {
        var found: [String] = []
        let words = [
            ".now", "Date()", "clock_gettime", "Clock(", "KernelClock.", "systemUptime", "time(", "gettimeofday",
            "Clock.system", "Clock = .system", "clock: .system",
        ]
        for (file, code) in try Repository.code(below: "Sources/\(module)", with: words) {
            found += Array(repeating: "\(file): \(code)", count: Self.reads(in: code))
        }
        let left = try #require(Self.left[module])
        #expect(
            found.count == left,
            "\(module) reads clocks in \(found.count) places, and may in \(left):\n\(found.joined(separator: "\n"))")
    }

    /// Timers of a module, each with its reason. Other timers and waits begin in `Platform`.
    private static let timers = ["Sources/Collector/CollectorLoop.swift": "the collector's only timer"]

    private static func makesRandomNumbers(_ code: Substring) -> Bool {
        [
            /\.random\((?!.*using:)|\bUUID\(\)|\bSystemRandomNumberGenerator\b|\bgetrandom\(|\barc4random/,
            /\.(?:randomElement|shuffled|shuffle)\(\)/, /\bRandomness\b.*\.system\b|\brandomness: ?\.system\b/,
        ].contains { code.contains($0.wordBoundaryKind(.simple)) }
    }

    private static func makesTimer(_ code: Substring) -> Bool {
        let timer =
            /\basyncAfter\b|\bmakeTimerSource\b|\btimerfd_create\b|\bTask\.sleep\b|\b(?:u|n)?sleep\(|\bTimer\(/
        return code.contains(timer.wordBoundaryKind(.simple))
    }

    @Test("no module makes random numbers of its own, or a second timer", arguments: left.keys.sorted())
    func randomness(module: String) throws {
        var timers: Set<String> = []
        let words = [
            ".random", "UUID()", "NumberGenerator", "arc4random", "getrandom", "shuffle", ".system", "asyncAfter",
            "TimerSource", "timerfd", "sleep(", "Timer(",
        ]
        for (file, code) in try Repository.code(below: "Sources/\(module)", with: words) {
            #expect(!Self.makesRandomNumbers(code), "\(file): \(code): let the caller hand in what chance brings")
            if Self.makesTimer(code) { timers.insert(file) }
        }
        #expect(timers == Set(Self.timers.keys.filter { $0.hasPrefix("Sources/\(module)/") }))
    }

    @Test(arguments: [
        ("backoff.wait(spread: .random(in: 0.8...1.2))", true), ("UUID(uuidString: text) ?? UUID()", true),
        ("var generator = SystemRandomNumberGenerator()", true), ("hosts.shuffled()", true),
        ("randomness: Randomness = .system", true), ("let randomness = Randomness.system", true),
        ("randomness: .system, outlet: outlet", true), ("clock: BootClock = .system", false),
        (".random(in: range, using: &generator)", false), ("loop.spread()", false), ("UUID(uuid: octets)", false),
    ])
    func `the test finds random numbers`(code: String, isRandom: Bool) {
        #expect(Self.makesRandomNumbers(code[...]) == isRandom)
    }

    @Test(arguments: [
        ("queue.asyncAfter(deadline: now + pause) {", true), ("DispatchSource.makeTimerSource(queue: queue)", true),
        ("loop.run(at: now + pause) {", false), ("sleeps(for: pause)", false),
    ])
    func `the test finds a timer`(code: String, isTimer: Bool) { #expect(Self.makesTimer(code[...]) == isTimer) }

    @Test(arguments: [
        ("let now = MonotonicTime.now", 1), ("f(at: .now)", 1), (".now", 1), ("end - .now", 1),
        ("x(.now() + .seconds(1))", 1),
        ("Date()", 1), ("let t = ContinuousClock.now - DispatchTime.now()", 2),
        ("clock_gettime(CLOCK_MONOTONIC, &time)", 1),
        ("let now = ProcessInfo.processInfo.systemUptime", 1), ("time(nil)", 1), ("time(&now)", 1),
        ("gettimeofday(&now, nil)", 1), ("time(of: reading)", 0), ("moment.now", 0), ("clock.now + wait", 0),
        ("clock.now()", 0), ("Date(timeIntervalSince1970: 0)", 0),
        ("init(clock: BootClock = .system, gauge: DiskGauge = .system)", 1), ("let clock = BootClock.system", 1),
        ("Journal(configuration, clock: .system)", 1), ("let clock = SystemClock(configuration)", 1),
        ("init(clock: BootClock, gauge: DiskGauge = .system)", 0),
        ("self.nowhere", 0),
        ("case .nowhere", 0),
    ])
    func `the test finds what reads a clock`(code: String, reads: Int) {
        #expect(Self.reads(in: code[...]) == reads)
    }
}
