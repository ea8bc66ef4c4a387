// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings
import Testing

@testable import Publisher
@testable import Simulation

@Suite("Simulated gateways' messages")
struct SimulatedValuesTests {
    private let reading = SimulatedReading(
        n: 7, sensor: 3, uptimeMilliseconds: 5_000, unixMilliseconds: 1_767_261_906_123)

    private func message(_ message: SimulatedMessage, of number: Int = 42, seed: UInt64 = 1) -> OutgoingMessage {
        var writer = PayloadWriter()
        let moment = SimulatedValues.Moment(
            uptimeMilliseconds: 1, unixMilliseconds: 2, made: 9, acknowledged: 7, isWaiting: 2)
        return SimulatedValues(SimulatedIdentity(number: number), prefix: "martlet", seed: seed).message(
            message, at: moment, with: &writer)
    }

    @Test("no two gateways share a sensor, at either end of the options' range")
    func sensorsAreUnique() {
        var devices: Set<String> = []
        var count = 0
        for number in [1, 2, 255, 256, 65_535, 65_536, 999_998, 999_999] {
            for sensor in [0, 1, 9, 255, 256, 999] {
                let device = SimulatedIdentity(number: number).device(sensor)
                #expect(device.count == 12 && device.allSatisfy { $0.isHexDigit && !$0.isUppercase })
                devices.insert(device)
                count += 1
            }
        }
        #expect(devices.count == count)
        #expect(SimulatedIdentity(number: 42).gateway == "sim-000042")
        #expect(SimulatedIdentity(number: 42).clientID == "martlet-sim-000042")
    }

    @Test("a reading is a payload of docs/mqtt.md, equal for equal seeds, and different for another seed")
    func payload() throws {
        let state = message(.reading(reading))
        #expect(state.topic == "martlet/dev/f500002a0003/state" && !state.retain)
        let object = try #require(JSONSerialization.jsonObject(with: Data(state.payload)) as? [String: Any])
        #expect(object["n"] as? Int == 7 && object["gw"] as? String == "sim-000042")
        #expect(object["dev"] as? String == "f500002a0003" && object["clock"] as? String == "synced")
        #expect(object["ts"] as? Int == 1_767_261_906_123 && object["up_ms"] as? Int == 5_000)
        #expect((15.0...30.0).contains(try #require(object["temperature"] as? Double)))
        #expect((0.0...100.0).contains(try #require(object["humidity"] as? Double)))
        #expect((950.0...1_050.0).contains(try #require(object["pressure"] as? Double)))
        #expect(message(.reading(reading)) == state)
        #expect(message(.reading(reading), seed: 2).payload != state.payload)
    }

    @Test("status, information and availability are retained; an empty message on the same topic removes them")
    func retained() throws {
        let rows: [(SimulatedMessage, String, String?)] = [
            (.online, "martlet/gw/sim-000042/status", "online"), (.offline, "martlet/gw/sim-000042/status", "offline"),
            (.information, "martlet/gw/sim-000042/info", nil),
            (.availability(3), "martlet/dev/f500002a0003/availability", "online"),
        ]
        for (word, topic, payload) in rows {
            let sent = message(word)
            #expect(sent.topic == topic && sent.retain)
            if let payload { #expect(String(decoding: sent.payload, as: UTF8.self) == payload) }
            #expect(message(.erasure(word)) == OutgoingMessage(topic: topic, payload: [], retain: true))
        }
        let books = message(.statistics)
        #expect(books.topic == "martlet/gw/sim-000042/stats" && !books.retain)
        let object = try #require(JSONSerialization.jsonObject(with: Data(books.payload)) as? [String: Any])
        #expect(object["received"] as? Int == 9 && object["delivered"] as? Int == 7 && object["buffered"] as? Int == 2)
    }
}
