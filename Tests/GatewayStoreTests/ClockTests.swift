// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Gateway

@Suite("Clock")
struct ClockTests {
    /// A machine whose clocks the test turns.
    final class Machine: Sendable {
        struct State {
            var uptime: Int64 = 1_000
            var kernel = false
            var service = false
            var questions = 0
        }

        let state = Mutex(State())

        var sources: SystemClock.Sources {
            SystemClock.Sources(
                boot: "5e0c91aa", uptimeMilliseconds: { self.state.withLock { $0.uptime } },
                unixMilliseconds: { self.state.withLock { $0.uptime + 1_700_000_000_000 } },
                kernelSynchronized: {
                    self.state.withLock { state in
                        state.questions += 1
                        return state.kernel
                    }
                },
                serviceSynchronized: { self.state.withLock { $0.service } })
        }

        func set(uptime: Int64, kernel: Bool = false, service: Bool = false) {
            state.withLock { state in
                state.uptime = uptime
                state.kernel = kernel
                state.service = service
            }
        }
    }

    @Test("a stamp has a wall time when the kernel's clock is synchronised, and says when that was lost")
    func qualities() {
        let machine = Machine()
        let clock = SystemClock(requireSynchronization: true, sources: machine.sources)
        #expect(
            clock.stamp()
                == TimeStamp(boot: "5e0c91aa", uptimeMilliseconds: 1_000, unixMilliseconds: nil, quality: .unsynced))
        machine.set(uptime: 2_000, kernel: true)
        #expect(
            clock.stamp()
                == TimeStamp(
                    boot: "5e0c91aa", uptimeMilliseconds: 2_000, unixMilliseconds: 1_700_000_002_000, quality: .synced))
        machine.set(uptime: 3_000, kernel: false, service: true)
        #expect(clock.stamp().quality == .holdover)
        #expect(clock.stamp().unixMilliseconds == 1_700_000_003_000)
        machine.set(uptime: 4_000, kernel: true)
        #expect(clock.stamp().quality == .synced)
    }

    @Test("the time service's marker is enough where the kernel is not told")
    func marker() {
        let machine = Machine()
        machine.set(uptime: 1_000, service: true)
        #expect(SystemClock(requireSynchronization: true, sources: machine.sources).stamp().quality == .synced)
    }

    @Test("without the requirement the system's clock is trusted")
    func trusting() {
        let stamp = SystemClock(requireSynchronization: false, sources: Machine().sources).stamp()
        #expect(stamp.quality == .synced)
        #expect(stamp.unixMilliseconds == 1_700_000_001_000)
    }

    @Test("the kernel is asked once a second, not once a stamp")
    func caching() {
        let machine = Machine()
        let clock = SystemClock(requireSynchronization: true, sources: machine.sources)
        for millisecond in 0..<3_000 {
            machine.set(uptime: 10_000 + Int64(millisecond), kernel: true)
            _ = clock.stamp()
        }
        #expect(machine.state.withLock { $0.questions } == 3)
    }

    @Test("the real sources answer")
    func realSources() {
        let stamp = SystemClock(requireSynchronization: false).stamp()
        #expect(stamp.boot.count == 8)
        #expect(stamp.uptimeMilliseconds > 0)
        #expect(stamp.unixMilliseconds ?? 0 > 1_600_000_000_000)
        _ = SystemClock(requireSynchronization: true).stamp()
    }
}
