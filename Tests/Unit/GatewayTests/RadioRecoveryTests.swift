// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import HCITransport

@Suite("Recovery steps for a dead radio that exceed the gateway's rights")
struct RadioRecoveryTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    // MARK: The adapter, in a tree like /sys

    private func tree(_ bus: String) throws -> AdapterHardware {
        let manager = FileManager.default
        let device = bus == "usb" ? "devices/usb1/1-1/1-1:1.0" : "devices/serial0/serial0-0"
        for path in ["class/bluetooth", device, "bus/\(bus)/drivers/driver", "devices/\(bus)"] {
            try manager.createDirectory(atPath: folder.path("sys/\(path)"), withIntermediateDirectories: true)
        }
        func link(_ path: String, _ target: String) throws {
            try manager.createSymbolicLink(
                atPath: folder.path("sys/\(path)"), withDestinationPath: folder.path("sys/\(target)"))
        }
        try manager.createDirectory(
            atPath: folder.path("sys/\(device)/bluetooth/hci0/rfkill3"), withIntermediateDirectories: true)
        try link("class/bluetooth/hci0", "\(device)/bluetooth/hci0")
        try link("\(device)/bluetooth/hci0/device", device)
        try link("\(device)/subsystem", "bus/\(bus)")
        try link("\(device)/driver", "bus/\(bus)/drivers/driver")
        try folder.write("sys/\(device)/bluetooth/hci0/rfkill3/soft", "x")
        try folder.write(
            "sys/devices/usb1/authorized".replacingOccurrences(of: "devices/usb1", with: "bus/\(bus)"), "x")
        if bus == "usb" { try folder.write("sys/devices/usb1/1-1/authorized", "x") }
        for name in ["bind", "unbind"] { try folder.write("sys/bus/\(bus)/drivers/driver/\(name)", "") }
        return AdapterHardware(root: folder.path("sys"), rest: 0)
    }

    private func text(_ path: String) -> String? {
        try? String(contentsOfFile: folder.path("sys/\(path)"), encoding: .utf8)
    }

    @Test func `power is taken by the adapter's switch, and given back`() throws {
        let hardware = try tree("serial")
        // A pipe keeps all written octets, not only the last.
        let file = folder.path("sys/devices/serial0/serial0-0/bluetooth/hci0/rfkill3/soft")
        try FileManager.default.removeItem(atPath: file)
        mkfifo(file, 0o600)
        let pipe = open(file, O_RDWR | O_NONBLOCK)
        defer { close(pipe) }
        try hardware.cyclePower(0)
        var octets = [UInt8](repeating: 0, count: 8)
        #expect(read(pipe, &octets, 8) == 2 && octets.prefix(2) == Array("10".utf8)[...])
    }

    @Test func `an adapter on a serial line is taken from its driver, one on USB from its port`() throws {
        try tree("serial").rebind(0)
        #expect(text("bus/serial/drivers/driver/unbind") == "serial0-0")
        #expect(text("bus/serial/drivers/driver/bind") == "serial0-0")
        try FileManager.default.removeItem(atPath: folder.path("sys"))
        try tree("usb").rebind(0)
        #expect(text("devices/usb1/1-1/authorized") == "1")
    }

    @Test func `what cannot be done is said, and nothing is written outside the tree`() throws {
        let hardware = try tree("serial")
        #expect(throws: AdapterHardware.Failure.self) { try hardware.cyclePower(1) }
        #expect(throws: AdapterHardware.Failure.self) { try hardware.rebind(1) }
        try folder.write("elsewhere", "x")
        let driver = folder.path("sys/devices/serial0/serial0-0/driver")
        try FileManager.default.removeItem(atPath: driver)
        try FileManager.default.createSymbolicLink(atPath: driver, withDestinationPath: folder.path(""))
        #expect(throws: AdapterHardware.Failure.self) { try hardware.rebind(0) }
        try FileManager.default.removeItem(atPath: folder.path("sys"))
        let other = try tree("platform")
        let reason = #expect(throws: AdapterHardware.Failure.self) { try other.rebind(0) }
        #expect(reason?.description.contains("cannot be taken") == true)
    }

    // MARK: The helper

    private func ask(_ line: String, reboot: @escaping () throws -> Void = {}) throws -> String? {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let octets = Array(line.utf8)
        try #require(write(ends[0], octets, octets.count) == octets.count)
        shutdown(ends[0], Int32(SHUT_WR))
        RadioHelper.answer(over: ends[1], hardware: AdapterHardware(root: folder.path("sys"), rest: 0), reboot: reboot)
        close(ends[1])
        // The helper's unread octets reset the connection after its answer.
        var answer: [UInt8] = []
        var octet: UInt8 = 0
        while recv(ends[0], &octet, 1, 0) == 1 { answer.append(octet) }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func `the helper takes one line of what it knows`() throws {
        _ = try tree("serial")
        #expect(try ask("power hci0\n") == "done\n" && ask("rebind hci0\n") == "done\n")
        var reboots = 0
        #expect(try ask("reboot\n") { reboots += 1 } == "done\n" && reboots == 1)
        #expect(try ask("power hci7\n")?.hasPrefix("hci7 is not there") == true)
        for line in [
            "", "\n", "power\n", "power hci0", "power hci0 \n", "power ../hci0\n", "power unix:/x\n", "reboot now\n",
            "halt\n",
            String(repeating: "x", count: 2_000) + "\n",
        ] {
            #expect(
                try ask(line) { Issue.record("nobody asked for a reboot") }?.hasPrefix("a question is") == true,
                "\(line)")
        }
    }

    // MARK: The gateway's permissions

    private func recovery(_ limit: RecoveryStep, controller: String = "hci0", hasHelper: Bool = true) throws
        -> GatewayRecovery
    {
        if hasHelper { try folder.write("radio.sock", "") }
        let recovery = GatewayRecovery(
            controller: controller, limit: limit, socket: hasHelper ? folder.path("radio.sock") : nil,
            stateDirectory: folder.path(""), disk: SystemConfigurationDisk())
        recovery.onRestart {}
        return recovery
    }

    @Test func `steps are those that are configured, and for which there is somebody`() throws {
        #expect(try recovery(.reopen, hasHelper: false).available == [])
        #expect(try recovery(.reboot, hasHelper: false).available == [.process])
        #expect(try recovery(.power).available == [.power])
        #expect(try recovery(.reboot).available == [.power, .rebind, .process, .reboot])
        #expect(try recovery(.reboot, controller: "tcp:127.0.0.1:1").available == [.process, .reboot])
    }

    @Test func `a step that ends the process is on disk before it is taken, and has its limit a day`() async throws {
        for round in 1...RecoveryStep.process.daily {
            let recovery = try recovery(.process)
            #expect(recovery.available.contains(.process), "\(round)")
            let failure = await withCheckedContinuation { continuation in
                recovery.perform(.process) { continuation.resume(returning: $0) }
            }
            #expect(failure == nil)
        }
        #expect(try !recovery(.process).available.contains(.process))
        // A day later by the clock, the step is permitted again; after the clock was set back, it is not.
        var book = RecoveryBook(SystemConfigurationDisk(), folder.path("recoveries.json"))
        let now = Int64(time(nil))
        #expect(book.count("process", at: now) == 4 && book.count("process", at: now - 1_000_000) == 4)
        #expect(book.count("process", at: now + 86_401) == 0)
        for _ in 0..<100 { book.record("process", at: now) }
        #expect(book.count("process", at: now) == 32)
    }

    @Test func `what cannot be written down is not done`() async throws {
        let recovery = GatewayRecovery(
            controller: "hci0", limit: .process, socket: nil, stateDirectory: folder.path("nowhere"),
            disk: SystemConfigurationDisk())
        recovery.onRestart { Issue.record("it was restarted") }
        let failure = await withCheckedContinuation { continuation in
            recovery.perform(.process) { continuation.resume(returning: $0) }
        }
        #expect(failure?.contains("recoveries.json") == true)
    }
}
