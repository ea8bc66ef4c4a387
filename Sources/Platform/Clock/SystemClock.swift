// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Synchronization

/// The clock of this machine: always the boot's own time, and the wall time when there is reason to trust it.
package final class SystemClock: WallClock {
    /// The sources of the clock's times; tests use their own.
    package struct Sources: Sendable {
        /// The first 8 digits of the kernel's boot id.
        package var boot: String
        package var sample: @Sendable () -> ClockSample
        package var word: @Sendable () -> ClockWord

        package init(
            boot: String, sample: @escaping @Sendable () -> ClockSample, word: @escaping @Sendable () -> ClockWord
        ) {
            self.boot = boot
            self.sample = sample
            self.word = word
        }
    }

    private let sources: Sources
    private let machine: Mutex<ClockMachine>

    package init(_ configuration: ClockConfiguration, sources: Sources = .system) {
        self.sources = sources
        machine = Mutex(ClockMachine(boot: sources.boot, configuration))
    }

    package convenience init(requireSynchronization: Bool, sources: Sources = .system) {
        self.init(ClockConfiguration(requiresSynchronization: requireSynchronization), sources: sources)
    }

    package func stamp() -> TimeStamp { withMachine { $0.stamp(at: $1) } }

    package var anchor: ClockAnchor? { withMachine { machine, _ in machine.anchor } }

    package var status: ClockStatus { withMachine { $0.status(at: $1) } }

    /// Takes the time from a trusted phone or person. The time's error is ``ClockMachine/givenError``, and grows with
    /// every hour. Within the configuration's bound, the time counts as synchronised. The system's own clock is not
    /// touched; if a source vouches for the system's clock, now or later, the system's clock wins. A time far from all
    /// known times is only taken from a sender who insists.
    package func trust(unixMilliseconds: Int64, insists: Bool = false) -> ClockTrust {
        withMachine { $0.trust(unixMilliseconds: unixMilliseconds, insists: insists, at: $1) }
    }

    /// Takes over the journal's offset of this boot from an earlier run: Unix time minus uptime in milliseconds.
    package func restore(offset: Int64) { withMachine { $0.restore(offset: offset, at: $1) } }

    package var boot: String { sources.boot }

    private func withMachine<Result: Sendable>(_ body: (inout ClockMachine, ClockSample) -> Result) -> Result {
        let sample = sources.sample()
        return machine.withLock { machine in
            if machine.wantsWord(at: sample) { machine.receive(sources.word(), at: sample) }
            return body(&machine, sample)
        }
    }
}
