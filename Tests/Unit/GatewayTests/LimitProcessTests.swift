// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Health
import Testing
import VirtualRadio

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Limits
@testable import Operations

@Suite("The whole gateway with limits", .serialized, .ownThread)
struct LimitProcessTests {
    private static let limits = "limits = { temperature = { above = -100 }, silent_s = 3600 }"

    private func text(_ name: String, in folder: TestFolder, url: String, caFile: String, port: UInt16) throws -> String
    {
        try folder.write("url", url + "\n")
        try folder.write("header", "X-Key: geheim\n")
        for file in ["url", "header"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(file))
        }
        return folder.gateway(
            journal: "commit_interval_ms = 50", port: port,
            entries: """
                [webhook]
                post_url_file = "\(folder.path("url"))"
                header_file = "\(folder.path("header"))"
                ca_file = "\(caFile)"
                timeout_s = 2
                [[sensor]]
                id = "room"
                name = "\(name)"
                label = "Where we sit"
                subscribe = ["181a/2a6e"]
                \(Self.limits)

                """)
    }

    @Test func `killed between crossing and delivery, it tells the crossing once, with the time of the crossing`()
        throws
    {
        let (folder, shop, broker) = (try TestFolder(), try CertificateShop(), try Broker())
        let port = try TestPorts.next()
        broker.stop()
        try folder.write(
            "martlet.toml",
            try text(
                "Living room", in: folder, url: "https://localhost:\(port)/hook?key=geheim", caFile: shop.authority,
                port: broker.port))
        func status() -> GatewayStatus? {
            try? ControlClient.ask(OperationTable.status, socket: folder.path("control.sock"))
        }
        let first = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        let isWaiting = blockingEventually {
            let deliveries = status()?.limitDeliveries
            return deliveries?.waiting == ["mqtt": 1, "webhook": 1] && deliveries?.webhook?.lastError != nil
        }
        try #require(isWaiting, "\(first.errors)")
        #expect(status()?.problems?.contains { $0.code == .limitAbove && $0.sensor == "room" } == true)
        first.send(SIGKILL)
        #expect(first.wait(.seconds(10)) == nil)
        let killed = Int64(Date().timeIntervalSince1970 * 1_000)
        #expect(!first.errors.contains("geheim"), "\(first.errors)")

        let server = try HTTPSListener(shop, port: port)
        try broker.start()
        let subscriber = try Subscriber(port: broker.port)
        let second = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        #expect(blockingEventually { server.taken.count == 1 }, "\(second.errors)")
        func events() -> [[String: Any]] {
            subscriber.messages.filter { $0.topic.hasSuffix("/event") }.flatMap(\.readings)
                .filter { $0["event"] as? String == "limit" }
        }
        #expect(
            blockingEventually { events().count == 1 && status()?.limitDeliveries?.waiting == [:] }, "\(second.errors)")
        // The value is beyond the limit in this run, too, and no news.
        #expect(blockingEventually { (status()?.collector.sensors.first?.readings ?? 0) > 5 })
        #expect(server.taken.count == 1 && events().count == 1 && status()?.limitDeliveries?.events == 0)
        let event = try #require(server.taken.first)
        #expect(event["outcome"] as? String == "crossed" && event["sensor"] as? String == "room")
        #expect(event["name"] as? String == "Where we sit" && events().first?["name"] as? String == "Where we sit")
        #expect(event["id"] as? String == events().first?["id"] as? String)
        let time = try #require(event["time"] as? String)
        #expect(time <= UTCText.of(killed), "the event is of the time before the kill")
        #expect(server.requests.first?.headers["x-key"] == "geheim")
        second.send(SIGTERM)
        #expect(second.wait() == 0)
        #expect(!second.errors.contains("geheim"), "\(second.errors)")
    }

    @Test func `a crossed limit is a problem, in the status and on the broker, and maintenance hides it`() async throws
    {
        let broker = try Broker()
        let subscriber = try Subscriber(port: broker.port)
        let radio = VirtualRadio(seed: 43)
        radio.addSensor(
            VirtualSensor.Configuration(
                address: .init(kind: .random, value: 0xC0_0000_0000_43), name: "Cellar", kind: .environment, rate: 20))
        func entry(_ limits: String) -> String {
            "[[sensor]]\nid = \"cellar\"\nname = \"Cellar\"\nsubscribe = [\"181a/2a6e\"]\n\(limits)\n"
        }
        let scene = try GatewayScene(entry(Self.limits), on: radio, port: broker.port)
        func codes() -> [String] { (scene.gateway.status.problems ?? []).map(\.code.rawValue) }
        #expect(await eventually { codes().contains("limit-above") }, "\(scene.log)")
        #expect(scene.gateway.status.limits?.map(\.isCrossed) == [false, true])
        func list() -> String? { subscriber.messages.last { $0.topic.hasSuffix("/limits") }?.payload }
        #expect(
            await eventually { list()?.contains("\"cellar\":[{\"quantity\":\"temperature\"") == true },
            "\(list() ?? "none")")
        #expect(scene.gateway.inquiries.health.change { $0.maintain("cellar", until: .max) })
        #expect(await eventually { codes().contains("sensor-maintenance") && !codes().contains("limit-above") })
        #expect(scene.gateway.inquiries.health.change { $0.endMaintenance(of: "cellar") })
        #expect(await eventually { codes().contains("limit-above") })

        // A changed entry takes effect on the link, and the end of a limit is told.
        try scene.reload(
            entry("limits = { humidity = { below = 1 } }").replacingOccurrences(of: "2a6e", with: "2a6f"),
            port: broker.port)
        #expect(await eventually { !codes().contains("limit-above") })
        let outcomes = {
            subscriber.messages.filter { $0.payload.contains("\"event\":\"limit\"") }.flatMap(\.readings).compactMap {
                $0["outcome"] as? String
            }
        }
        #expect(await eventually { outcomes() == ["crossed", "removed"] }, "\(outcomes())")
    }
}
