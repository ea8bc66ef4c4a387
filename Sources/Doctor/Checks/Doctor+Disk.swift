// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Gateway
import Health
import Journal
import Platform

extension Doctor {
    /// The place of the journal: room, rights, and the kind of disk.
    func disk() -> [Finding] {
        let journal = settings.journal.path
        var folder = (journal as NSString).deletingLastPathComponent
        if folder.isEmpty { folder = "." }
        guard surroundings.exists(folder) else {
            return [
                Finding(
                    "disk", status == nil ? .note : .unknown, "\(folder) is not there yet, or not to be seen",
                    status == nil ? "The service makes it; without the service: \(.machine(.makeFolder, folder))" : nil)
            ]
        }
        let proof = writes()
        var findings = proof
        if let mount = mount(of: folder) {
            if mount.options.contains("ro") {
                findings.append(
                    Finding(
                        "disk", status == nil ? .failure : .note, "\(mount.point) is mounted to be read only",
                        "A card that fails goes read-only: \(.machine(.kernelOnDisk)); then replace it, or: "
                            + "\(.machine(.remount, mount.point))"))
            }
            if ["tmpfs", "ramfs", "overlay"].contains(mount.kind) {
                let isContainer = mount.kind == "overlay"
                findings.append(
                    Finding(
                        "disk", .warning,
                        "\(folder) is on \(mount.kind): what is buffered is gone with the "
                            + (isContainer ? "container" : "power"),
                        isContainer ? "Give the container a volume: docs/containers.md" : "Keep it on a disk or a card."
                    ))
            }
        }
        guard let (free, total) = surroundings.disk(surroundings.root + folder) else {
            return findings + [Finding("disk", .unknown, "how much room there is at \(folder) cannot be found out")]
        }
        let room = "\(free >> 20) MiB free of \(total >> 20) at \(folder)"
        if status != nil {
            // A running gateway has judged the room with its own account.
            let isWell =
                problems(of: "disk").isEmpty && findings.dropFirst(proof.count).allSatisfy { $0.verdict == .fine }
            findings.append(Finding("disk", isWell ? .fine : .note, room))
        } else if free < DiskRoom.tooLittle {
            findings.append(
                Finding(
                    "disk", .failure, room,
                    "Make room: \(.machine(.room)); \(.martlet(.room)) says what the journal takes."))
        } else if free < DiskRoom.little {
            findings.append(Finding("disk", .warning, room, "Make room, or lower [journal] max_mb."))
        } else {
            findings.append(Finding("disk", .fine, room))
        }
        if surroundings.exists(journal), let head = surroundings.text(journal, limit: 15) {
            if head != "SQLite format 3" {
                findings.append(
                    Finding(
                        "disk", head.isEmpty ? .note : .failure,
                        head.isEmpty ? "\(journal) is empty: the gateway begins it" : "\(journal) is no journal",
                        head.isEmpty ? nil : "Move it away: the gateway begins a new one."))
            }
        } else if surroundings.exists(journal) {
            findings.append(
                Finding("disk", .unknown, "\(journal) may not be read by you", "Ask as root: \(.martlet(.doctor))"))
        }
        return findings
    }

    private struct Mount {
        var point: String
        var kind: String
        var options: [Substring]
    }

    private func mount(of path: String) -> Mount? {
        let lines = surroundings.text("/proc/self/mounts", limit: 256 << 10)?.split(separator: "\n") ?? []
        let mounts = lines.compactMap { line -> Mount? in
            let parts = line.split(separator: " ")
            guard parts.count >= 4 else { return nil }
            let point = String(parts[1]).replacingOccurrences(of: "\\040", with: " ")
            guard point == "/" || path == point || path.hasPrefix(point + "/") else { return nil }
            return Mount(point: point, kind: String(parts[2]), options: parts[3].split(separator: ","))
        }
        // Of equal mount points, the last is on top.
        let longest = mounts.map(\.point.count).max()
        return mounts.last { $0.point.count == longest }
    }

    func clock() -> [Finding] {
        let serve: Advice = "\(.machine(.timeService)), and see that UDP port 123 gets out"
        if let clock = status?.time {
            let problems = problems(of: "clock")
            return problems.isEmpty ? [self.clock(of: clock, serve)] : problems
        }
        let now = surroundings.now()
        let date = Date(timeIntervalSince1970: TimeInterval(now)).formatted(.iso8601)
        guard now * 1_000 >= ClockMachine.earliest else {
            return [
                Finding(
                    "clock", .failure, "the clock says \(date), which is in the past: readings wait for the right time",
                    serve)
            ]
        }
        switch surroundings.isClockSynchronized() {
        case true?: return [Finding("clock", .fine, "the clock is right, as the kernel says: \(date)")]
        case false?:
            return [
                Finding(
                    "clock", surroundings.exists("/dev/rtc0") ? .note : .warning,
                    "no time service confirms the clock, which says \(date)", serve)
            ]
        case nil: return [Finding("clock", .unknown, "the kernel does not say whether its clock is right: \(date)")]
        }
    }

    /// A running gateway's view of the time, which may have sources other than the kernel.
    private func clock(of clock: ClockStatus, _ serve: Advice) -> Finding {
        guard let unix = clock.unixMs else {
            return Finding(
                "clock", .note, "the gateway does not know the time yet: readings wait for it",
                serve + "; or, where this machine's date is right: \(.martlet(.clockSet))")
        }
        let date = Date(timeIntervalSince1970: TimeInterval(unix / 1_000)).formatted(.iso8601)
        guard clock.state != "synced" else { return Finding("clock", .fine, "the gateway knows the time: \(date)") }
        return Finding(
            "clock", .note,
            "no time service confirms the time any more (\(clock.state)), the gateway goes on counting: \(date)",
            serve)
    }
}
