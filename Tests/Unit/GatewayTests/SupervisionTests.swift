// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Glibc
import Logging
import Synchronization
import Testing
import VirtualRadio

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import martlet

@Suite("A gateway under a service manager", .serialized, .ownThread)
struct SupervisionTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private var configuration: String {
        folder.gateway(
            sensor: """
                service = "heart_rate"
                subscribe = ["heart_rate/heart_rate_measurement"]
                """)
    }

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("The program reports ready, its state, reloads, and its stop")
    func program() throws {
        try folder.write("martlet.toml", configuration)
        let listener = try NotifyListener(path: folder.path("notify"))
        let process = try MartletProcess(
            ["run", "--config", folder.path("martlet.toml")],
            environment: ["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "200000"])
        #expect(listener.next() == "READY=1")
        #expect(listener.wait(for: "WATCHDOG=1") != nil)
        let line = listener.wait(for: "STATUS=collecting from 1 of 1 sensors; not connected to 127.0.0.1:1")
        #expect(line != nil, "\(listener.lines)")
        process.send(SIGHUP)
        #expect(listener.wait(for: "RELOADING=1") != nil)
        #expect(listener.wait(for: "READY=1") != nil)
        try folder.write("martlet.toml", configuration + "\nnonsense = 1\n")
        process.send(SIGHUP)
        #expect(listener.wait(for: "STATUS=configuration not taken") != nil)
        process.send(SIGTERM)
        #expect(listener.wait(for: "STOPPING=1") != nil)
        #expect(process.wait(.seconds(20)) == 0)
    }

    @Test("systemctl status shows a mistake in the configuration")
    func mistake() throws {
        try folder.write("martlet.toml", "nonsense = 1\n")
        let listener = try NotifyListener(path: folder.path("notify"))
        let process = try MartletProcess(
            ["run", "--config", folder.path("martlet.toml")], environment: ["NOTIFY_SOCKET": listener.path])
        let status = listener.next() ?? ""
        #expect(status.hasPrefix("STATUS=the configuration has mistakes: "), "\(status)")
        #expect(status.contains("martlet check-config --config "), "\(status)")
        #expect(process.wait(.seconds(20)) == 78)
    }

    @Test("A stopping program no longer reports a reload")
    func reloadWhileStopping() throws {
        let listener = try NotifyListener(path: folder.path("notify"))
        let supervisor = Supervisor(
            try #require(ServiceNotifier(path: listener.path)), watchdog: nil, logger: Self.quiet)
        supervisor.reloading()
        supervisor.reloaded(mistake: "a typing error")
        supervisor.stopping()
        supervisor.reloading()
        supervisor.reloaded()
        supervisor.failed("that was all")
        #expect(listener.wait(for: "STATUS=that was all") != nil)
        #expect(listener.lines.count { $0.hasPrefix("RELOADING=1") } == 1)
        #expect(listener.lines.firstIndex(of: "STOPPING=1") ?? 0 > listener.lines.lastIndex(of: "READY=1") ?? 0)
    }

    /// A gateway whose parts can be made to hang.
    @Test("A hanging radio thread or journal queue lets the watchdog starve", arguments: ["radio", "journal"])
    func hanging(part: String) throws {
        let radio = VirtualRadio(seed: 1)
        defer { radio.stop() }
        let gateway = try GatewayService(
            try GatewayConfiguration.parse(configuration, gateway: "gw-test"),
            transport: .descriptor(try radio.makeController(address: .demonstrationController)), logger: Self.quiet)
        let listener = try NotifyListener(path: folder.path("notify"))
        let notifier = try #require(ServiceNotifier(path: listener.path))
        let supervisor = Supervisor(notifier, watchdog: .milliseconds(100), logger: Self.quiet)
        gateway.start()
        gateway.report(to: supervisor)
        for _ in 0..<3 { #expect(listener.wait(for: "WATCHDOG=1") != nil) }
        let release = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        let hold: @Sendable () -> Void = {
            isHeld.signal()
            release.wait()
        }
        if part == "radio" {
            gateway.controller.onRadioThread(hold)
        } else {
            gateway.journal.queue.async(execute: hold)
        }
        isHeld.wait()
        while listener.next(.zero) != nil {}
        // Many rounds.
        var fed = 0
        while let text = listener.next(.seconds(2)) { fed += text.contains("WATCHDOG=1") ? 1 : 0 }
        #expect(fed <= 1)
        release.signal()
        #expect(listener.wait(for: "WATCHDOG=1") != nil)
        supervisor.stopping()
        gateway.stop()
        supervisor.end()
    }
}
