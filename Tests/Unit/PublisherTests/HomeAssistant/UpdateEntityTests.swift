// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

@Suite("Home Assistant: updates of the image")
struct UpdateEntityTests {
    private static let state = "martlet/gw/gw/update"

    private static func bench(
        _ discovery: HomeAssistantConfiguration.Discovery, _ update: ImageUpdate?, allowed: [String] = []
    ) -> MachineBench {
        var bench = MachineBench {
            $0.homeAssistant.discovery = discovery
            $0.allow(allowed)
        }
        bench.update = update
        // As the loop does before a connection begins.
        bench.machine.gateway.update(update)
        bench.begin()
        bench.publish()
        bench.acknowledgeAll()
        return bench
    }

    private static var updating: ImageUpdate {
        var update = ImageUpdate(installed: "1.4")
        (update.state, update.available, update.progress) = (.installing, "1.5", 0.4)
        return update
    }

    @Test func `what is not flashed has no entity and no topic`() {
        for discovery in [HomeAssistantConfiguration.Discovery.device, .entity, .both] {
            let bench = Self.bench(discovery, nil)
            #expect(!bench.sent.isEmpty && !bench.sent.contains { $0.topic.contains("update") })
            #expect(!bench.sent.contains { String(decoding: $0.payload, as: UTF8.self).contains("\"update\"") })
        }
        let silent = Self.bench(.off, ImageUpdate(installed: "1.4"))
        #expect(!silent.sent.contains { $0.topic == Self.state })
    }

    @Test func `each step is told once, retained, with the keys of Home Assistant`() throws {
        var bench = Self.bench(.device, ImageUpdate(installed: "1.4"))
        let idle = #"{"in_progress":false,"installed_version":"1.4","latest_version":"1.4","title":"Martlet","#
        let first = try #require(bench.sent.first { $0.topic == Self.state })
        #expect(first.retain && String(decoding: first.payload, as: UTF8.self) == idle + #""update_percentage":null}"#)
        let document = try #require(bench.sent.first { $0.topic.hasPrefix("homeassistant/device/") })
        let text = String(decoding: document.payload, as: UTF8.self)
        #expect(text.contains(#""p":"update""#) && text.contains(#""state_topic":"martlet/gw/gw/update""#), "\(text)")
        #expect(!text.contains("command_topic"), "nobody can install it from there")

        bench.sent = []
        bench.publish()
        #expect(bench.sent.isEmpty)
        bench.update = Self.updating
        bench.publish()
        let step = #"{"in_progress":true,"installed_version":"1.4","latest_version":"1.5","title":"Martlet","#
        #expect(bench.sent.map { String(decoding: $0.payload, as: UTF8.self) } == [step + #""update_percentage":40}"#])
        bench.publish()
        #expect(bench.sent.count == 1)
        // The next connection announces the entity again.
        bench.machine.end(at: bench.moment.now)
        bench.perform()
        bench.sent = []
        bench.begin()
        bench.publish()
        #expect(bench.sent.count { $0.topic == Self.state } == 1)
    }

    @Test func `it is installed from there where that is allowed`() throws {
        let bench = Self.bench(.device, ImageUpdate(installed: "1.4"), allowed: ["update"])
        let document = try #require(bench.sent.first { $0.topic.hasPrefix("homeassistant/device/") }).object
        let entity = try document.component("update")
        #expect(entity["command_topic"] as? String == "martlet/gw/gw/cmd/update")
        #expect(entity["payload_install"] as? String == #"{"action":"install"}"#)
    }

    @Test func `an entity of its own, which the next process does not take back`() throws {
        var bench = Self.bench(.entity, ImageUpdate(installed: "1.4"))
        let entity = "homeassistant/update/martlet_gw-gw/update/config"
        #expect(bench.sent.contains { $0.topic == entity && !$0.payload.isEmpty })
        #expect(bench.table.facts["retained:" + entity] != nil && bench.table.facts["retained:" + Self.state] != nil)
        bench.machine.end(at: bench.moment.now)
        bench.perform()
        bench.sent = []
        bench.begin()
        bench.publish()
        bench.acknowledgeAll()
        #expect(!bench.sent.contains { $0.payload.isEmpty })
    }

    @Test func `without discovery what was said of it is taken back`() {
        var bench = Self.bench(.device, ImageUpdate(installed: "1.4"))
        bench.machine.end(at: bench.moment.now)
        bench.perform()
        var silent = MachineBench { $0.homeAssistant.discovery = .off }
        silent.table.facts = bench.table.facts
        silent.update = bench.update
        silent.begin()
        silent.publish()
        #expect(silent.sent.contains { $0.topic == Self.state && $0.payload.isEmpty && $0.retain })
    }
}
