// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CLinux
import Glibc

/// Linux' knowledge of time.
package enum KernelClock {
    /// The first 8 hexadecimal digits of the kernel's boot id; zeros if the file does not exist.
    package static let boot: String = {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "00000000" }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 64)
        let count = fread(&line, 1, line.count, file)
        let digits = line.prefix(count).prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "\n") }
        return digits.count == 8 ? String(decoding: digits, as: UTF8.self) : "00000000"
    }()

    package static func uptimeMilliseconds() -> Int64 { milliseconds(of: CLOCK_BOOTTIME) }
    package static func unixMilliseconds() -> Int64 { milliseconds(of: CLOCK_REALTIME) }

    /// Both clocks at one moment: read again if an interruption came between.
    package static func sample() -> ClockSample {
        var best = ClockSample(uptime: 0, unix: 0)
        var narrowest = Int64.max
        for _ in 0..<8 {
            let before = uptimeMilliseconds()
            let unix = unixMilliseconds()
            let width = uptimeMilliseconds().subtractingSaturated(before)
            if width < narrowest { (best, narrowest) = (ClockSample(uptime: before, unix: unix), width) }
            if width <= 1 { break }
        }
        return best
    }

    /// Whether a time service keeps the kernel's clock right; nil if the kernel refuses the question, as in some
    /// containers.
    package static var isSynchronized: Bool? {
        var state = timex()
        let answer = adjtimex(&state)
        return answer < 0 ? nil : isSynchronized(answer, state)
    }

    private static func isSynchronized(_ answer: Int32, _ state: timex) -> Bool {
        answer >= 0 && answer != TIME_ERROR && state.status & STA_UNSYNC == 0
    }

    package static func word() -> ClockWord {
        var state = timex()
        let answer = adjtimex(&state)
        let leap: LeapSecond =
            switch answer {
            case TIME_INS: .insert
            case TIME_DEL: .delete
            case TIME_OOP: .inProgress
            default: .none
            }
        return ClockWord(
            isSynchronized: isSynchronized(answer, state),
            maximumError: Int64(state.maxerror) / 1_000, leap: leap,
            serviceMark: modification(of: "/run/systemd/timesync/synchronized"))
    }

    private static func modification(of path: String) -> Int64? {
        var information = Glibc.stat()
        guard stat(path, &information) == 0 else { return nil }
        return milliseconds(in: information.st_mtim)
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return milliseconds(in: time)
    }

    private static func milliseconds(in time: timespec) -> Int64 {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000)
        return overflow ? 0 : seconds.addingSaturated(Int64(time.tv_nsec) / 1_000_000)
    }
}

extension SystemClock.Sources {
    package static var system: Self {
        Self(boot: KernelClock.boot, sample: KernelClock.sample, word: KernelClock.word)
    }
}
