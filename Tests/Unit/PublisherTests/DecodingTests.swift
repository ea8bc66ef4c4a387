// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Synchronization
import Testing

@testable import GatewayBench
@testable import Publisher

/// How often the publisher decodes a value: pacing, events, states, Home Assistant and raw values all need it.
struct DecodingTests {
    private final class Count: Sendable {
        private let number = Atomic(0)
        var value: Int { number.load(ordering: .relaxed) }
        func add() { number.add(1, ordering: .relaxed) }
    }

    private static func bench(_ count: Count, isPaced: Bool, family: String = "2a6e") -> MachineBench {
        let sensors = SensorTable(decoder: { name in Decoders.decoder(for: name).map { counted($0, count) } })
        var bench = MachineBench(sensors: sensors) {
            $0.homeAssistant.discovery = .device
            $0.publishRaw = true
            if isPaced { $0.pacing.minimumInterval = .seconds(5) }
        }
        bench.table.characteristicNames[1] = family
        bench.beginQuietly()
        return bench
    }

    private static func counted(_ decode: @escaping Decoders.Decode, _ count: Count) -> Decoders.Decode {
        { value throws(DecodeError) in
            count.add()
            return try decode(value)
        }
    }

    private static func reading(_ row: JournalRow, _ family: String) -> Reading {
        Reading(
            device: "sensor-1", characteristic: family, source: .advert, value: row.value, rssi: nil,
            stamp: TimeStamp(
                boot: MachineBench.boot, uptimeMilliseconds: row.uptimeMilliseconds, unixMilliseconds: nil,
                quality: .unsynced))
    }

    @Test(arguments: [true, false])
    func `a row of the present is decoded once`(isPaced: Bool) {
        let count = Count()
        var bench = Self.bench(count, isPaced: isPaced)
        bench.append(100_000)
        bench.publish()
        #expect(bench.sent.count == 1 && count.value == 1)
        // This reading waits for the end of its interval, if there is one.
        bench.append(100_100)
        bench.publish()
        bench.uptime += 6_000
        bench.publish()
        #expect(bench.sent.count { $0.topic.hasSuffix("/state") } == 2 && count.value == 2)
    }

    @Test func `an advertised packet comes decoded, an event among them`() throws {
        let count = Count()
        // A pressed button, with the battery beside it.
        let press: [UInt8] = [0x40, 0x01, 0x64, 0x3A, 0x01]
        let fields = try #require(Decoders.decode(characteristic: "bthome", value: press))
        for isPaced in [true, false] {
            var bench = Self.bench(count, isPaced: isPaced, family: "bthome")
            let row = bench.table.append(1, up: bench.uptime, source: .advert, value: press)
            bench.sensors.entry(of: "sensor-1").record(Self.reading(row, "bthome"), about: fields, isSealed: true)
            bench.machine.live.expectRows()
            bench.publish()
            #expect(bench.sent.contains { $0.topic.hasSuffix("/event") })
            #expect(bench.mentioned.contains { $0.topic.hasSuffix("/state") })
        }
        #expect(count.value == 0)
    }
}
