// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// Sensors' names come from the air, and go into payloads and logs.
@Suite("Sensor names")
struct SensorNameTests {
    @Test(
        arguments: [
            ("Fridge", "Fridge"), ("  Fridge\u{0}\u{0}", "Fridge"), ("a\nb\u{1B}[31mc", "ab[31mc"), ("", nil),
            ("\u{7F}\u{85}", nil),
            ("a\u{202E}b\u{2066}c\u{FEFF}", "abc"), ("a\u{2028}b", "ab"), ("Kühlschrank ❄", "Kühlschrank ❄"),
            ("a\u{200D}b", "a\u{200D}b"), (String(repeating: "ü", count: 100), String(repeating: "ü", count: 32)),
            ("e" + String(repeating: "\u{301}", count: 10_000), "e" + String(repeating: "\u{301}", count: 31)),
        ] as [(String, String?)])
    func `names are short, and have nothing that a log or a terminal would obey`(_ text: String, _ name: String?) {
        #expect(AdvertisedName.clean(text) == name)
        #expect(SensorDescription(name: text).name == name)
    }

    @Test func `a name stands beside the id, and cannot leave its place`() throws {
        let head = PayloadWriter.head(device: "cbb8334c884f", name: "Fridge", gateway: "gw-3f2a1c")
        #expect(
            String(decoding: head, as: UTF8.self)
                == #"{"v":1,"dev":"cbb8334c884f","name":"Fridge","gw":"gw-3f2a1c","n":"#)
        let hostile = #"a","dev":"b\"#
        let text = PayloadWriter.head(device: "x", name: hostile, gateway: "g") + Array("1}".utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
        #expect(object["name"] as? String == hostile && object["dev"] as? String == "x" && object.count == 5)
    }

    @Test func `readings and refusals carry the name, on both lanes`() async throws {
        let broker = try ScriptedBroker { event in
            if case .publish(_, let message) = event, message.topic.hasSuffix("sensor-2/state") {
                return [.puback(message.packetID, 0x87)]
            }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger)
        rig.sensors.describe("sensor-1", SensorDescription(name: "Fridge"))
        rig.sensors.describe("sensor-2", SensorDescription(name: "Attic"))
        rig.append(4, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        rig.append(4)
        publisher.start()
        #expect(await eventually { broker.published.contains { $0.topic.hasSuffix("sensor-1/history") } })
        #expect(await eventually { broker.published.contains { $0.topic.hasSuffix("sensor-1/state") } })
        #expect(await eventually { log.text.contains("sensor=sensor-2 sensor.name=Attic") }, "\(log.text)")
        publisher.stop(drainingFor: .seconds(1))
        for reading in broker.readings {
            let name = reading["name"] as? String
            switch reading["dev"] as? String {
            case "sensor-1": #expect(name == "Fridge")
            case "sensor-2": #expect(name == "Attic")
            default: #expect(name == nil)
            }
        }
    }

    @Test func `the name is kept: a reading that is sent again after a restart has the same words`() async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(broker)
        SensorNames(rig.journal).keep("Fridge", of: "sensor-1")
        SensorNames(rig.journal).keep(nil, of: "sensor-1")
        rig.append(4)
        // Nothing was heard of the sensors in this run.
        let publisher = rig.publisher()
        publisher.start()
        #expect(await eventually { broker.readings.contains { $0["dev"] as? String == "sensor-1" } })
        publisher.stop(drainingFor: .seconds(1))
        for reading in broker.readings {
            #expect(reading["name"] as? String == (reading["dev"] as? String == "sensor-1" ? "Fridge" : nil))
        }
    }
}
