// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Gateway
@testable import GatewayBench

@Suite("Notifications to the service manager")
struct ServiceNotifierTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test("A message is a datagram, to a path and to an abstract name", arguments: [false, true])
    func datagram(isAbstract: Bool) throws {
        let listener = try NotifyListener(path: (isAbstract ? "@" : "") + folder.path("notify"))
        let notifier = try #require(ServiceNotifier(path: listener.path))
        #expect(notifier.send(.ready, .status("collecting")))
        #expect(listener.next() == "READY=1\nSTATUS=collecting")
        #expect(notifier.send(.watchdog))
        #expect(listener.next() == "WATCHDOG=1")
    }

    @Test(
        "Messages are written as sd_notify(3) says",
        arguments: [
            (ServiceNotifier.Message.ready, "READY=1"), (.stopping, "STOPPING=1"), (.watchdog, "WATCHDOG=1"),
            (.reloading, "RELOADING=1\nMONOTONIC_USEC=77"),
            (.extendTimeout(.seconds(2)), "EXTEND_TIMEOUT_USEC=2000000"),
            (.status("one\nREADY=1\t\u{1B}[2J"), "STATUS=one READY=1  [2J"),
        ])
    func texts(message: ServiceNotifier.Message, text: String) { #expect(message.text(now: 77) == text) }

    @Test(
        "A value that is no socket's address, or a socket without a listener, counts as none",
        arguments: ["", "@", "relative", "vsock:2:1234", "/nowhere/notify", "/" + String(repeating: "x", count: 200)])
    func unusable(path: String) { #expect(ServiceNotifier(path: path) == nil) }

    @Test("The loss of the service manager is noticed, and has no other effect")
    func gone() throws {
        var listener: NotifyListener? = try NotifyListener(path: folder.path("notify"))
        let notifier = try #require(ServiceNotifier(path: folder.path("notify")))
        #expect(notifier.send(.watchdog))
        _ = listener?.next()
        listener = nil
        #expect(!notifier.send(.watchdog))
    }

    @Test("The environment is for the named process")
    func environment() {
        let text = [
            "NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7", "LISTEN_PID": "7",
            "LISTEN_FDS": "2", "LISTEN_FDNAMES": "control:other",
        ]
        let own = ServiceEnvironment(text, process: 7)
        #expect(own.notifySocket == "/run/notify")
        #expect(own.watchdog == .seconds(30))
        #expect(own.sockets == ["control": 3, "other": 4])
        let childs = ServiceEnvironment(text, process: 8)
        #expect(childs.watchdog == nil)
        #expect(childs.sockets.isEmpty)
    }

    @Test(
        "Invalid numbers are ignored",
        arguments: ["", "-1", "0", "x", "99999999999999999999", "9223372036854775807"])
    func numbers(text: String) {
        let environment = ServiceEnvironment(
            ["WATCHDOG_USEC": text, "LISTEN_PID": "7", "LISTEN_FDS": text, "LISTEN_FDNAMES": "control"], process: 7)
        #expect(environment == ServiceEnvironment())
    }
}
