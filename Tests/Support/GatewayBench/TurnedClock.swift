// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Platform

/// The clocks of a machine, which a test turns.
final class TurnedClock: Sendable {
    private struct State {
        var sample: ClockSample
        var word = ClockWord(isSynchronized: false, maximumError: 16_000)
    }

    private let state: Mutex<State>
    private let boot: String

    init(boot: String = "5e0c91aa", uptime: Int64 = 1_000, unix: Int64 = 0) {
        self.boot = boot
        state = Mutex(State(sample: ClockSample(uptime: uptime, unix: unix)))
    }

    /// The clock over these; each is a new run of the gateway.
    func makeClock(_ configuration: ClockConfiguration = .init()) -> SystemClock {
        SystemClock(
            configuration,
            sources: SystemClock.Sources(
                boot: boot, sample: { self.state.withLock { $0.sample } }, word: { self.state.withLock { $0.word } }))
    }

    /// Time passes.
    func pass(_ milliseconds: Int64) {
        state.withLock { state in
            state.sample.uptime += milliseconds
            state.sample.unix += milliseconds
        }
    }

    /// Sets the system's clock. `isSynchronized`: whether a time service reports it as synchronized.
    func set(unix: Int64, isSynchronized: Bool) {
        state.withLock { state in
            state.sample.unix = unix
            state.word = ClockWord(isSynchronized: isSynchronized, maximumError: isSynchronized ? 10 : 16_000)
        }
    }
}
