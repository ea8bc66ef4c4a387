// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Testing

@testable import Simulation

@Suite("A simulated gateway's next step")
struct SimulatedGatewayTests {
    /// A gateway, its messages, and a clock in milliseconds.
    private struct Scene {
        var gateway: SimulatedGateway
        var now = MonotonicTime.zero
        private var ids: Int32 = 0

        init(sensors: Int = 2, gap: Int = 100, window: Int = 20, clears: Bool = true, start: Int = 0) {
            gateway = SimulatedGateway(
                SimulatedGateway.Rules(sensors: sensors, gap: .milliseconds(gap), window: window, clears: clears),
                start: .zero + .milliseconds(start), phase: .milliseconds(gap / 2))
        }

        mutating func wait(_ milliseconds: Int) { now = now + .milliseconds(milliseconds) }

        /// The gateway's present steps, as words; their messages are then on their way.
        mutating func steps() -> [String] {
            var words: [String] = []
            while let step = gateway.next(at: now, unix: 1_000) {
                switch step {
                case .connect:
                    words.append("connect")
                    return words
                case .disconnect: words.append("disconnect")
                case .publish(let message):
                    ids += 1
                    let isRepeat = (try? gateway.sent(message, as: ids, at: now)) ?? false
                    words.append(Self.word(message) + (isRepeat ? " again" : ""))
                }
            }
            return words
        }

        /// Acknowledges the messages with these ids.
        mutating func acknowledge(_ range: ClosedRange<Int32>, isRefused: Bool = false) -> [String] {
            range.compactMap { gateway.settled($0, isRefused: isRefused).map { Self.word($0.message) } }
        }

        mutating func acknowledgeAll() { _ = acknowledge(1...max(ids, 1)) }

        mutating func connect(receiveMaximum: Int = 65_535) {
            gateway.connecting(at: now)
            gateway.accepted(receiveMaximum: receiveMaximum, at: now)
        }

        /// Connected, with everything announced and acknowledged.
        static func connected(clears: Bool = true) -> Scene {
            var scene = Scene(clears: clears)
            _ = scene.steps()
            scene.connect()
            _ = scene.steps()
            scene.acknowledgeAll()
            return scene
        }

        static func word(_ message: SimulatedMessage) -> String {
            switch message {
            case .online: "online"
            case .offline: "offline"
            case .information: "info"
            case .statistics: "stats"
            case .availability(let sensor): "available \(sensor)"
            case .reading(let reading): "\(reading.n) of \(reading.sensor)"
            case .erasure(let message): "no " + word(message)
            }
        }
    }

    @Test("a gateway connects in its turn, sends a gateway's messages, then readings, each sensor in its turn")
    func order() {
        var scene = Scene(start: 500)
        #expect(scene.steps() == [])
        #expect(scene.gateway.deadline == .zero + .milliseconds(500))
        scene.wait(500)
        #expect(scene.steps() == ["connect"])
        #expect(scene.steps() == [])
        scene.connect()
        #expect(scene.steps() == ["online", "info", "available 0", "available 1", "stats"])
        #expect(scene.gateway.deadline == .zero + .milliseconds(550))
        scene.wait(50)
        #expect(scene.steps() == ["1 of 0"])
        scene.wait(99)
        #expect(scene.steps() == [])
        scene.wait(1)
        #expect(scene.steps() == ["2 of 1"])
        scene.wait(100)
        #expect(scene.steps() == ["3 of 0"])
        #expect(scene.gateway.unacknowledged == 3 && scene.gateway.inFlightCount == 7)
    }

    @Test(
        "no more messages than the window are on their way, nor more than the broker takes",
        arguments: [(3, 99), (99, 3)])
    func window(own: Int, broker: Int) {
        var scene = Scene(window: own)
        _ = scene.steps()
        scene.connect(receiveMaximum: broker)
        #expect(scene.steps() == ["online", "info", "available 0"])
        // Only an acknowledgement can help, or the end of its time.
        #expect(scene.gateway.deadline == .zero + .seconds(60))
        #expect(scene.acknowledge(1...1) == ["online"])
        #expect(scene.steps() == ["available 1"])
    }

    @Test(
        "the newest delayed reading of each sensor is made, and the others are counted")
    func skipped() {
        var scene = Scene.connected()
        scene.wait(50 + 700)
        // Eight have been due, of two sensors in turn.
        #expect(scene.steps() == ["1 of 0", "2 of 1"])
        #expect(scene.gateway.skipped == 6)
        scene.wait(100)
        #expect(scene.steps() == ["3 of 0"])
        #expect(scene.gateway.made == 3)
    }

    @Test("unacknowledged messages go again with their numbers, before anything new, and in order")
    func repeats() {
        var scene = Scene.connected()
        for _ in 0..<3 {
            scene.wait(scene.gateway.made == 0 ? 50 : 100)
            #expect(scene.steps().count == 1)
        }
        // "stats" had an id, too: the readings have 6, 7 and 8.
        #expect(scene.acknowledge(7...7) == ["2 of 1"])
        scene.gateway.ended(at: scene.now, spread: 1)
        #expect(scene.gateway.unacknowledged == 2 && scene.gateway.inFlightCount == 0)
        scene.wait(999)
        #expect(scene.steps() == [])
        scene.wait(1)
        #expect(scene.steps() == ["connect"])
        scene.connect()
        // In that second 10 readings were due: the gateway makes one for each sensor, the newest.
        #expect(
            scene.steps() == [
                "online", "info", "available 0", "available 1", "1 of 0 again", "3 of 0 again", "stats", "4 of 1",
                "5 of 0",
            ])
        scene.acknowledgeAll()
        #expect(scene.gateway.acknowledged == 5 && scene.gateway.unacknowledged == 0)
    }

    @Test("a reading that could not even be sent keeps its number")
    func unsent() {
        var scene = Scene.connected()
        scene.wait(50)
        guard case .publish(.reading(let reading)) = scene.gateway.next(at: scene.now, unix: 7) else {
            Issue.record("there is no reading")
            return
        }
        #expect(scene.gateway.unacknowledged == 1)
        scene.gateway.ended(at: scene.now, spread: 0.5)
        #expect(scene.gateway.unacknowledged == 1)
        scene.wait(500)
        #expect(scene.steps() == ["connect"])
        scene.connect()
        var first: SimulatedReading?
        while first == nil, case .publish(let message)? = scene.gateway.next(at: scene.now, unix: 8) {
            first = message.reading
            if first == nil { #expect(throws: Never.self) { try scene.gateway.sent(message, as: 90, at: scene.now) } }
            _ = scene.gateway.settled(90, isRefused: false)
        }
        #expect(first == reading)
    }

    @Test("waits between attempts double and are spread; after a stable connection they start anew")
    func backoff() {
        var scene = Scene()
        for (spread, wait) in [(1.0, 1_000), (1.5, 3_000), (0.5, 2_000)] {
            #expect(scene.steps() == ["connect"])
            scene.gateway.ended(at: scene.now, spread: spread)
            #expect(scene.gateway.deadline == scene.now + .milliseconds(wait))
            scene.wait(wait)
        }
        _ = scene.steps()
        scene.connect()
        scene.wait(30_000)
        scene.gateway.ended(at: scene.now, spread: 1)
        #expect(scene.gateway.deadline == scene.now + .seconds(1))
    }

    @Test("a silent broker is given up")
    func silence() {
        var scene = Scene()
        _ = scene.steps()
        scene.gateway.connecting(at: scene.now)
        scene.wait(14_999)
        #expect(scene.gateway.failure(at: scene.now) == nil)
        scene.wait(1)
        #expect(scene.gateway.failure(at: scene.now) == .noAnswer)
        scene = .connected()
        scene.wait(50)
        _ = scene.steps()
        scene.wait(59_999)
        #expect(scene.gateway.failure(at: scene.now) == nil)
        scene.wait(1)
        #expect(scene.gateway.failure(at: scene.now) == .noAcknowledgement(.seconds(60)))
    }

    @Test(
        "at the end readings are acknowledged first, then come offline and the removal of retained messages",
        arguments: [true, false])
    func end(clears: Bool) {
        var scene = Scene.connected(clears: clears)
        scene.wait(50)
        #expect(scene.steps() == ["1 of 0"])
        scene.gateway.end(at: scene.now)
        #expect(scene.steps() == [])
        scene.wait(1_000)
        #expect(scene.steps() == [])
        scene.acknowledgeAll()
        let erasures = ["no online", "no info", "no available 0", "no available 1"]
        #expect(scene.steps() == ["offline"] + (clears ? erasures : []))
        #expect(!scene.gateway.isOver)
        scene.acknowledgeAll()
        #expect(scene.steps() == ["disconnect"])
        #expect(scene.gateway.isOver && scene.gateway.deadline == nil && scene.steps() == [])
    }

    @Test("an end interrupted by a lost connection starts again on the next connection, without online")
    func interruptedEnd() {
        var scene = Scene.connected()
        scene.wait(50)
        _ = scene.steps()
        scene.gateway.end(at: scene.now)
        scene.gateway.ended(at: scene.now, spread: 1)
        scene.wait(1_000)
        #expect(scene.steps() == ["connect"])
        scene.connect()
        #expect(scene.steps() == ["1 of 0 again"])
        scene.acknowledgeAll()
        #expect(scene.steps().first == "offline")
        scene.gateway.ended(at: scene.now, spread: 1)
        scene.wait(2_000)
        #expect(scene.steps() == ["connect"])
        scene.connect()
        #expect(scene.steps() == ["offline", "no online", "no info", "no available 0", "no available 1"])
        scene.acknowledgeAll()
        #expect(scene.steps() == ["disconnect"])
    }

    @Test("a gateway before its turn is over at once, all others may still clear up")
    func earlyEnd() {
        var scene = Scene(start: 1_000)
        scene.gateway.end(at: scene.now)
        #expect(scene.gateway.isOver)
        // The gateway's turn has come, and the driver has not asked yet: a run of 0 seconds has to clear up all the same.
        scene = Scene()
        scene.gateway.end(at: scene.now)
        #expect(scene.steps() == ["connect"])
        scene.connect()
        #expect(scene.steps().first == "offline")
    }

    @Test("a refused reading is settled, and not acknowledged; an answer to nothing is nothing")
    func refused() {
        var scene = Scene.connected()
        scene.wait(50)
        _ = scene.steps()
        #expect(scene.acknowledge(1...99, isRefused: true) == ["1 of 0"])
        #expect(scene.gateway.acknowledged == 0 && scene.gateway.unacknowledged == 0)
        #expect(scene.acknowledge(1...99) == [])
    }

    @Test("a reused id before its acknowledgement ends the connection, and nothing is lost")
    func idsUsedUp() throws {
        var scene = Scene.connected()
        scene.wait(150)
        for id in [7, 7] as [Int32] {
            guard case .publish(let message)? = scene.gateway.next(at: scene.now, unix: 1) else {
                Issue.record("there is no reading")
                return
            }
            if scene.gateway.inFlightCount == 0 {
                try scene.gateway.sent(message, as: id, at: scene.now)
            } else {
                #expect(throws: MQTTFailure.messageIDsUsedUp) {
                    try scene.gateway.sent(message, as: id, at: scene.now)
                }
            }
        }
        scene.gateway.ended(at: scene.now, spread: 1)
        #expect(scene.gateway.unacknowledged == 2)
    }
}
