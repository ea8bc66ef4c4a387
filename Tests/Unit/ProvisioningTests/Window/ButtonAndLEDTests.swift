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

    /// Makes the folder of a LED for the card's work.
    private static func makeLED(in root: String) throws {
        let folder = root + "/ACT"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "none [mmc0] timer\n".write(toFile: folder + "/trigger", atomically: false, encoding: .utf8)
        for name in ["delay_on", "delay_off"] {
            try "".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
        }
    }

    @Test func `a LED blinks slowly while there is a failure, fast for a person, and then as before`() async throws {
        let root = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: root) }
        try Self.makeLED(in: root)
        let led = try #require(LED(name: nil, root: root))
        func shown() -> [String] {
            ["trigger", "delay_on", "delay_off"].map {
                (try? String(contentsOfFile: "\(root)/ACT/\($0)", encoding: .utf8)) ?? ""
            }
        }
        led.show(hasFailure: false)
        led.show(hasFailure: true)
        try await waitFor("the failure") { shown() == ["timer", "500", "1500"] }
        #expect(led.blink(for: .milliseconds(1)))
        try await waitFor("the failure again") { shown() == ["timer", "500", "1500"] }
        #expect(led.blink(for: .seconds(3_600)))
        #expect(shown() == ["timer", "100", "100"])
        led.show(hasFailure: false)
        led.end()
        #expect(shown()[0] == "mmc0")
        // The kernel shows the active trigger in brackets; this file shows the last write.
        try Self.makeLED(in: root)
        led.show(hasFailure: true)
        try await waitFor("the failure") { shown() == ["timer", "500", "1500"] }
        led.show(hasFailure: false)
        try await waitFor("the end of the failure") { shown()[0] == "mmc0" }
    }

    @Test func `a LED that a killed process has left blinking shows what it showed before`() async throws {
        let root = NSTemporaryDirectory() + UUID().uuidString
        let memory = root + "/led"
        defer { try? FileManager.default.removeItem(atPath: root) }
        try Self.makeLED(in: root)
        func file(_ name: String) -> String {
            (try? String(contentsOfFile: "\(root)/ACT/\(name)", encoding: .utf8)) ?? ""
        }
        let killed = try #require(LED(name: nil, root: root, memory: memory))
        #expect(killed.blink(for: .seconds(3_600)))
        // The kernel shows all triggers.
        func blinks(on: String, off: String) throws {
            for (name, text) in [("trigger", "none mmc0 [timer]\n"), ("delay_on", on), ("delay_off", off)] {
                try text.write(toFile: "\(root)/ACT/\(name)", atomically: false, encoding: .utf8)
            }
        }
        try blinks(on: file("delay_on") + "\n", off: file("delay_off") + "\n")
        let next = try #require(LED(name: nil, root: root, memory: memory))
        #expect(file("trigger") == "mmc0")
        next.end()
        // A LED that blinks by somebody else's wish goes on, and has that wish back.
        try blinks(on: "700\n", off: "700\n")
        let other = try #require(LED(name: nil, root: root, memory: memory))
        #expect(file("trigger") == "none mmc0 [timer]\n")
        #expect(other.blink(for: .seconds(3_600)))
        other.end()
        #expect(file("trigger") == "timer")
    }

    @Test func `a LED blinks, and then shows what it showed before`() async throws {
        let root = NSTemporaryDirectory() + UUID().uuidString
        let folder = root + "/ACT"
        defer { try? FileManager.default.removeItem(atPath: root) }
        try Self.makeLED(in: root)
        let led = try #require(LED(name: nil, root: root))
        let trigger = { (try? String(contentsOfFile: folder + "/trigger", encoding: .utf8)) ?? "" }
        #expect(led.blink(for: .seconds(3600)))
        #expect(trigger() == "timer")
        #expect(led.blink(for: .milliseconds(1)))
        try await waitFor("the end") { trigger() == "mmc0" }
        #expect(LED(name: "other", root: root) == nil && LED(name: "../ACT", root: root) == nil)
    }
}
