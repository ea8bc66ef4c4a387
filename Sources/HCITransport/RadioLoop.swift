// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Synchronization

/// The radio thread. It waits for the controller's descriptor, a wake-up descriptor and the nearest deadline, and is
/// the executor of the actor that owns the protocol state. Packets never leave this thread one by one.
package final class RadioLoop: SerialExecutor, Sendable {
    /// The events that the loop waits for; the loop asks before each wait.
    package struct Interest: Sendable {
        package var descriptor: Int32?
        package var reading = true
        package var writing = false
        package var deadline: MonotonicTime?

        package init(descriptor: Int32? = nil) { self.descriptor = descriptor }
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        var wakeUpPending = false
        var stopped = false
        /// The thread takes no work any more.
        var hasEnded = false
    }

    private let state = Mutex(State())
    /// Both ends of a pipe: an octet in the pipe ends the wait.
    private let wakeUpReader: Int32
    private let wakeUpWriter: Int32
    private let threadID = Atomic<UInt>(0)

    package init() {
        var ends: [Int32] = [-1, -1]
        // No input leads here. The failure happens at start, when the process has no descriptors left. A loop without a
        // wake-up would hang in silence.
        guard pipe(&ends) == 0 else { preconditionFailure("no descriptors left for the radio thread's wake-up") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        wakeUpReader = ends[0]
        wakeUpWriter = ends[1]
    }

    deinit {
        Glibc.close(wakeUpReader)
        Glibc.close(wakeUpWriter)
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        wake()
    }

    package func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "protocol state was touched outside the radio thread")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        threadID.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Makes the loop take a turn soon. Any thread.
    package func wake() {
        let needed = state.withLock { state in
            defer { state.wakeUpPending = true }
            return !state.wakeUpPending
        }
        guard needed else { return }
        var one: UInt8 = 1
        _ = Glibc.write(wakeUpWriter, &one, 1)
    }

    /// Runs `work` on the radio thread, in the order of calls; not at all once the loop has ended. Any thread.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        // Work that waits for ever would keep the loop, and the owner of the loop with it.
        let isTaken = state.withLock { state in
            if !state.hasEnded { state.work.append(work) }
            return !state.hasEnded
        }
        if isTaken { wake() }
    }

    /// Ends the loop after the present turn. Any thread may call this.
    package func stop() {
        state.withLock { $0.stopped = true }
        wake()
    }

    /// Starts the thread. The thread runs `turn` once before each wait; `readable` says whether the descriptor was
    /// ready.
    package func start(name: String, turn: @escaping @Sendable (_ readable: Bool) -> Interest) {
        let thread = Thread { [self] in
            threadID.store(UInt(pthread_self()), ordering: .relaxed)
            run(turn)
        }
        thread.name = name
        thread.start()
    }

    private func run(_ turn: (Bool) -> Interest) {
        var readable = false
        while true {
            let (jobs, work, stopped) = state.withLock { state in
                defer { (state.jobs, state.work) = ([], []) }
                state.wakeUpPending = false
                state.hasEnded = state.stopped
                return (state.jobs, state.work, state.stopped)
            }
            for item in work { item() }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            let interest = turn(readable)
            if stopped { return }
            readable = wait(interest)
        }
    }

    private func wait(_ interest: Interest) -> Bool {
        var events: Int32 = 0
        if interest.reading { events |= Int32(POLLIN) }
        if interest.writing { events |= Int32(POLLOUT) }
        // poll ignores a descriptor of -1. A descriptor without wanted events is left out: its hang-ups would make the
        // loop spin.
        let watched = events == 0 ? nil : interest.descriptor
        var descriptors = [
            pollfd(fd: wakeUpReader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watched ?? -1, events: Int16(events), revents: 0),
        ]
        var milliseconds: Int32 = -1
        if let deadline = interest.deadline {
            // Rounded up, so that the deadline has passed when the wait ends.
            let left = (deadline - MonotonicClock.now).wholeNanoseconds
            milliseconds = Int32(clamping: max(0, (left + 999_999) / 1_000_000))
        }
        let count = poll(&descriptors, 2, milliseconds)
        guard count > 0 else { return false }
        if descriptors[0].revents != 0 {
            var octets: UInt64 = 0
            _ = Glibc.read(wakeUpReader, &octets, 8)
        }
        return descriptors[1].revents != 0
    }
}
