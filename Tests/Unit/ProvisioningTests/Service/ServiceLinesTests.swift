// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import NetworkControl
import Synchronization
import Testing
import TestSupport

@testable import Collector
@testable import Gateway
@testable import Operations
@testable import Provisioning

/// The service's notifications to phones, and its actions beside settings.
@Suite(.timeLimit(.minutes(10)))
struct ServiceLinesTests {
    private func makePhone(_ bench: ServiceBench, _ number: UInt64 = 1) async throws -> BenchPhone {
        let phone = try bench.makePhone(number)
        try await phone.connect()
        try await phone.pair()
        return phone
    }

    private func sensor(_ name: String, rssi: Int = -60, accepted: Bool = false) -> HeardSensor {
        HeardSensor(
            address: "C4:7C:8D:00:11:22", name: name, rssi: rssi, family: "heart_rate", isAccepted: accepted,
            values: ["21.4 °C"])
    }

    @Test func `sensors are looked at only while somebody wants them, and told when they change`() async throws {
        let bench = try ServiceBench()
        bench.operations.state.withLock { $0.sensors = [sensor("Thermo")] }
        let phone = try await makePhone(bench)
        try await phone.subscribe(.status)
        try await phone.hears(.status, #""state":"unprovisioned""#)
        #expect(!bench.operations.calls.contains("heard"))
        try await phone.subscribe(.sensors)
        try await phone.hears(.sensors, "Thermo")
        #expect(
            phone.lines(.sensors) == [
                #"{"accepted":false,"address":"C4:7C:8D:00:11:22","family":"heart_rate","name":"Thermo","rssi":-60,"#
                    + #""values":["21.4 °C"]}"#
            ])
        func heard() -> Int { bench.operations.calls.count { $0 == "heard" } }
        // A slightly stronger signal causes no notification.
        bench.operations.state.withLock { $0.sensors = [sensor("Thermo", rssi: -57)] }
        let before = heard()
        try await waitFor("two looks") { heard() > before + 1 }
        #expect(phone.lines(.sensors).count == 1)
        bench.operations.state.withLock { $0.sensors = [sensor("Thermo", rssi: -40, accepted: true)] }
        try await phone.hears(.sensors, #""accepted":true"#)
        try await phone.disconnect()
        try await waitFor("the end") { !bench.service.sender.hasSubscribers(.sensors, .status) }
        try await waitFor("rest") { bench.service.state.withLock { $0.ticker == nil } }
        let last = heard()
        #expect(bench.service.state.withLock { $0.seen.sensors.isEmpty })
        try await phone.connect()
        #expect(heard() == last)
    }

    @Test func `the state is told when it changes, once`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        try await phone.subscribe(.status)
        try await phone.hears(.status, #""state":"unprovisioned""#)
        try await phone.write(#"{"host":"b"}"#, to: .broker)
        try await phone.hears(.status, #""state":"staged""#)
        bench.operations.state.withLock { $0.received = 7 }
        try await phone.hears(.status, #""received":7"#)
        let lines = phone.lines(.status)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 })
        #expect(try await phone.read(.status) == lines.last)
    }

    @Test func `the log is told line by line, without what would look like other lines`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        #expect(try await phone.read(.log) == "started\n")
        try await phone.subscribe(.log)
        try await waitFor("a listener") { bench.operations.state.withLock { $0.listeners.count } == 1 }
        bench.operations.log("one\ntwo \u{1B}[31m")
        bench.operations.log(String(repeating: "ä", count: 1_000))
        bench.operations.log("three")
        try await phone.hears(.log, "three")
        #expect(phone.lines(.log) == ["one two  [31m", String(repeating: "ä", count: 200), "three"])
    }

    @Test func `a scan tells the networks, and why there are none`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        try await phone.subscribe(.networks)
        bench.network.state.withLock { $0.failures["scan"] = .noCountry }
        try await phone.write("scan", to: .networks)
        try await phone.hears(.networks, #"{"end":true,"reason":"no-country","#)
        bench.network.state.withLock {
            $0.failures = [:]
            $0.networks = (0..<40).map {
                WirelessNetwork(
                    ssid: "Net \($0)", strength: 90 - $0, security: .wpa2, frequency: 2_412, isJoined: $0 == 3)
            }
        }
        // The waiting country is set first: without a country the gateway hears no network.
        try await phone.write("DE", to: .country)
        try await phone.write("scan", to: .networks)
        try await phone.hears(.networks, #"{"end":true}"#)
        #expect(bench.network.calls.suffix(2) == ["country DE", "scan"])
        #expect(phone.lines(.networks).count == 42)
        #expect(phone.lines(.networks)[1] == #"{"security":"wpa2","ssid":"Net 0","strength":90}"#)
        #expect(phone.lines(.networks)[4].contains(#""joined":true"#))
        let list = try await phone.read(.networks)
        #expect(list.utf8.count <= 512 && list.hasPrefix(phone.lines(.networks)[1] + "\n") && list.hasSuffix("}\n"))
        #expect(try await phone.refusal(of: #"{"ssid":"Net 0"}"#, to: .wireless) == 0x80)
    }

    @Test func `two phones at once get all that is theirs, whole`() async throws {
        let bench = try ServiceBench()
        let phones = [try await makePhone(bench, 1), try await makePhone(bench, 2)]
        for phone in phones { try await phone.subscribe(.log) }
        // A phone gets its answer before the service learns of the subscription.
        try await waitFor("both to listen") {
            bench.operations.log("ready")
            return phones.allSatisfy { $0.lines(.log).contains("ready") }
        }
        let lines = (0..<100).map { "\($0) " + String(repeating: "x", count: 300) }
        for line in lines { bench.operations.log(line) }
        for phone in phones {
            try await phone.hears(.log, lines[99])
            #expect(phone.lines(.log).filter { $0 != "ready" } == lines)
        }
    }

    @Test func `time, sensors, window and LED do what is written`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        #expect(try await phone.read(.time) == #"{"clock":"unsynced"}"#)
        try await phone.write("2026-06-30T21:40:12.480Z", to: .time)
        #expect(
            try await phone.read(.time)
                == #"{"clock":"synced","error_ms":500,"source":"trusted","time":"2026-06-30T21:40:12.480Z"}"#)
        try await phone.write(#"{"address":"c4:7c:8d:00:11:22","subscribe":["180d/2a37"]}"#, to: .acceptSensor)
        let accepted = try #require(bench.operations.state.withLock { $0.accepted.first })
        #expect(accepted == SensorAcceptance(address: "C4:7C:8D:00:11:22", subscribe: ["180d/2a37"]))
        try await phone.write("attic", to: .forgetSensor)
        bench.operations.state.withLock { $0.failures["forget attic"] = OperationError(.notFound, "There is none.") }
        #expect(try await phone.refusal(of: "attic", to: .forgetSensor) == 0x82)
        #expect(try await phone.read(.lastError) == "There is none.")
        try await phone.write("close", to: .window)
        #expect(try await phone.read(.window) == #"{"open":false}"#)
        try await phone.write("open", to: .window)
        let window = try ControlCoding.decode(WindowMessage.self, from: Array(try await phone.read(.window).utf8))
        #expect(window.open && window.passkey == "123456" && (590...600).contains(window.seconds ?? 0))
        try await phone.write("x", to: .identify)
        #expect(bench.counter.count.withLock { $0 } == 1)
    }

    @Test func `where there is no LED, it says so`() async throws {
        let bench = try ServiceBench(hasLED: false)
        let phone = try await makePhone(bench)
        #expect(try await phone.refusal(of: "x", to: .identify) == 0x83)
    }

    @Test func `a certificate comes in parts over the air, and is in use in the end`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        try await phone.subscribe(.apply)
        let whole = Array(
            ("-----BEGIN CERTIFICATE-----\n" + String(repeating: "MIIB", count: 4_000) + "\n-----END CERTIFICATE-----\n")
                .utf8)
        let hash = StagedAuthority.hash(of: whole)
        try await phone.write(#"{"size":\#(whole.count),"sha256":"\#(hash)"}"#, to: .authority)
        for start in stride(from: 0, to: whole.count, by: 508) {
            let offset = (0..<4).map { UInt8(truncatingIfNeeded: start >> (8 * $0)) }
            try await phone.write(offset + whole[start..<min(whole.count, start + 508)], to: .authorityData)
        }
        #expect(try await phone.read(.authority).contains(#""state":"complete""#))
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, #""step":"done""#)
        #expect(bench.operations.disk.authority == whole)
        #expect(try await phone.read(.authority) == #"{"sha256":"\#(hash)","size":0,"state":"in-use"}"#)
    }
}
