// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Doctor
@testable import GatewayBench

@Suite("Faults of the machine")
struct MachineCheckTests {
    @Test func `heat and a weak supply are told`() throws {
        let tree = try Tree()
        #expect(tree.doctor().machine().map(\.verdict) == [.fine])
        try tree.write("/sys/class/thermal/thermal_zone0/temp", "51234\n")
        #expect(tree.doctor().machine().map(\.verdict) == [.fine, .fine])
        try tree.write("/sys/class/thermal/thermal_zone0/temp", "84500\n")
        #expect(tree.doctor().machine().map(\.verdict) == [.fine, .warning])
        let bits = "/sys/devices/platform/soc/soc:firmware/get_throttled"
        for (text, verdict) in [("0", nil), ("50000", Finding.Verdict.warning), ("50005", .failure), ("x", nil)] {
            try tree.write(bits, text + "\n")
            #expect(tree.doctor().machine().dropFirst(2).first?.verdict == verdict, "\(text)")
        }
    }

    @Test func `the disk's room, its mount and what is on it are told apart`() throws {
        let tree = try Tree()
        #expect(tree.doctor().disk().map(\.verdict) == [.note])
        try tree.write("/var/lib/martlet/x")
        #expect(tree.doctor().disk().map(\.verdict) == [.fine])
        try tree.write("/proc/self/mounts", "/dev/root / ext4 rw 0 0\n/dev/x /var/lib ext4 ro,noatime 0 0\n")
        #expect(tree.doctor().disk().map(\.verdict) == [.failure, .fine])
        try tree.write("/proc/self/mounts", "/dev/root / ext4 ro 0 0\ntmpfs /var tmpfs rw 0 0\n")
        #expect(tree.doctor().disk().map(\.verdict) == [.warning, .fine])
        try tree.write("/proc/self/mounts", "/dev/root / ext4 rw 0 0\n")
        tree.surroundings.disk = { _ in (100 << 20, 1 << 33) }
        #expect(tree.doctor().disk().map(\.verdict) == [.warning])
        tree.surroundings.disk = { _ in (5 << 20, 1 << 33) }
        #expect(tree.doctor().disk().map(\.verdict) == [.failure])
        tree.surroundings.disk = { _ in nil }
        #expect(tree.doctor().disk().map(\.verdict) == [.unknown])
        tree.surroundings.disk = { _ in (1 << 33, 1 << 33) }
        try tree.write("/var/lib/martlet/journal.db", "SQLite format 3\0…")
        #expect(tree.doctor().disk().map(\.verdict) == [.fine])
        try tree.write("/var/lib/martlet/journal.db", "something else")
        #expect(tree.doctor().disk().map(\.verdict) == [.fine, .failure])
        try tree.write("/var/lib/martlet/journal.db")
        #expect(tree.doctor().disk().last?.found == "/var/lib/martlet/journal.db is empty: the gateway begins it")
    }

    @Test func `a clock in the past and one that nobody vouches for`() throws {
        let tree = try Tree()
        #expect(tree.doctor().clock().map(\.verdict) == [.fine])
        tree.surroundings.isClockSynchronized = { nil }
        #expect(tree.doctor().clock().map(\.verdict) == [.unknown])
        tree.surroundings.isClockSynchronized = { false }
        #expect(tree.doctor().clock().map(\.verdict) == [.warning])
        try tree.write("/dev/rtc0")
        #expect(tree.doctor().clock().map(\.verdict) == [.note])
        tree.surroundings.now = { 86_400 }
        #expect(tree.doctor().clock().map(\.verdict) == [.failure])
    }

    @Test(
        "a service is judged by systemd's report",
        arguments: [
            ("LoadState=not-found\n", Finding.Verdict.warning, "has no martlet.service"),
            ("LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=0\nUnitFileState=enabled\n", nil, ""),
            (
                "LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=4\nUnitFileState=enabled\n",
                .warning,
                "started again 4 times"
            ),
            ("LoadState=loaded\nActiveState=inactive\nUnitFileState=enabled\n", .failure, "is inactive"),
            (
                "LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nResult=exit-code\nExecMainStatus=78\n",
                .failure, "failed (exit-code, status 78)"
            ),
            ("LoadState=loaded\nActiveState=active\nUnitFileState=disabled\n", .warning, "does not start with"),
        ])
    func service(text: String, verdict: Finding.Verdict?, found: String) throws {
        let tree = try Tree()
        tree.surroundings.unit = { _ in Systemd.parse(text) }
        let finding = tree.doctor().service().dropFirst().first
        #expect(finding?.verdict == verdict)
        if verdict != nil { #expect(finding?.found.contains(found) == true, "\(String(describing: finding))") }
    }

    @Test func `mistakes of the configuration are findings, and so is a file that is not there`() throws {
        let tree = try Tree()
        let missing = tree.doctor("nonsense = 1\n").configurationFindings()
        #expect(missing.count == 1 && missing[0].found == "there is no /etc/martlet/martlet.toml")
        try tree.write("/etc/martlet/martlet.toml", "nonsense = 1\n")
        let mistake = tree.doctor("nonsense = 1\n[mqtt]\nhots = 1\n").configurationFindings()
        #expect(mistake.count == 2 && mistake.allSatisfy { $0.verdict == .failure }, "\(mistake)")
        #expect(mistake.contains { $0.found.contains("did you mean \"host\"?") })
        #expect(tree.doctor().configurationFindings().map(\.verdict) == [.fine])
        #expect(tree.doctor("[mqtt]\nhost = \"a\"\n").configurationFindings().map(\.verdict).contains(.warning))
    }

    @Test func `certificates are told before they end`() throws {
        let shop = try CertificateShop()
        try shop.makeAuthority("ca")
        try shop.make("old", for: "DNS:a", from: "20200101000000Z", until: "20210101000000Z")
        try shop.make("soon", for: "DNS:a", from: "20200101000000Z", until: "20270125000000Z")
        try shop.make("later", for: "DNS:a", from: "20280101000000Z", until: "20300101000000Z")
        let tree = try Tree()
        tree.surroundings.root = ""
        func check(_ name: String) -> Finding? {
            tree.doctor(
                """
                [mqtt]
                host = "a"
                [mqtt.tls]
                enabled = true
                ca_file = "\(shop.certificate(name))"
                """
            ).certificates().first
        }
        // 15 January 2027.
        #expect(check("old")?.found.contains("has ended on 2021-01-01") == true)
        #expect(check("soon")?.verdict == .warning && check("soon")?.found.contains("ends in 9 days") == true)
        #expect(check("later")?.found.contains("is not good yet") == true)
        try tree.write("/x.pem", "nothing")
        #expect(check("missing")?.verdict == .unknown)
        #expect(tree.doctor().certificates().map(\.verdict) == [.fine])
    }
}
