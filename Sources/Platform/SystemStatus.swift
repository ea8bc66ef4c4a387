// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The state of the gateway's machine. Nil for unreadable values.
package struct SystemStatus: Codable, Equatable, Sendable {
    package struct Disk: Codable, Equatable, Sendable {
        /// Octets that the gateway may still write.
        package var freeBytes: UInt64
        package var totalBytes: UInt64
    }

    /// The disk with the journal.
    package var disk: Disk?
    /// The memory of this process.
    package var memory: MemoryStatus?
    /// Processes that ran or wanted to run, on average of the last minute.
    package var load: Double?
    /// Temperature of the processor, in degrees Celsius.
    package var temperatureC: Double?
    /// Nil on other boards than a Raspberry Pi.
    package var supply: PowerSupply?
    /// The files with certificates that the configuration names; nil for none.
    package var certificates: [CertificateStatus]?

    /// From this temperature in degrees Celsius on, a Raspberry Pi slows itself down.
    package static let hot = 80.0
    /// The kernel's file with the temperature of the processor, in thousandths of a degree Celsius.
    package static let thermometer = "/sys/class/thermal/thermal_zone0/temp"

    /// Degrees Celsius, from the text of ``thermometer``.
    package static func degrees(_ milli: String) -> Double? {
        Double(milli.prefix { $0.isNumber || $0 == "-" }).map { $0 / 1000 }
    }

    package init(
        disk: Disk? = nil, memory: MemoryStatus? = nil, load: Double? = nil, temperatureC: Double? = nil,
        supply: PowerSupply? = nil, certificates: [CertificateStatus]? = nil
    ) {
        (self.disk, self.memory, self.load, self.temperatureC) = (disk, memory, load, temperatureC)
        (self.supply, self.certificates) = (supply, certificates)
    }

    /// Asks the kernel; a hanging disk blocks the call.
    ///
    /// - Parameters:
    ///   - path: Any path on the disk.
    ///   - memory: The memory of this process, if known.
    package static func now(disk path: String, memory: MemoryStatus?) -> SystemStatus {
        SystemStatus(
            disk: disk(at: path), memory: memory,
            load: text("/proc/loadavg").flatMap { $0.split(separator: " ").first.flatMap { Double($0) } },
            temperatureC: text(thermometer).flatMap(degrees),
            supply: text(PowerSupply.path).flatMap(PowerSupply.init(flags:)))
    }

    /// Nil if the path does not exist.
    package static func disk(at path: String) -> Disk? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = UInt64(status.f_frsize)
        return Disk(
            freeBytes: block.multipliedReportingOverflow(by: UInt64(status.f_bavail)).partialValue,
            totalBytes: block.multipliedReportingOverflow(by: UInt64(status.f_blocks)).partialValue)
    }

    /// The beginning of one of the kernel's files.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &octets, octets.count)
        return count > 0 ? String(decoding: octets[..<count], as: UTF8.self) : nil
    }
}
