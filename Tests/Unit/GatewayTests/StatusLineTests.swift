// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Collector
@testable import Gateway
@testable import Publisher
@testable import Readings

@Suite("The line of systemctl status")
struct StatusLineTests {
    private func status(_ change: (inout GatewayStatus) -> Void) -> String {
        var mqtt = PublisherStatistics(broker: "b:1883")
        mqtt.connected = true
        var status = GatewayStatus(
            gateway: "g", version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: CollectorStatus(),
            journal: JournalStatistics(path: "/j"), mqtt: mqtt)
        change(&status)
        return StatusLine.text(status.judged)
    }

    private func sensor(_ link: SensorStatus.Link) -> SensorStatus {
        SensorStatus(
            id: "a", name: nil, address: nil, identifier: "i", link: link,
            health: link == .collecting ? .fresh : .neverHeard, rssi: nil, readings: 0, drops: 0,
            reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
    }

    @Test("The line has the present activity")
    func well() {
        #expect(status { _ in } == "no sensors yet; connected to b:1883")
        let busy = status { status in
            status.collector.sensors = [sensor(.collecting), sensor(.connecting)]
            status.journal.buffered = 3
            status.journal.waiting = 1
        }
        #expect(busy == "collecting from 1 of 2 sensors; connected to b:1883; 4 readings not delivered yet")
    }

    @Test("The line names the entry without a sensor, or the number of such entries")
    func unseen() {
        var rule = SensorRule()
        rule.name = "Heart*"
        let one = status { $0.collector.awaited = [AwaitedSensor(rule)] }
        #expect(one == "no sensors yet, Heart* not seen yet; connected to b:1883")
        let two = status { status in
            status.collector.sensors = [sensor(.collecting)]
            status.collector.awaited = [AwaitedSensor(rule), AwaitedSensor(rule)]
        }
        #expect(two == "collecting from 1 of 1 sensors, 2 entries not seen yet; connected to b:1883")
    }

    @Test("A problem with a remedy for a person comes first")
    func troubles() {
        let text = status { status in
            status.journal.problem = "no space left"
            status.controller.state = "hci0 is busy"
            status.mqtt.connected = false
            status.mqtt.lastError = "refused"
        }
        #expect(
            text == "radio: hci0: hci0 is busy; disk: no space left; no sensors yet; "
                + "not connected to b:1883 (refused)")
    }
}
