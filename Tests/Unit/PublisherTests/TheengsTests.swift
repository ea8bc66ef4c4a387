// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Publisher
@testable import Readings

@Suite("Layout of Theengs")
struct TheengsTests {
    private func payload(_ fields: [Field]?, name: TheengsName, row: JournalRow = Sample.row()) -> String {
        var writer = PayloadWriter()
        writer.theengs(
            row, time: ReadingTime(unixMilliseconds: row.unixMilliseconds, quality: row.quality),
            head: PayloadWriter.theengsHead(name), characteristic: "2a00", fields: fields)
        return String(decoding: writer.octets, as: UTF8.self)
    }

    @Test func `a reading has the keys of OpenMQTTGateway`() {
        let name = TheengsName("fridge", SensorDescription(address: "C4:7C:8D:00:11:22", name: "Fridge"))
        #expect(name.topic == "C47C8D001122")
        let text = payload(
            [
                .decimal(.temperature, 2430, places: 2), .decimal(.humidity, 5349, places: 2), .int(.battery, 93),
                .decimal(.pressure, 1_000_440, places: 3), .int(.heartRate, 66),
            ], name: name)
        #expect(
            text == """
                {"id":"C4:7C:8D:00:11:22","name":"Fridge","rssi":-67,"tempc":24.3,"tempf":75.74,"hum":53.49,\
                "batt":93,"pres":1000.44,"bpm":66,"n":18231,"ts":1767261906123}
                """)
    }

    @Test func `who made a sensor is told where that is known`() {
        let description = SensorDescription(name: "Fridge", manufacturer: "Xiaomi \"Mi\"", model: "LYWSD03MMC")
        let text = payload([.int(.battery, 93)], name: TheengsName("cbb8334c884f", description))
        let maker = #""brand":"Xiaomi \"Mi\"","model":"LYWSD03MMC","#
        #expect(text.hasPrefix(#"{"id":"CB:B8:33:4C:88:4F","name":"Fridge","# + maker))
        #expect(!payload([], name: TheengsName("cbb8334c884f", nil)).contains("brand"))
    }

    @Test func `probes are numbered as Theengs numbers them, and no name comes twice`() {
        let probes = [1, 2, 3].map { Field(.temperature, .int(20), index: $0) } + [Field(.voltage, .int(3), index: 2)]
        let text = payload(probes, name: TheengsName("cbb8334c884f", nil))
        #expect(
            text.contains(
                #""tempc":20,"tempf":68,"tempc2":20,"tempf2":68,"tempc3":20,"tempf3":68,"volt_2":3,"#))
    }

    @Test func `degrees Fahrenheit are exact`() {
        let name = TheengsName("cbb8334c884f", nil)
        #expect(name.id == "CB:B8:33:4C:88:4F")
        for (mantissa, places, expected) in [(0, 0, "32"), (-40, 0, "-40"), (100, 0, "212"), (-1, 2, "31.982")] {
            let text = payload([.decimal(.temperature, Int64(mantissa), places: places)], name: name)
            #expect(text.contains("\"tempf\":\(expected),"))
        }
        let extreme = payload([.decimal(.temperature, .max, places: 2)], name: name)
        #expect(!extreme.contains("tempf"))
    }

    @Test func `what no decoder knows is passed on, under the name that there is`() throws {
        let text = payload(nil, name: TheengsName("odd/one", nil), row: Sample.row(value: [0xAB]))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["id"] as? String == "odd/one")
        #expect(object["raw"] as? String == "ab")
        #expect(Topics(prefix: "p", gateway: "g").theengs(of: TheengsName("odd/one", nil)) == "home/g/BTtoMQTT/odd_one")
    }

    @Test func `live values go there, everything else stays where it is`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.layout = .theengs }
        rig.sensors.describe("sensor-1", SensorDescription(address: "C4:7C:8D:00:11:22", name: "Fridge"))
        rig.append(4, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        rig.append(4)
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 8 })
        publisher.stop(drainingFor: .seconds(1))
        let topics = Set(broker.published.map(\.topic))
        #expect(topics.contains("home/gw-test/BTtoMQTT/C47C8D001122"))
        #expect(topics.contains("home/gw-test/BTtoMQTT/sensor-2"))
        #expect(topics.contains("martlet/dev/sensor-1/history"))
        #expect(topics.contains("martlet/gw/gw-test/status"))
        #expect(!topics.contains { $0.hasSuffix("/state") })
        let history = broker.published.filter { $0.topic.hasSuffix("/history") }.flatMap(\.readings)
        #expect(history.allSatisfy { $0["temperature"] != nil && $0["tempc"] == nil })
    }
}
