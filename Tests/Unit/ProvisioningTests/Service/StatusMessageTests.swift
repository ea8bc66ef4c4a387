// SPDX-License-Identifier: Apache-2.0

import Publisher
import Readings
import Testing

@testable import Collector
@testable import Gateway
@testable import Health
@testable import Provisioning

/// A phone shows each failure of the gateway, also when the broker is connected.
struct StatusMessageTests {
    private func message(_ change: (inout GatewayStatus) -> Void) -> StatusMessage {
        var mqtt = PublisherStatistics(broker: "b:1883")
        mqtt.connected = true
        var status = GatewayStatus(
            gateway: "g", version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: CollectorStatus(),
            journal: JournalStatistics(path: "/j"), mqtt: mqtt)
        change(&status)
        var health = GatewayHealth(isPatient: false)
        _ = health.judge(&status, at: 0)
        return StatusMessage(status, nil, state: "running")
    }

    @Test func `a gateway that works has no problem`() {
        let message = message { _ in }
        #expect(message.problem == nil && message.brokerError == nil && message.brokerConnected)
    }

    @Test func `problems with the broker are told beside its connection`() {
        let taken = message { $0.mqtt.namesake = true }
        #expect(taken.problem?.hasPrefix("Another gateway has this gateway's name") == true)
        let refused = message { ($0.mqtt.refusedSensors, $0.mqtt.lastError) = (2, "Not authorized") }
        #expect(refused.problem?.hasPrefix("The broker refuses readings") == true)
    }

    @Test func `without a connection the broker's error stands in its own place`() {
        let message = message { ($0.mqtt.connected, $0.mqtt.lastError) = (false, "refused") }
        #expect(message.problem == nil && message.brokerError == "refused" && !message.brokerConnected)
    }

    @Test func `a problem is told with its code, and with the name of its sensor`() {
        let full = message { ($0.journal.problem, $0.journal.isFull) = ("no room", true) }
        #expect(full.problemCode == "disk-full" && full.problemAbout == nil)
        let silent = message { status in
            var sensor = SensorStatus(
                id: "fridge", name: nil, address: nil, identifier: "i", link: .collecting, health: .fresh, rssi: -60,
                readings: 20, drops: 7, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
            sensor.trouble = "the sensor wants to be paired"
            status.collector.sensors = [sensor]
        }
        #expect(silent.problemCode == "sensor-trouble" && silent.problemAbout == "fridge")
    }

    @Test func `sensors are counted by the states of the account`() {
        let states: [SensorState] = [.fresh, .late, .unknown, .unknown, .silent]
        let message = message { status in
            status.collector.sensors = states.enumerated().map { place, state in
                var sensor = SensorStatus(
                    id: "s\(place)", name: nil, address: nil, identifier: "i", link: .listening, health: state,
                    rssi: nil, readings: 0, drops: 0, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [],
                    values: [])
                sensor.health = state
                return sensor
            }
        }
        #expect(message.sensors == 5 && message.collecting == 2 && message.states == ["silent": 1, "unknown": 2])
        #expect(self.message { _ in }.states == nil)
    }

    @Test func `a text that is cut ends with a mark, within its limit`() {
        #expect(PlainText.sentence("the disk is full", limit: 16) == "the disk is full")
        #expect(PlainText.sentence("the disk is full", limit: 15) == "the disk is …")
        #expect(PlainText.sentence("für\nimmer", limit: 8) == "für …")
    }
}
