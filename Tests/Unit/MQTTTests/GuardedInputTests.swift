// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher

/// The layer between the socket and libmosquitto, on connections that the test itself serves.
@Suite("Guarded input", .serialized)
struct GuardedInputTests {
    private struct NeverFull: Error {}

    /// Unrequested octets; the library would reserve 256 MiB for them.
    private static let unasked: [UInt8] = [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 0x61, 0]

    @Test func `what comes while new keys are not out yet is checked, too`() async throws {
        let (connection, broker) = try await Self.stuckOverNewKeys()
        #expect(broker.send(Self.unasked))
        // The answer has room now: the next read sends it and gets that record in one call.
        #expect(
            await eventually {
                while broker.drain() {}
                var descriptor = pollfd(fd: connection.descriptor, events: Int16(POLLOUT), revents: 0)
                return poll(&descriptor, 1, 0) == 1 && Int32(descriptor.revents) & POLLOUT != 0
            })
        #expect(
            await eventually {
                connection.read()
                return connection.failure != nil
            })
        #expect(connection.failure == .broken(PacketFault(packet: .publish, problem: .unexpected)))
    }

    @Test func `a closed socket's number is not read from`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(send(ends[1], [1], 1, 0) == 1)
        // Other tests open files, too: the number may be theirs at once.
        for _ in 0..<100 {
            let connection = try Self.connection(rig.configuration())
            try connection.connect()
            let number = connection.descriptor
            connection.disconnect()
            #expect(connection.descriptor == -1)
            let other = fcntl(ends[0], F_DUPFD, number)
            defer { close(other) }
            guard other == number else { continue }
            connection.read()
            var octet: UInt8 = 0
            #expect(recv(number, &octet, 1, Int32(MSG_DONTWAIT)) == 1)
            return
        }
        Issue.record("the number was never free")
    }

    @Test func `a message that the library sends while it reads arrives all the same`()
        async throws
    {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        var configuration = rig.configuration()
        configuration.maximumInFlight = 1
        let connection = try Self.connection(configuration)
        try connection.connect()
        #expect(
            await eventually {
                connection.read()
                return connection.acceptance != nil
            })
        // As the publisher's thread does: the stand-in takes nothing.
        signal(SIGPIPE, SIG_IGN)
        let ids = try ["a", "b"].map { try connection.publish([UInt8]($0.utf8), to: $0) }
        var settled: [Int32] = []
        #expect(
            await eventually {
                connection.read()
                if connection.wantsWrite { connection.write() }
                settled += connection.takeSettlements().map(\.messageID)
                return settled.count == 2 || connection.failure != nil
            })
        #expect(connection.failure == nil)
        #expect(settled == ids)
        #expect(broker.published.map(\.topic) == ["a", "b"])
        #expect(broker.mostOpen == 1)
    }

    /// A connection that has begun to answer a request for new keys, and is stuck because its socket is full.
    private static func stuckOverNewKeys() async throws -> (MQTTConnection, TLSPeer) {
        let shop = try CertificateShop()
        try shop.make("broker", for: "IP:127.0.0.1")
        // The kernel may find room that was not there a moment before.
        for _ in 0..<100 { if let pair = try await fullOverNewKeys(shop) { return pair } }
        throw NeverFull()
    }

    /// Nil when the answer went out after all.
    private static func fullOverNewKeys(_ shop: CertificateShop) async throws -> (MQTTConnection, TLSPeer)? {
        let broker = try TLSPeer(shop, certificate: "broker")
        var configuration = MQTTConfiguration()
        configuration.tls = .init(caFile: shop.authority)
        configuration.brokers = ["127.0.0.1:\(broker.port)"]
        let connection = try Self.connection(configuration)
        try connection.connect()
        try broker.take()
        var hasConnect = false
        try #require(
            await eventually {
                connection.read()
                if connection.wantsWrite { connection.write() }
                if broker.read() { hasConnect = broker.send([0x20, 3, 0, 0, 0]) }
                return hasConnect && connection.acceptance != nil
            })
        try #require(broker.askForNewKeys())
        connection.read()
        try #require(connection.failure == nil)
        // Without this setting the kernel gives a full socket more room.
        var room: Int32 = 4096
        setsockopt(connection.descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        // The socket is full to the last octet, and stays full after the octets on their way have arrived. The broker only sends from here
        // on.
        let filler = [UInt8](repeating: 0, count: 65_536)
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        var isFull = false
        while !isFull {
            isFull = true
            for count in [filler.count, 1] {
                while send(connection.descriptor, filler, count, flags) > 0 { isFull = false }
            }
            usleep(20_000)
        }
        _ = try connection.publish([1], to: "a")
        try #require(connection.failure == nil)
        return connection.wantsWrite ? (connection, broker) : nil
    }

    private static func connection(_ configuration: MQTTConfiguration) throws -> MQTTConnection {
        try MQTTConnection(
            configuration, at: configuration.addresses[0], clientID: "x", version: .v5,
            will: OutgoingMessage(topic: "will", payload: []))
    }
}
