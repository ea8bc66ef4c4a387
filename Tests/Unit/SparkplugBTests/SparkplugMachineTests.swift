// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SwiftProtobuf
import Testing

@testable import SparkplugB

/// The edge node without a broker, and a consumer's view of its messages.
struct SparkplugMachineTests {
    /// A node, its clock, and its sent messages.
    struct Bench {
        var machine: SparkplugMachine
        var milliseconds: Int64 = 10_000
        /// `NBIRTH 0`, `DBIRTH attic 1`.
        var sent: [String] = []
        var payloads: [WirePayload] = []

        init(waitsForHost: Bool = false) {
            machine = SparkplugMachine(
                SparkplugTopics(group: "plant", node: "gw"), waitsForHost: waitsForHost)
        }

        var now: MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

        /// - Returns: The number of the session.
        @discardableResult mutating func connect(after last: UInt8? = nil) -> UInt8 {
            let session = machine.openSession(after: last)
            machine.usedSession()
            machine.connected()
            return session
        }

        mutating func turn(_ node: [SparkplugMetric] = []) {
            machine.beginTurn(at: now, timestamp: milliseconds)
            while let due = machine.nextDue, due <= now {
                for message in machine.messagesDue(node: node) { send(message) }
            }
        }

        mutating func send(_ message: SparkplugMessage) {
            let octets = message.metrics + machine.end(message.order, timestamp: milliseconds)
            machine.sent(message.order)
            guard let payload = try? WirePayload(serializedBytes: octets) else { return }
            let levels = message.topic.split(separator: "/")
            sent.append(([levels[2]] + levels.dropFirst(4)).joined(separator: " ") + " \(payload.seq)")
            payloads.append(payload)
        }

        /// A reading of a device.
        mutating func data(
            _ device: String, _ name: String = "temperature", _ value: SparkplugMetric.Value = .double(20),
            isHistorical: Bool = false
        ) {
            machine.beginTurn(at: now, timestamp: milliseconds)
            let metrics = [SparkplugMetric(name, value, at: milliseconds, isHistorical: isHistorical)]
            let data = SparkplugData(device: device, metrics: metrics, isHistorical: isHistorical)
            if let birth = machine.birth(before: data) { send(birth) }
            send(
                SparkplugMessage(
                    topic: machine.topics.device(device, .data), metrics: SparkplugPayload.metrics(metrics),
                    order: .next))
        }

        @discardableResult mutating func takeSent() -> [String] {
            defer { (sent, payloads) = ([], []) }
            return sent
        }
    }

    static let rebirth = [UInt8](hexadecimal: SparkplugPayloadTests.rebirth)

    @Test func `the node is born first, with its session, then its devices, each before its data`() {
        var bench = Bench()
        bench.connect()
        bench.machine.setOnline("attic", true, at: bench.now)
        bench.turn([SparkplugMetric("buffered", .int64(3), at: 10_000)])
        #expect(bench.payloads[0].metrics.map(\.name) == ["bdSeq", "Node Control/Rebirth", "buffered"])
        #expect(bench.payloads[0].metrics[0].longValue == 0)
        #expect(bench.payloads[0].metrics[1].value == .booleanValue(false))
        #expect(bench.payloads[0].timestamp == 10_000)
        bench.data("attic")
        bench.data("attic")
        bench.data("cellar")
        #expect(
            bench.takeSent() == [
                "NBIRTH 0", "DBIRTH attic 1", "DDATA attic 2", "DDATA attic 3", "DBIRTH cellar 4", "DDATA cellar 5",
            ])
    }

    @Test func `numbers come round after 255, and begin at 0 with each birth of the node`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        for _ in 0..<300 { bench.data("attic") }
        let numbers = bench.payloads.map(\.seq)
        #expect(numbers == [UInt64](0..<256) + [UInt64](0..<46))
        bench.takeSent()
        bench.machine.disconnected()
        bench.connect()
        bench.turn()
        bench.data("attic")
        #expect(bench.takeSent() == ["NBIRTH 0", "DBIRTH attic 1", "DDATA attic 2"])
    }

    @Test func `a new metric, or one of another type, is in a birth before it is in data`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        bench.data("attic")
        bench.data("attic", "humidity")
        bench.data("attic", "humidity", .string("wet"))
        bench.data("attic", "humidity", .string("dry"))
        #expect(
            bench.sent == [
                "NBIRTH 0", "DBIRTH attic 1", "DDATA attic 2", "DBIRTH attic 3", "DDATA attic 4", "DBIRTH attic 5",
                "DDATA attic 6", "DDATA attic 7",
            ])
        // The birth has the known metrics: the new metric's value comes with its data.
        let birth = bench.payloads[3]
        #expect(birth.metrics.map(\.name) == ["temperature", "humidity"])
        #expect(birth.metrics.map(\.isNull) == [false, true])
        #expect(birth.metrics.map(\.datatype) == [10, 10])
        #expect(bench.payloads[5].metrics.map(\.datatype) == [10, 12])
        #expect(birth.metrics[0].doubleValue == 20)
    }

    @Test func `a sensor with new metrics without end costs no memory without end`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        for number in 0..<600 { bench.data("attic", "m\(number)") }
        let most = bench.payloads.map(\.metrics.count).max()
        #expect(most == SparkplugDevice.maximumMetrics)
        // Every sent metric is in the last birth.
        var known: Set<String> = []
        for (sent, payload) in zip(bench.sent, bench.payloads) {
            if sent.hasPrefix("DBIRTH") { known = Set(payload.metrics.map(\.name)) }
            if sent.hasPrefix("DDATA") { #expect(payload.metrics.allSatisfy { known.contains($0.name) }) }
        }
    }

    @Test func `a rebirth brings all births anew, in the same session, and not more often than in some seconds`() {
        var bench = Bench()
        bench.connect(after: 7)
        bench.turn()
        bench.data("attic")
        bench.takeSent()
        bench.milliseconds += 6_000
        for _ in 0..<1_000 { #expect(bench.machine.received(command: Self.rebirth) == .rebirth) }
        bench.turn()
        #expect(bench.payloads[0].metrics[0].longValue == 8)
        #expect(bench.takeSent() == ["NBIRTH 0", "DBIRTH attic 1"])
        for second in 1...4 {
            bench.milliseconds += 1_000
            _ = bench.machine.received(command: Self.rebirth)
            bench.turn()
            #expect(bench.sent.isEmpty, "after \(second) s")
        }
        #expect(bench.machine.nextDue == bench.now + .seconds(1))
        bench.milliseconds += 1_000
        bench.turn()
        #expect(bench.takeSent() == ["NBIRTH 0", "DBIRTH attic 1"])
        #expect(bench.machine.nextDue == nil)
    }

    @Test func `other commands are counted, and change nothing`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        let other = [UInt8](hexadecimal: "08fbd095ffbc31121d0a094f7574707574732f31100718fbd095ffbc31200b42034201787001")
        #expect(bench.machine.received(command: other) == .ignored(1))
        #expect(bench.machine.received(command: other) == .ignored(2))
        #expect(bench.machine.received(command: [0xFF, 0xFF]) == .invalid(1))
        #expect(bench.machine.received(state: [0xFF]) == .invalid(2))
        #expect(bench.machine.nextDue == nil)
    }

    @Test func `the number of a session grows with each that a broker can have seen, over restarts, and comes round`() {
        var bench = Bench()
        #expect(bench.machine.openSession(after: nil) == 0)
        #expect(bench.machine.openSession(after: 0) == 0, "nobody was there")
        #expect(bench.connect() == 0)
        bench.machine.disconnected()
        #expect(bench.connect() == 1)
        #expect(bench.machine.death(timestamp: 5).topic == "spBv1.0/plant/NDEATH/gw")
        let death = try? WirePayload(serializedBytes: bench.machine.death(timestamp: 5).payload)
        #expect(death?.metrics.map(\.name) == ["bdSeq"])
        #expect(death?.metrics.first?.longValue == 1)
        #expect(death?.hasSeq == false)
        var next = Bench()
        #expect(next.connect(after: 255) == 0)
    }

    // MARK: - Devices that leave and return

    @Test func `a device that is away dies after what is left of it, and is born again when it is back`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        bench.data("attic")
        bench.takeSent()
        bench.machine.setOnline("attic", false, at: bench.now)
        bench.turn()
        bench.milliseconds += 1_000
        bench.data("attic")
        bench.turn()
        #expect(bench.takeSent() == ["DDATA attic 3"], "what was received before goes out first")
        bench.milliseconds += 2_000
        bench.turn()
        #expect(bench.takeSent() == ["DDEATH attic 4"])
        bench.machine.setOnline("attic", true, at: bench.now)
        bench.turn()
        bench.data("attic")
        #expect(bench.takeSent() == ["DBIRTH attic 5", "DDATA attic 6"])
    }

    @Test func `a device that is back at once does not die`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        bench.data("attic")
        bench.takeSent()
        bench.machine.setOnline("attic", false, at: bench.now)
        bench.machine.setOnline("attic", true, at: bench.now)
        bench.milliseconds += 10_000
        bench.turn()
        #expect(bench.takeSent().isEmpty)
    }

    @Test func `a device that is away is born for its past, and dies after it`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        bench.data("attic", isHistorical: true)
        bench.milliseconds += 1_000
        bench.data("attic", isHistorical: true)
        bench.milliseconds += 1_999
        bench.turn()
        #expect(bench.payloads[1].metrics.map(\.isNull) == [true], "the past is not the present")
        #expect(bench.payloads[2].metrics.map(\.isHistorical) == [true])
        #expect(bench.takeSent() == ["NBIRTH 0", "DBIRTH attic 1", "DDATA attic 2", "DDATA attic 3"])
        bench.milliseconds += 1
        bench.turn()
        #expect(bench.takeSent() == ["DDEATH attic 4"])
    }

    @Test func `a device that was removed dies once, and is forgotten`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        bench.data("attic")
        bench.takeSent()
        bench.machine.remove("attic", at: bench.now)
        bench.turn()
        #expect(bench.takeSent() == ["DDEATH attic 3"])
        bench.milliseconds += 10_000
        _ = bench.machine.received(command: Self.rebirth)
        bench.turn()
        #expect(bench.takeSent() == ["NBIRTH 0"])
    }

    @Test func `a device that was removed and is back at once stays known`() {
        var bench = Bench()
        bench.connect()
        bench.turn()
        bench.data("attic")
        bench.machine.remove("attic", at: bench.now)
        bench.machine.setOnline("attic", true, at: bench.now)
        bench.turn()
        bench.takeSent()
        bench.machine.disconnected()
        bench.connect()
        bench.turn()
        #expect(bench.takeSent() == ["NBIRTH 0", "DBIRTH attic 1"])
    }

    // MARK: - The host application

    @Test func `nothing is said before the host application is online, nor after it is offline`() {
        var bench = Bench(waitsForHost: true)
        func state(_ isOnline: Bool, _ timestamp: Int) -> [UInt8] {
            [UInt8](#"{"online":\#(isOnline),"timestamp":\#(timestamp)}"#.utf8)
        }
        bench.connect()
        bench.turn()
        #expect(bench.sent.isEmpty)
        #expect(!bench.machine.isOpen)
        #expect(bench.machine.received(state: state(false, 100)) == .hostOffline)
        #expect(!bench.machine.wantsEnd, "there is nothing to end")
        #expect(bench.machine.received(state: state(true, 200)) == .hostOnline)
        bench.turn()
        #expect(bench.takeSent() == ["NBIRTH 0"])
        #expect(bench.machine.isOpen)
        // The will of the host's session before.
        #expect(bench.machine.received(state: state(false, 199)) == .stale(1))
        #expect(bench.machine.received(state: state(true, 300)) == nil)
        #expect(bench.machine.received(state: state(false, 250)) == .stale(2))
        #expect(bench.machine.isOpen)
        #expect(bench.machine.received(state: state(false, 300)) == .hostOffline)
        #expect(bench.machine.wantsEnd)
        #expect(!bench.machine.isOpen)
        #expect(bench.machine.nextDue == nil)
        bench.machine.disconnected()
        #expect(bench.connect() == 1)
        // A host whose clock was set back is no worse on the next connection.
        #expect(bench.machine.received(state: state(true, 50)) == .hostOnline)
        bench.turn()
        #expect(bench.takeSent() == ["NBIRTH 0"])
    }

    @Test func `a word of the host application from the future shuts out later ones for a minute`() {
        var bench = Bench(waitsForHost: true)
        let future = [UInt8](#"{"online":true,"timestamp":9223372036854775807}"#.utf8)
        func offline(_ timestamp: Int64) -> [UInt8] { [UInt8](#"{"online":false,"timestamp":\#(timestamp)}"#.utf8) }
        bench.connect()
        #expect(bench.machine.received(state: future, clock: 1_000_000) == .hostOnline)
        #expect(bench.machine.received(state: offline(1_059_999), clock: 1_059_999) == .stale(1))
        #expect(bench.machine.received(state: offline(1_060_000), clock: 1_060_000) == .hostOffline)
        bench.machine.disconnected()
        bench.connect()
        #expect(bench.machine.received(state: future) == .hostOnline)
        #expect(bench.machine.received(state: offline(.max - 1)) == .stale(2), "without a clock nobody knows")
    }

    @Test func `of the node itself goes what has changed`() throws {
        var bench = Bench()
        bench.connect()
        func metrics(_ buffered: Int64) -> [SparkplugMetric] {
            [
                SparkplugMetric("buffered", .int64(buffered), at: 10_000),
                SparkplugMetric("clock", .string("synced"), at: 10_000),
            ]
        }
        #expect(bench.machine.nodeData(metrics(1)) == nil, "it is not born")
        bench.turn(metrics(1))
        #expect(bench.machine.nodeData(metrics(1)) == nil)
        let news = bench.machine.nodeData(metrics(2))
        bench.send(try #require(news))
        #expect(bench.payloads.last?.metrics.map(\.name) == ["buffered"])
        #expect(bench.takeSent() == ["NBIRTH 0", "NDATA 1"])
    }
}
