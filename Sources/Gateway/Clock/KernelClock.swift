// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// What Linux says of time.
package enum KernelClock {
    /// The first 8 hexadecimal digits of the kernel's boot id; zeros where there is no such file.
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

    /// True when something disciplines the kernel's clock and its error is bounded.
    package static func isSynchronized() -> Bool {
        var state = timex()
        let answer = adjtimex(&state)
        return answer >= 0 && answer != TIME_ERROR && state.status & STA_UNSYNC == 0
    }

    /// True when systemd-timesyncd has set the clock in this boot.
    package static func isMarkedSynchronized() -> Bool {
        access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension SystemClock.Sources {
    package static var system: Self {
        Self(
            boot: KernelClock.boot, uptimeMilliseconds: KernelClock.uptimeMilliseconds,
            unixMilliseconds: KernelClock.unixMilliseconds, kernelSynchronized: KernelClock.isSynchronized,
            serviceSynchronized: KernelClock.isMarkedSynchronized)
    }
}
