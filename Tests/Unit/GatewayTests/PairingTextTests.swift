// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import martlet

/// Names, keys of the configuration, and dialogues on the control socket, without a radio.
struct PairingTextTests {
    private let attic = DeviceName.Known(
        identifier: UUID(), id: "attic", name: "Thermo", address: 0xC4_7C8D_00_11_01)
    private let cellar = DeviceName.Known(
        identifier: UUID(), id: "cellar", name: "Thermo", address: 0xC4_7C8D_00_11_02)
    /// A device whose name is another device's id: any device can advertise any name.
    private let impostor = DeviceName.Known(identifier: UUID(), id: "x", name: "attic", address: nil)

    @Test func `a device is named by id, address, identifier or name, in this order`() throws {
        let known = [attic, cellar, impostor]
        #expect(try DeviceName("attic").pick(known) == attic)
        #expect(try DeviceName("c4:7c:8d:00:11:02").pick(known) == cellar)
        #expect(try DeviceName(impostor.identifier.uuidString.lowercased()).pick(known) == impostor)
        #expect(try DeviceName("Thermo").pick([cellar, impostor]) == cellar)
        #expect(throws: DeviceName.Unclear(text: "Thermo", labels: ["attic", "cellar"])) {
            try DeviceName("Thermo").pick(known)
        }
        #expect(throws: DeviceName.Unclear(text: "", labels: [])) { try DeviceName("").pick(known) }
    }

    @Test func `a slip of the hand in a label or a name has its question, and a label goes first`() {
        var labelled = cellar
        (labelled.id, labelled.given) = ("t2", "Fridge")
        #expect(DeviceName("Frigde").meant(among: [attic, labelled]) == "\"Fridge\"")
        #expect(DeviceName("Thermi").meant(among: [attic, labelled]) == "\"Thermo\"")
        #expect(DeviceName("Balcony").meant(among: [attic, labelled]) == nil)
    }

    @Test func `of several with one id the one that works is meant, and otherwise they are told apart`() throws {
        var (first, second) = (attic, cellar)
        second.id = "attic"
        let labels = ["C4:7C:8D:00:11:01", "C4:7C:8D:00:11:02"]
        #expect(throws: DeviceName.Unclear(text: "attic", labels: labels)) {
            try DeviceName("attic").pick([first, second])
        }
        first.isProven = true
        #expect(try DeviceName("attic").pick([second, first]) == first)
        #expect(DeviceName("attic").isOne(of: [first, second]) && !DeviceName("fridge").isOne(of: [first, second]))
    }

    @Test func `what an entry names is waited for`() throws {
        let rule = try #require(try parse("id = \"attic\"\naddress = \"C4:7C:8D:00:11:01\"").sensors.first)
        for text in ["attic", "Thermo", "c4:7c:8d:00:11:01"] { #expect(DeviceName(text).isAwaited(by: rule)) }
        for text in ["fridge", "C4:7C:8D:00:11:02", ""] { #expect(!DeviceName(text).isAwaited(by: rule)) }
    }

    // MARK: Configuration

    private func parse(_ entry: String, security: String = "") throws -> GatewayConfiguration {
        try GatewayConfiguration.parse(
            "\(security)\n[[sensor]]\nname = \"Thermo\"\nsubscribe = [\"181a/2a6e\"]\n\(entry)\n", gateway: "gw")
    }

    @Test func `what a sensor needs to be paired is in its entry`() throws {
        let rule = try #require(
            try parse("passkey = \"019655\"\nlegacy_pairing = true\npair = true").sensors.first)
        #expect(rule.passkey?.revealed == "019655" && rule.allowsLegacyPairing && rule.pair == true)
        let plain = try parse(
            "", security: "[security]\npair = false\nminimum_key_size = 7\nrequire_authentication = true")
        #expect(plain.sensors.first?.pair == nil && plain.sensors.first?.passkey == nil)
        #expect(!plain.security.pairs && plain.security.requiresAuthentication && plain.security.minimumKeySize == 7)
    }

    @Test func `a passkey is printed by nothing, and neither is one that is wrong`() throws {
        let configuration = try parse("passkey = \"019655\"")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("019655") && !"\(configuration)".contains("019655"))
        for entry in ["passkey = \"19655\"", "passkey = \"01965x\"", "passkey = 19655", "passkey = \"\""] {
            let error = #expect(throws: ConfigurationError.self) { try parse(entry) }
            let text = error?.description ?? ""
            #expect(text.contains("sensor.passkey") && !text.contains("1965"), "\(text)")
        }
    }

    @Test func `a passkey may be in a file of its own`() throws {
        let folder = try TestFolder()
        try folder.write("good", "019655\n")
        try folder.write("bad", "hello 019655\n")
        func entry(_ name: String) -> String { "passkey_file = \"\(folder.path(name))\"" }
        #expect(try parse(entry("good")).sensors.first?.passkey?.revealed == "019655")
        for (text, says) in [
            (entry("bad"), "its first line is not six digits"), (entry("none"), "there is no such file"),
            (entry("good") + "\npasskey = \"019655\"", "keep one"), (entry("good") + "\npair = false", "keep one"),
        ] {
            let error = #expect(throws: ConfigurationError.self) { try parse(text) }
            #expect(error?.description.contains(says) == true && error?.description.contains("019655") == false)
        }
    }

    // MARK: Dialogues

    /// A server on which `talk` begins a dialogue: it says `hello`, repeats each line, and ends after `bye`.
    private final class Parrot: Sendable {
        /// The lines to and from one dialogue.
        private final class Beak: Sendable {
            /// The dialogue has its beak, and the server has the dialogue.
            private struct Own { weak var dialogue: ControlDialogue? }
            private let own = Mutex(Own())

            func belongs(to dialogue: ControlDialogue) { own.withLock { $0.dialogue = dialogue } }

            func repeats(_ line: [UInt8]) {
                own.withLock { $0.dialogue }?.say(line, isLast: line == Array("bye".utf8))
            }
        }

        private final class Count: Sendable { let value = Mutex(0) }

        private let folder: TestFolder
        private let server: ControlServer
        private let count = Count()
        /// Dialogues whose client left before the end.
        var departures: Int { count.value.withLock { $0 } }

        init(_ limits: ControlLimits = ControlLimits()) throws {
            folder = try TestFolder()
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let count = count
            server = try ControlServer(
                path: folder.path("control.sock"), limits: limits, logger: logger,
                dialogues: { line in
                    guard line == Array("talk".utf8) else { return nil }
                    let beak = Beak()
                    let dialogue = ControlDialogue {
                        beak.repeats($0)
                    } left: {
                        count.value.withLock { $0 += 1 }
                    }
                    beak.belongs(to: dialogue)
                    dialogue.say(Array("hello".utf8))
                    return dialogue
                }, handler: { _ in Array("answer".utf8) })
        }

        deinit { server.stop() }

        func connect() throws -> Int32 { try UnixSocket.connected(to: folder.path("control.sock")).release() }
    }

    private func write(_ descriptor: Int32, _ text: String) {
        let octets = Array(text.utf8)
        _ = octets.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The text until `lines` lines have come, the other side closes, or five seconds have passed.
    private func read(_ descriptor: Int32, lines: Int) -> String {
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while octets.count(where: { $0 == UInt8(ascii: "\n") }) < lines, poll(&entry, 1, 5_000) > 0 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            octets += buffer[..<count]
        }
        return String(decoding: octets, as: UTF8.self)
    }

    @Test func `either side of a dialogue may speak, and afterwards requests are answered again`() throws {
        let parrot = try Parrot()
        let client = try parrot.connect()
        defer { close(client) }
        write(client, "talk\none\n")
        #expect(read(client, lines: 2) == "hello\none\n")
        write(client, "two\nby")
        #expect(read(client, lines: 1) == "two\n")
        write(client, "e\n")
        #expect(read(client, lines: 1) == "bye\n")
        write(client, "status\n")
        #expect(read(client, lines: 1) == "answer\n")
        #expect(parrot.departures == 0)
    }

    @Test func `a client that leaves in the middle is noticed`() throws {
        let parrot = try Parrot()
        let client = try parrot.connect()
        write(client, "talk\n")
        #expect(read(client, lines: 1) == "hello\n")
        close(client)
        #expect(blockingEventually { parrot.departures == 1 })
    }

    @Test func `a client that says too much, or says nothing too long, is disconnected`() throws {
        var limits = ControlLimits()
        limits.dialogueLines = 3
        limits.dialogue = .seconds(1)
        let parrot = try Parrot(limits)
        let clients = try (0..<3).map { _ in try parrot.connect() }
        defer { for client in clients { close(client) } }
        for client in clients { write(client, "talk\n") }
        write(clients[0], String(repeating: "x\n", count: 10))
        write(clients[1], String(repeating: "x", count: 5_000))
        for client in clients { #expect(!read(client, lines: 100).contains("answer")) }
        #expect(blockingEventually { parrot.departures == 3 })
        let other = try parrot.connect()
        defer { close(other) }
        write(other, "status\n")
        #expect(read(other, lines: 1) == "answer\n")
    }
}
