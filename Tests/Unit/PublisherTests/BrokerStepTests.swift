// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Publisher
@testable import Readings

/// The displayed step of the connection to the broker.
struct BrokerStepTests {
    @Test func `a broker that does not answer SUBSCRIBE is waited for by name, and readings reach it`() async throws {
        let broker = try ScriptedBroker(answer: { _ in [] })
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.allowedCommands = ["scan"] }
        rig.append(5)
        publisher.start()
        #expect(await eventually { publisher.statistics.connected && publisher.statistics.step == "subscriptions" })
        #expect(await eventually { rig.journal.statistics.delivered == 5 })
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `an answer ends the step`() async throws {
        let broker = try ScriptedBroker(answer: { request in
            // SUBACK with QoS 1 for each filter. MQTT 5.0, 3.9.
            let id = [UInt8(request.packetID >> 8), UInt8(request.packetID & 0xFF)]
            return [.octets([0x90, UInt8(3 + request.filters.count)] + id + [0] + request.filters.map { _ in 1 })]
        })
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.allowedCommands = ["scan"] }
        publisher.start()
        #expect(await eventually { publisher.statistics.connected && publisher.statistics.step == nil })
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `a missing answer is told of once, and a late one takes the word back`() {
        let start = MonotonicTime(nanoseconds: 1)
        var watch = SubscriptionWatch()
        #expect(watch.look(awaits: true, at: start) == nil, "nothing was asked")
        watch.begin(at: start)
        #expect(watch.look(awaits: true, at: start + .seconds(14.9)) == nil)
        #expect(watch.look(awaits: true, at: start + .seconds(15)) == .late)
        #expect(watch.look(awaits: true, at: start + .seconds(60)) == nil)
        #expect(watch.look(awaits: false, at: start + .seconds(61)) == .answered(afterWarning: true))
        #expect(watch.look(awaits: false, at: start + .seconds(62)) == nil)
        watch.begin(at: start)
        #expect(watch.look(awaits: false, at: start + .seconds(1)) == .answered(afterWarning: false))
    }

    @Test func `one that never answers CONNECT is waited for by name, and is reached again`() async throws {
        let broker = try ScriptedBroker { event in
            if case .connect(0, _) = event { return [] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        #expect(await eventually { publisher.statistics.step == "broker" })
        #expect(await eventually { publisher.statistics.connected })
        #expect(publisher.statistics.step == nil && publisher.statistics.lastError == nil)
        publisher.stop(drainingFor: .seconds(1))
    }
}
