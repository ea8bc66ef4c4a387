// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Foundation
import MQTT
import Publisher
import Testing

@testable import GatewayBench
@testable import Simulation
@testable import martlet_simulate

@Suite("Options of martlet-simulate")
struct SimulateOptionsTests {
    private func plan(_ arguments: [String]) throws -> SimulationPlan {
        try SimulateCommand.parse(arguments).plan()
    }

    @Test("without a broker the run uses this machine's; ten sensors send once a minute, and leave no session")
    func defaults() throws {
        let plan = try plan(["--gateways", "600"])
        #expect(plan.mqtt.brokerNames == "127.0.0.1:1883" && plan.mqtt.tls == nil && plan.mqtt.retain && plan.clears)
        #expect(plan.sensors == 10 && plan.interval == .seconds(60) && plan.rate == 100)
        #expect(plan.rampTime == .seconds(6) && plan.mqtt.sessionExpirySeconds == 0)
    }

    @Test("a rate is an interval of each sensor")
    func rate() throws {
        let plan = try plan(["--gateways", "20", "--sensors", "5", "--rate", "2000"])
        #expect(plan.interval == .milliseconds(50) && plan.gap == .milliseconds(10))
    }

    @Test("several brokers, TLS and its port, user and password")
    func brokers() throws {
        let folder = try TestFolder()
        try Data("secret word\nrest\n".utf8).write(to: URL(fileURLWithPath: folder.path("password")))
        let plan = try plan([
            "--gateways", "2", "--broker", "b1.example.org", "--broker", "[::1]:1884", "--ca", "ca.pem", "--username",
            "load", "--password-file", folder.path("password"), "--no-retain", "--keep-retained", "--in-flight", "7",
        ])
        #expect(plan.mqtt.brokerNames == "b1.example.org:8883, [::1]:1884")
        #expect(plan.mqtt.tls?.caFile == "ca.pem" && plan.mqtt.password?.revealed == "secret word")
        #expect(!plan.mqtt.retain && !plan.clears && plan.mqtt.maximumInFlight == 7)
    }

    @Test(
        "senseless options are wrong usage",
        arguments: [
            [], ["--gateways", "0"], ["--gateways", "1000000"], ["--gateways", "2", "--first", "999999"],
            ["--gateways", "1", "--rate", "5", "--interval", "5"], ["--gateways", "1", "--rate", "nan"],
            ["--gateways", "1", "--interval", "0"], ["--gateways", "1", "--seconds", "-1"],
            ["--gateways", "1", "--sensors", "0"], ["--gateways", "1", "--sensors", "1001"],
            ["--gateways", "1", "--broker", "a:b"], ["--gateways", "1", "--broker", "host:0"],
            ["--gateways", "1", "--topic-prefix", "a/#"], ["--gateways", "1", "--topic-prefix", "a//b"],
            ["--gateways", "1", "--password-file", "x"], ["--gateways", "1", "--insecure-hostname"],
            ["--gateways", "1", "--in-flight", "0"], ["--gateways", "1", "--ramp", "0"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try SimulateCommand.parse(arguments) }
    }

    @Test("the command announces its work, with the broker and the fate of retained messages")
    func intention() throws {
        let text = SimulationText.intention(try plan(["--gateways", "100", "--broker", "b1"]), seconds: 60).joined()
        #expect(text.contains("100 gateways with 10 sensors each: 16.7 readings a second to b1:1883, below martlet/"))
        #expect(text.contains("taken back in the end"))
        let kept = SimulationText.intention(try plan(["--gateways", "1", "--keep-retained"]), seconds: 1).joined()
        #expect(kept.contains("stays at the broker"))
    }

    @Test("advice names options, not keys of a configuration")
    func advice() {
        #expect(
            SimulationText.withOptions(
                "are its address and port right (mqtt.host, mqtt.port)? (mqtt.tls.enabled = true)")
                == "are its address and port right (--broker)? (--tls)")
    }

    @Test("a run too large for this machine is refused, with the possible number and a remedy")
    func room() throws {
        let plan = try plan(["--gateways", "999999"])
        let complaint = #expect(throws: SimulationRoom.self) { try SimulationRoom.make(for: plan) }
        let text = try #require(complaint?.description)
        #expect(text.contains("999999 gateways need") && text.contains("simulate at most "))
        #expect(text.contains("--first"))
    }
}
