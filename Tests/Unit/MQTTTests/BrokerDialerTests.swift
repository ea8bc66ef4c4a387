// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import MQTT
@testable import Publisher

/// The way to a broker's TCP connection: RFC 8305.
struct BrokerDialerTests {
    private static func address(_ host: String) throws -> SocketAddress {
        let found = NameLookup.addresses(of: BrokerAddress(host: host, port: 1), within: .seconds(1)) { true }
        return try #require(try found.get().first)
    }

    private func order(_ hosts: [String], failed: [String] = []) throws -> [String?] {
        try BrokerDialer.order(hosts.map { try Self.address($0) }, failed: failed).map(\.host)
    }

    @Test func `families alternate, beginning with that of the first address`() throws {
        #expect(
            try order(["::1", "::2", "::3", "127.0.0.1", "127.0.0.2"])
                == ["::1", "127.0.0.1", "::2", "127.0.0.2", "::3"])
        #expect(try order(["127.0.0.1", "127.0.0.2", "::1"]) == ["127.0.0.1", "::1", "127.0.0.2"])
        #expect(try order([]) == [])
    }

    @Test func `addresses that have failed come last, the longest ago first, and are tried all the same`() throws {
        #expect(
            try order(["::1", "127.0.0.1", "127.0.0.2"], failed: ["::1", "127.0.0.1"])
                == ["127.0.0.2", "::1", "127.0.0.1"])
        #expect(try order(["::1", "127.0.0.1"], failed: ["192.0.2.9", "127.0.0.1", "::1"]) == ["127.0.0.1", "::1"])
    }

    @Test func `a connection says whether the name has an address that was not tried`() throws {
        let exchange = try SocketExchange()
        defer { exchange.end() }
        func dial(failed: [String]) throws -> BrokerDialer.Connection {
            let dialer = BrokerDialer(failed: failed, known: { _ in ["127.0.0.1", "127.0.0.2", "127.0.0.3"] })
            let connection = try dialer.dial(BrokerAddress(host: "broker.test", port: exchange.port)).get()
            close(connection.descriptor)
            return connection
        }
        let first = try dial(failed: [])
        #expect(first.host == "127.0.0.1" && first.hasOthers)
        // The others refuse.
        let again = try dial(failed: ["127.0.0.1"])
        #expect(again.host == "127.0.0.1" && !again.hasOthers)
        #expect(!(try dial(failed: ["127.0.0.2", "127.0.0.3"]).hasOthers))
    }

    @Test func `digits need no look-up, and one that is cancelled ends`() {
        let name = BrokerAddress(host: "no-such-host.invalid", port: 1)
        // Cancelled: either the answer is there in a tenth of a second, or the look-up is given up.
        #expect(throws: MQTTFailure.self) {
            try NameLookup.addresses(of: name, within: .seconds(600), isCancelled: { true }).get()
        }
    }

    @Test func `an address that failed is remembered, a bounded number of them, and forgiven`() {
        var habits = BrokerHabits()
        habits.failed("192.0.2.1")
        habits.failed("192.0.2.2")
        habits.failed("192.0.2.1")
        #expect(habits.failedHosts == ["192.0.2.2", "192.0.2.1"])
        habits.answered("192.0.2.1")
        #expect(habits.failedHosts == ["192.0.2.2"])
        for number in 0..<1_000 { habits.failed("host \(number)") }
        #expect(habits.failedHosts.count == 16 && habits.failedHosts.last == "host 999")
    }

    @Test(
        arguments: [
            .noAnswer, .library(code: LibraryCode.connectionLost, detail: nil),
            .library(code: LibraryCode.protocolError, detail: nil),
        ] as [MQTTFailure])
    func `silence and a hang-up before CONNACK lead to MQTT 3_1_1, once each address was tried with MQTT 5`(
        failure: MQTTFailure
    ) {
        var habits = BrokerHabits()
        habits.failed("192.0.2.1")
        // Silence costs seconds: the other configured brokers come first.
        let lesson = failure == .noAnswer ? BrokerHabits.Lesson.inTurn : .atOnce
        #expect(habits.learn(from: failure, retains: true, hasOtherHosts: true) == .nothing && habits.version == .v5)
        habits.failed("192.0.2.2")
        #expect(habits.learn(from: failure, retains: true) == lesson && habits.version == .v3)
        #expect(habits.failedHosts.isEmpty, "each address may speak it")
        #expect(habits.learn(from: failure, retains: true) == .nothing && habits.version == .v5)
    }

    @Test func `a refusal by CONNACK is the broker's word, but for what a server says of itself alone`() {
        for code in 0x80...UInt8.max {
            let isOfServer = [0x88, 0x89, 0x97, 0x9F].contains(code)
            #expect(MQTTFailure.refused(MQTTReason(rawValue: code)).isWordOfBroker == !isOfServer, "\(code)")
        }
        for failure in [.noAnswer, .noHandshake, .speaksTLS, .certificate("", isAboutTime: false)] as [MQTTFailure] {
            #expect(!failure.isWordOfBroker)
        }
    }

    /// A connected pair: one end in the library's place, and one for the other side.
    private func pair() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private func connected(to port: UInt16) throws -> Int32 {
        let found = BrokerDialer().dial(BrokerAddress(host: "127.0.0.1", port: port))
        return try found.get().descriptor
    }

    @Test func `the octets that were sent go to the broker, and a stranger at the listener is let go`() throws {
        let exchange = try SocketExchange()
        defer { exchange.end() }
        let stranger = try connected(to: exchange.port)
        let library = try connected(to: exchange.port)
        let (ours, broker) = try pair()
        defer { for descriptor in [stranger, library, ours, broker] { close(descriptor) } }
        #expect(send(stranger, "no", 2, 0) == 2 && send(library, "first", 5, 0) == 5)
        try exchange.give(ours, to: library, within: .seconds(5))
        #expect(send(library, " then", 5, 0) == 5)
        var octets = [UInt8](repeating: 0, count: 64)
        let count = recv(broker, &octets, octets.count, 0)
        #expect(String(decoding: octets.prefix(max(count, 0)), as: UTF8.self) == "first then")
    }
}
