// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Synchronization
import Testing
import TestSupport

@testable import Provisioning

@Suite(.timeLimit(.minutes(10))) struct ButtonAndLEDTests {
    private static func octets(_ type: UInt16, _ value: Int32, longSize: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 7, count: 2 * longSize)
        withUnsafeBytes(of: type) { octets += $0 }
        withUnsafeBytes(of: UInt16(0xC6)) { octets += $0 }
        withUnsafeBytes(of: value) { octets += $0 }
        return octets
    }

    @Test(arguments: [4, 8]) func `events are read in the layouts of both word sizes, in pieces`(_ longSize: Int) {
        let stream =
            [Self.octets(1, 1, longSize: longSize), Self.octets(0, 0, longSize: longSize)].joined()
            + Self.octets(1, 0, longSize: longSize)
        var (rest, events): ([UInt8], [InputEvent]) = ([], [])
        for octet in stream {
            rest.append(octet)
            events += InputEvent.parse(from: &rest, longSize: longSize)
        }
        #expect(rest.isEmpty)
        #expect(events.map(\.isPress) == [true, false, false])
        #expect(events.map(\.code) == [0xC6, 0xC6, 0xC6])
    }

    @Test func `a press is told once, however it bounces, and the device may go`() async throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let writer = open(path, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        let counter = Counter()
        let button = ButtonInput(path: path, debounce: .seconds(3600), logger: Logger(label: "test")) {
            counter.count.withLock { $0 += 1 }
        }
        button.start()
        defer { button.stop() }
        let bounce = [Self.octets(1, 1, longSize: 8), Self.octets(1, 0, longSize: 8), Self.octets(1, 1, longSize: 8)]
            .flatMap { $0 }
        #expect(write(writer, bounce, bounce.count) == bounce.count)
        try await waitFor("a press") { counter.count.withLock { $0 } > 0 }
        #expect(counter.count.withLock { $0 } == 1)
    }

    private final class Counter: Sendable { let count = Mutex(0) }

    @Test func `a LED blinks, and then shows what it showed before`() async throws {
        let root = NSTemporaryDirectory() + UUID().uuidString
        let folder = root + "/ACT"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try "none [mmc0] timer\n".write(toFile: folder + "/trigger", atomically: false, encoding: .utf8)
        for name in ["delay_on", "delay_off"] {
            try "".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
        }
        let led = try #require(LED(name: nil, root: root))
        let trigger = { (try? String(contentsOfFile: folder + "/trigger", encoding: .utf8)) ?? "" }
        #expect(led.blink(for: .seconds(3600)))
        #expect(trigger() == "timer")
        #expect(led.blink(for: .milliseconds(1)))
        try await waitFor("the end") { trigger() == "mmc0" }
        #expect(LED(name: "other", root: root) == nil && LED(name: "../ACT", root: root) == nil)
    }
}
