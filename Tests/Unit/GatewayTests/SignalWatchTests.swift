// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Testing

@testable import martlet

struct SignalWatchTests {
    @Test("an immediate signal is not lost, nor a signal while the queue waits")
    func nothingIsLost() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // Many times, because a watch that is armed later may be early enough by chance.
            for _ in 0..<50 {
                let queue = DispatchQueue(label: "signals")
                let told = DispatchSemaphore(value: 0)
                queue.suspend()
                let watch = SignalWatch()
                watch.on(SIGTERM, SIGHUP, queue: queue) { told.signal() }
                kill(getpid(), SIGTERM)
                kill(getpid(), SIGHUP)
                queue.resume()
                for _ in 0..<2 where told.wait(timeout: .now() + 5) != .success { exit(1) }
                withExtendedLifetime(watch) {}
            }
            exit(0)
        }
    }

    @Test("a released watch takes its signals with it: they are ignored")
    func endedWatch() async {
        await #expect(processExitsWith: .exitCode(0)) {
            SignalWatch().on(SIGTERM, queue: .global()) { exit(1) }
            kill(getpid(), SIGTERM)
            usleep(50_000)
            exit(0)
        }
    }
}
