// SPDX-License-Identifier: Apache-2.0

import HCITransport
import Testing

@testable import Doctor

@Suite("Faults of the adapter")
struct AdapterCheckTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var verdict: Finding.Verdict
        var found: String
        var remedy: String?
        var make: @Sendable (Tree) throws -> Void

        init(
            _ name: String, _ verdict: Finding.Verdict, _ found: String, _ remedy: String? = nil,
            make: @escaping @Sendable (Tree) throws -> Void
        ) {
            (testDescription, self.verdict, self.found, self.remedy, self.make) = (name, verdict, found, remedy, make)
        }
    }

    private static let rows = [
        Row("free", .fine, "hci0, on USB is free") { try $0.adapter("hci0", on: "usb") },
        Row("bluetoothd has it", .failure, "bluetoothd (process 71) runs", "systemctl disable --now bluetooth") {
            try $0.adapter("hci0", on: "serial")
            try $0.process(71, ["/usr/libexec/bluetooth/bluetoothd"])
            $0.surroundings.adapter = { _ in AdapterState(isUp: true, isInSetup: false) }
        },
        Row("the kernel has it up", .failure, "hci0 is up", "hciconfig hci0 down") {
            try $0.adapter("hci0", on: "other")
            $0.surroundings.adapter = { _ in AdapterState(isUp: true, isInSetup: false) }
        },
        Row("being set up", .warning, "set up by the kernel", "Ask again") {
            try $0.adapter("hci0", on: "usb")
            $0.surroundings.adapter = { _ in AdapterState(isUp: false, isInSetup: true) }
        },
        Row("not set up", .failure, "serial line: the kernel could not set it up", "dmesg | grep hci0") {
            try $0.adapter("hci0", on: "serial")
            $0.surroundings.adapter = { _ in AdapterState(isUp: false, isInSetup: false, isUnfinished: true) }
        },
        Row("another gateway", .note, "a gateway (process 9) has it", "--config") {
            try $0.adapter("hci0", on: "usb")
            try $0.process(9, ["/usr/bin/martlet", "run"])
        },
        Row("another number", .failure, "there is no hci0; there is: hci1, hci2", "controller = \"hci1\"") {
            try $0.adapter("hci1", on: "usb")
            try $0.adapter("hci2", on: "usb")
        },
        Row("in a container", .failure, "no adapter is seen in this container", "--network host") {
            try $0.write("/run/.containerenv")
        },
        Row("no Bluetooth in the kernel", .failure, "this kernel has no Bluetooth", "modprobe bluetooth") {
            $0.surroundings.hasBluetooth = { false }
        },
        Row("nothing plugged in", .failure, "there is no Bluetooth adapter", "dmesg") { _ in },
        Row("switched off on a Pi", .failure, "switched off in /boot/firmware/config.txt", "dtoverlay=disable-bt") {
            try $0.write("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
            try $0.write("/boot/firmware/config.txt", "# x\n  dtoverlay=disable-bt\n")
        },
        Row("a Pi without firmware", .failure, "firmware of the board's Bluetooth is missing", "apt install") {
            try $0.write("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
            try $0.write("/boot/firmware/config.txt", "#dtoverlay=disable-bt\n")
        },
        Row("a Pi with all of it", .failure, "does not come up", "dmesg") {
            try $0.write("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
            try $0.write("/lib/firmware/brcm/BCM4345C0.hcd", "x")
        },
    ]

    @Test("each cause has its own text, with a remedy", arguments: rows)
    func cause(row: Row) throws {
        let tree = try Tree()
        try row.make(tree)
        let finding = try #require(tree.doctor().adapter().first)
        #expect(finding.verdict == row.verdict && finding.found.contains(row.found), "\(finding)")
        if let remedy = row.remedy {
            #expect(finding.remedy?.contains(remedy) == true, "\(finding)")
        } else {
            #expect(finding.remedy == nil)
        }
    }

    @Test func `bluetoothd beside a free adapter is a warning`() throws {
        let tree = try Tree()
        try tree.adapter("hci0", on: "usb")
        try tree.process(71, ["/usr/libexec/bluetooth/bluetoothd"])
        #expect(tree.doctor().adapter().map(\.verdict) == [.fine, .warning])
    }

    @Test func `a serial line, a socket and TCP are looked at as far as they can be`() throws {
        let tree = try Tree()
        func adapter(_ name: String) -> Finding? {
            tree.doctor("[bluetooth]\ncontroller = \"\(name)\"\n[[sensor]]\nname = \"a\"\n").adapter().first
        }
        #expect(adapter("serial:/dev/ttyAMA0,115200")?.verdict == .failure)
        try tree.write("/dev/ttyAMA0")
        #expect(adapter("serial:/dev/ttyAMA0,115200")?.verdict == .fine)
        #expect(adapter("unix:/run/x")?.verdict == .failure)
        try tree.write("/run/x")
        #expect(adapter("unix:/run/x")?.verdict == .fine)
        #expect(adapter("tcp:127.0.0.1:1")?.verdict == .note)
    }

    @Test func `switches are told apart, and rights`() throws {
        let tree = try Tree()
        #expect(tree.doctor().switches().map(\.verdict) == [.fine])
        for (number, (type, soft, hard)) in [("wlan", "1", "1"), ("bluetooth", "1", "0"), ("bluetooth", "0", "1")]
            .enumerated()
        {
            try tree.write("/sys/class/rfkill/rfkill\(number)/type", type + "\n")
            try tree.write("/sys/class/rfkill/rfkill\(number)/soft", soft + "\n")
            try tree.write("/sys/class/rfkill/rfkill\(number)/hard", hard + "\n")
        }
        let findings = tree.doctor().switches()
        #expect(findings.count == 2 && findings.allSatisfy { $0.verdict == .failure })
        #expect(findings.first?.remedy == "sudo rfkill unblock bluetooth")

        #expect(tree.doctor().rights().first?.verdict == .unknown)
        try tree.write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n")
        #expect(tree.doctor().rights().first?.verdict == .warning)
        try tree.write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000001000\n")
        #expect(tree.doctor().rights().first?.verdict == .fine)
        try tree.write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n")
        try tree.write("/run/martlet/controller.sock")
        #expect(tree.doctor().rights().first?.verdict == .fine)
    }

    @Test func `Wi-Fi is a hint where it shares the board's antenna`() throws {
        let tree = try Tree()
        #expect(tree.doctor().wirelessNetwork().map(\.verdict) == [.fine])
        try tree.write("/sys/class/net/wlan0/wireless/x")
        try tree.write("/sys/class/net/wlan0/operstate", "up\n")
        try tree.write("/proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")
        try tree.adapter("hci0", on: "serial")
        #expect(tree.doctor().wirelessNetwork().map(\.verdict) == [.note])
        let other = try Tree()
        try other.write("/sys/class/net/wlan0/wireless/x")
        try other.write("/sys/class/net/wlan0/operstate", "up\n")
        try other.write("/proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")
        try other.adapter("hci0", on: "usb")
        #expect(other.doctor().wirelessNetwork().map(\.verdict) == [.fine])
    }
}
