// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Measures how long a disk takes to keep data, as in a commit of the journal.
enum DiskProbe {
    static let writes = 50
    /// O_TMPFILE of open(2), a macro that Swift cannot import.
    private static let temporaryFile = 0o20000000 | O_DIRECTORY

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes an invisible file in the folder; nothing is left of it.
    static func measure(in folder: String) throws(Failure) -> SelfTestReport.Disk {
        let descriptor = open(folder, temporaryFile | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(description: "\(folder): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let octets = [UInt8](repeating: 0x5A, count: 4_096)
        var times: [Double] = []
        for number in 0..<writes {
            let begin = clock()
            guard pwrite(descriptor, octets, octets.count, off_t(number * octets.count)) == octets.count,
                fdatasync(descriptor) == 0
            else { throw Failure(description: "\(folder): \(String(cString: strerror(errno)))") }
            times.append(Double(clock() - begin) / 1e6)
        }
        times.sort()
        return SelfTestReport.Disk(
            writes: writes, medianMs: rounded(times[times.count / 2]), worstMs: rounded(times[times.count - 1]))
    }

    private static func rounded(_ milliseconds: Double) -> Double { (milliseconds * 1_000).rounded() / 1_000 }

    private static func clock() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
