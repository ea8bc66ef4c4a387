// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HCITransport
import Health
import Platform

/// The machine for the checks: files below ``root``, and answers of the kernel. Changes nothing.
package struct Surroundings: Sendable {
    /// The beginning of every path; empty on the machine itself, a folder in tests.
    package var root = ""
    /// The user of this process.
    package var user = geteuid()
    /// Whether the kernel knows Bluetooth sockets; nil if the question is forbidden.
    package var hasBluetooth: @Sendable () -> Bool? = { AdapterState.kernelKnowsBluetooth }
    /// The kernel's state of an adapter; nil if unknown.
    package var adapter: @Sendable (UInt16) -> AdapterState? = { AdapterState(index: $0) }
    /// Free and total octets of the disk with a path.
    package var disk: @Sendable (String) -> (free: UInt64, total: UInt64)? = { path in
        SystemStatus.disk(at: path).map { ($0.freeBytes, $0.totalBytes) }
    }
    /// Seconds since 1970.
    package var now: @Sendable () -> Int64 = { Int64(time(nil)) }
    /// Whether a time source vouches for the clock, according to the kernel; nil if unknown.
    package var isClockSynchronized: @Sendable () -> Bool? = { KernelClock.isSynchronized }
    /// systemd's properties of a unit; nil without systemd.
    package var unit: @Sendable (String) -> [String: String]? = { Systemd.properties(of: $0) }

    package init() {}

    /// The beginning of a file, 64 KiB at most; nil if unreadable.
    func text(_ path: String, limit: Int = 64 << 10) -> String? {
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let part = octets.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), limit - count)
            }
            guard part > 0 else {
                if part < 0, count == 0 { return nil }
                break
            }
            count += part
        }
        return String(decoding: octets.prefix(count), as: UTF8.self)
    }

    /// The content of a file of one line.
    func line(_ path: String) -> String? {
        text(path, limit: 4_096).map { $0.trimmingCharacters(in: .whitespacesAndNewlines.union(["\0"])) }
    }

    func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    func isWritable(_ path: String) -> Bool { access(root + path, W_OK) == 0 }

    /// The names in a folder, sorted; empty if unreadable.
    func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
    }

    /// The target of a link, if below ``root``.
    func target(of path: String) -> String? {
        guard let resolved = realpath(root + path, nil) else { return nil }
        defer { free(resolved) }
        let target = String(cString: resolved)
        guard !root.isEmpty else { return target }
        let base = realpath(root, nil).map { pointer -> String in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        guard let base, target.hasPrefix(base) else { return nil }
        return String(target.dropFirst(base.count))
    }

    /// Process identifiers and arguments of processes with this name.
    func processes(named wanted: String) -> [(identifier: Int32, arguments: [String])] {
        names(in: "/proc").compactMap { name in
            guard let identifier = Int32(name), identifier != getpid(), line("/proc/\(name)/comm") == wanted else {
                return nil
            }
            let words = text("/proc/\(name)/cmdline", limit: 4_096) ?? ""
            return (identifier, words.split(separator: "\0").map(String.init))
        }
    }

    /// The machine's model: `Raspberry Pi 4 Model B Rev 1.5`.
    var model: String? { line("/proc/device-tree/model") ?? line("/sys/class/dmi/id/product_name") }

    var isRaspberryPi: Bool { model?.hasPrefix("Raspberry Pi") ?? false }

    /// The engine of this container; nil outside of containers.
    var engine: ContainerEngine? { ContainerEngine.found(exists) { text($0, limit: 128) } }

    var isContainer: Bool {
        engine != nil
            || text("/proc/1/environ")?.split(separator: "\0").contains { $0.hasPrefix("container=") } ?? false
    }

    var hasSystemd: Bool { exists("/run/systemd/system") }
}
