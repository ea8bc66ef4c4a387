// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Glibc
import Testing

@testable import GatewayBench
@testable import Simulation

/// The command at a real mosquitto, counted by a subscriber that knows nothing of it.
@Suite("martlet-simulate at a broker", .serialized)
struct SimulateProcessTests {
    private static let gateways = 50
    private static let sensors = 3

    private func simulate(_ broker: Broker, _ arguments: [String]) throws -> MartletProcess {
        try MartletProcess(
            [
                "--gateways", "\(Self.gateways)", "--sensors", "\(Self.sensors)", "--ramp", "1000",
                "--json",
                "--broker", "127.0.0.1:\(broker.port)",
            ] + arguments, program: "martlet-simulate")
    }

    private func report(_ process: MartletProcess) throws -> SimulationReport {
        try ControlCoding.decode(SimulationReport.self, from: Array(process.output.utf8))
    }

    /// Every received `n` of each gateway, without repeats; checks the order of each sensor.
    private func numbers(_ subscriber: Subscriber) -> [String: Set<Int>] {
        var numbers: [String: Set<Int>] = [:]
        var newest: [String: Int] = [:]
        for reading in subscriber.readings {
            guard let gateway = reading["gw"] as? String, let n = reading["n"] as? Int,
                let device = reading["dev"] as? String
            else {
                Issue.record("no reading: \(reading)")
                continue
            }
            guard numbers[gateway, default: []].insert(n).inserted else { continue }
            #expect(n > newest[device, default: 0], "\(device) of \(gateway)")
            newest[device] = n
        }
        return numbers
    }

    private func retained(_ broker: Broker) throws -> [Subscriber.Message] {
        try Subscriber(port: broker.port).messages.filter(\.isRetained)
    }

    @Test("every (gw, n) from 1 comes once, status goes online and offline, and nothing is retained after")
    func load() async throws {
        let broker = try Broker()
        let subscriber = try Subscriber(port: broker.port)
        let process = try simulate(broker, ["--rate", "500", "--seconds", "1000"])
        #expect(await eventually { subscriber.readings.count > 1_000 })
        #expect(try retained(broker).count == Self.gateways * (2 + Self.sensors))
        process.send(SIGINT)
        #expect(try await process.end() == 0, "\(process.errors)")
        let report = try report(process)
        #expect(report.acknowledged > 1_000 && report.published == report.acknowledged)
        #expect(report.unacknowledged == 0 && report.connects == Self.gateways && report.reconnects == 0)
        #expect(try #require(report.latencyMs.p50) <= (try #require(report.latencyMs.max)))
        #expect(await eventually { subscriber.readings.count >= report.acknowledged })
        _ = await settled { subscriber.readings.count }
        let numbers = numbers(subscriber)
        #expect(numbers.count == Self.gateways)
        for (gateway, seen) in numbers { #expect(seen == Set(1...(seen.max() ?? 1)), "\(gateway)") }
        #expect(numbers.values.reduce(0) { $0 + $1.count } == report.acknowledged)
        #expect(subscriber.readings.count == report.acknowledged)
        let status = Dictionary(grouping: subscriber.messages.filter { $0.topic.hasSuffix("/status") }, by: \.topic)
        #expect(status.count == Self.gateways)
        for (topic, messages) in status { #expect(messages.map(\.payload) == ["online", "offline", ""], "\(topic)") }
        let availability = subscriber.messages.filter { $0.topic.hasSuffix("/availability") }
        #expect(availability.count { $0.payload == "online" } == Self.gateways * Self.sensors)
        #expect(Set(availability.map(\.topic)).count == Self.gateways * Self.sensors)
        #expect(try retained(broker).isEmpty)
        #expect(process.errors.contains("500 readings a second to 127.0.0.1:\(broker.port)"))
        #expect(process.errors.contains("\(Self.gateways) of \(Self.gateways) connected"))
    }

    @Test("a broker's restart in the middle loses nothing: unacknowledged messages come again")
    func restart() async throws {
        let broker = try Broker()
        let subscriber = try Subscriber(port: broker.port)
        let process = try simulate(broker, ["--rate", "500", "--seconds", "1000"])
        #expect(await eventually { subscriber.readings.count > 500 })
        broker.stop()
        // Away for so long that some attempts of gateways have failed.
        #expect(await eventually { process.errors.contains("failed tries") })
        let lines = process.errors.count
        try broker.start()
        #expect(
            await eventually {
                process.errors.dropFirst(lines).contains("\(Self.gateways) of \(Self.gateways) connected")
            })
        let before = subscriber.readings.count
        #expect(await eventually { subscriber.readings.count > before + 500 })
        process.send(SIGTERM)
        #expect(try await process.end() == 0, "\(process.errors)")
        let report = try report(process)
        #expect(report.reconnects >= Self.gateways && report.unacknowledged == 0)
        #expect(report.losses.values.reduce(0, +) >= Self.gateways)
        #expect(report.published - report.repeated == report.acknowledged)
        #expect(
            await eventually { numbers(subscriber).values.reduce(0) { $0 + $1.count } >= report.acknowledged })
        for (gateway, seen) in numbers(subscriber) { #expect(seen == Set(1...(seen.max() ?? 1)), "\(gateway)") }
        #expect(try retained(broker).isEmpty)
    }

    @Test("a run of 0 seconds takes back the remains of a killed run")
    func cleaning() async throws {
        let broker = try Broker()
        let killed = try simulate(broker, ["--rate", "10", "--seconds", "1000"])
        #expect(try await eventually { try retained(broker).count == Self.gateways * (2 + Self.sensors) })
        killed.send(SIGKILL)
        // The broker publishes the wills, and retains them.
        #expect(try await eventually { try retained(broker).count { $0.payload == "offline" } == Self.gateways })
        let cleaner = try simulate(broker, ["--seconds", "0"])
        #expect(try await cleaner.end() == 0, "\(cleaner.errors)")
        #expect(try report(cleaner).acknowledged == 0)
        #expect(try retained(broker).isEmpty)
    }

    @Test("without retained messages nothing is retained; with --keep-retained they stay, status as offline")
    func retention() async throws {
        let broker = try Broker()
        let plain = try simulate(broker, ["--seconds", "0", "--no-retain"])
        #expect(try await plain.end() == 0, "\(plain.errors)")
        #expect(try retained(broker).isEmpty)
        let keeping = try simulate(broker, ["--rate", "100", "--seconds", "1", "--keep-retained"])
        #expect(try await keeping.end() == 0, "\(keeping.errors)")
        let left = try retained(broker)
        #expect(left.count == Self.gateways * (2 + Self.sensors))
        #expect(left.count { $0.payload == "offline" } == Self.gateways)
    }

    @Test("a lost broker, and a second Ctrl-C: status 1, and the report names the missing readings")
    func gone() async throws {
        let broker = try Broker()
        let process = try simulate(broker, ["--rate", "500", "--seconds", "1000"])
        #expect(await eventually { process.errors.contains("\(Self.gateways) of \(Self.gateways) connected") })
        broker.stop()
        process.send(SIGINT)
        #expect(await eventually { process.errors.contains("0 of \(Self.gateways) have said goodbye") })
        process.send(SIGINT)
        #expect(try await process.end() == 1)
        #expect(try report(process).unfinished == Self.gateways)
        #expect(process.errors.contains("--seconds 0"))
    }

    @Test("readings refused by the broker are counted by reason, and make the run a failure")
    func refused() async throws {
        let folder = try TestFolder()
        try Data("topic write martlet/gw/#\ntopic write martlet/dev/+/availability\n".utf8).write(
            to: URL(fileURLWithPath: folder.path("acl")))
        let broker = try Broker(settings: ["allow_anonymous true", "acl_file \(folder.path("acl"))"])
        let process = try simulate(broker, ["--rate", "500", "--seconds", "1"])
        #expect(try await process.end() == 1)
        let report = try report(process)
        #expect(report.acknowledged == 0 && report.unacknowledged == 0)
        #expect(report.refused.keys.contains { $0.contains("Not authorized") }, "\(report.refused)")
        #expect(report.refused.values.reduce(0, +) == report.published)
    }

    @Test("over TLS the run is the same; a wrong protocol towards the broker is reported with the option")
    func tls() async throws {
        let shop = try CertificateShop()
        try shop.make("broker", for: "IP:127.0.0.1")
        let broker = try Broker(
            settings: [
                "allow_anonymous true", "certfile \(shop.certificate("broker"))", "keyfile \(shop.key("broker"))",
            ])
        let secured = try simulate(broker, ["--rate", "100", "--seconds", "1", "--ca", shop.authority])
        #expect(try await secured.end() == 0, "\(secured.errors)")
        let report = try report(secured)
        #expect(report.acknowledged > 0 && report.connects == Self.gateways && report.unacknowledged == 0)
        let plain = try simulate(broker, [])
        #expect(try await plain.end() == 1)
        #expect(plain.errors.contains("speaks TLS") && plain.errors.contains("--tls"), "\(plain.errors)")
    }

    @Test("a missing broker, or a broker with a password, is reported at the start, with the option to use")
    func preflight() async throws {
        let open = try Broker()
        open.stop()
        let absent = try simulate(open, [])
        #expect(try await absent.end() == 1)
        #expect(absent.errors.contains("--broker") && absent.output.isEmpty)
        let closed = try Broker(settings: ["allow_anonymous false"])
        let refused = try simulate(closed, [])
        #expect(try await refused.end() == 1)
        #expect(refused.errors.contains("--username, --password-file"), "\(refused.errors)")
    }
}
