// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Publisher

/// `martlet read` and `write`, and the command `write` over MQTT, with a simulated sensor that keeps written values.
@Suite("Reading and writing characteristics", .serialized, .ownThread)
struct CharacteristicTests {
    private static let scratch = "\(CounterService.scratch)".lowercased()
    private static let service = "\(CounterService.service)".lowercased()

    private final class Scene {
        let scene: OperationsScene
        var operations: GatewayOperator { GatewayOperator(scene.gateway) }

        init(_ more: String = "") throws {
            scene = try OperationsScene(
                """
                \(more)
                [[sensor]]
                id = "counter"
                name = "Counter 1"
                subscribe = ["\(service)/\(CounterService.value)"]
                [[sensor]]
                id = "away"
                address = "C4:7C:8D:00:77:02"
                subscribe = ["180d/2a37"]
                """)
            _ = scene.radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_01), name: "Counter 1", kind: .counter,
                    rate: 20, dropEvery: nil, advertisingInterval: .milliseconds(30)))
            let isCollecting = blockingEventually { [scene] in
                scene.gateway.status.collector.sensors.first { $0.id == "counter" }?.link == .collecting
            }
            try #require(isCollecting)
        }

        func request(
            _ sensor: String = "counter", _ service: String = CharacteristicTests.service,
            _ characteristic: String = CharacteristicTests.scratch
        ) -> CharacteristicRequest {
            CharacteristicRequest(sensor: sensor, service: service, characteristic: characteristic)
        }

        var counter: SensorStatus? { scene.gateway.status.collector.sensors.first { $0.id == "counter" } }
    }

    @Test func `what is written is in the sensor, with and without a response, long values too; its link stays`()
        async throws
    {
        let scene = try Scene()
        let long = String(repeating: "5a", count: 512)
        for (value, response) in [("c0ffee", nil), ("01", true), ("02", false), ("", true), (long, true)]
            as [(String, Bool?)]
        {
            let answer = try await scene.operations.write(value, to: scene.request(), wantsResponse: response)
            #expect(answer == .init(sensor: "counter", characteristic: Self.scratch, response: response ?? true))
            let read = try await scene.operations.read(scene.request("C0:00:00:00:00:01"))
            #expect(read.value == value && read.sensor == "counter" && read.text == nil)
        }
        let readings = scene.counter?.readings ?? .max
        #expect(blockingEventually { (scene.counter?.readings ?? 0) > readings + 3 })
        #expect(scene.counter?.drops == 0 && scene.counter?.reconnects == [:])
        // The value may be a secret.
        #expect(!scene.scene.lines.all.contains { $0.contains("c0ffee") })
        #expect(scene.scene.lines.all.contains { $0.contains("a characteristic was written") })
    }

    @Test func `what cannot be written is refused with why, and nothing is`() async throws {
        let scene = try Scene()
        _ = try await scene.operations.write("aa", to: scene.request(), wantsResponse: true)
        let value = "\(CounterService.value)"
        let rows: [(CharacteristicRequest, String, Bool?, OperationError.Kind, String)] = [
            (scene.request("away"), "01", nil, .notFound, "no device is called"),
            (scene.request("nobody"), "01", nil, .notFound, "no device is called"),
            (scene.request("counter", "1800", "2a00"), "01", nil, .refused, "the gateway alone"),
            (scene.request("counter", "1801", "2a05"), "01", nil, .refused, "the gateway alone"),
            (scene.request("counter", Self.service, "2902"), "0100", nil, .notFound, "has no"),
            (scene.request("counter", "180d", "2a39"), "01", nil, .notFound, "has no 180d/2a39"),
            (scene.request("counter", Self.service, value), "01", nil, .refused, "cannot be written"),
            (scene.request("counter", "heart_rat", "2a39"), "01", nil, .notValid, "did you mean \"heart_rate\"?"),
            (scene.request("counter", "", ""), "01", nil, .notValid, "neither the UUID nor the name"),
            (scene.request(), "0", nil, .notValid, "pairs of hexadecimal digits"),
            (scene.request(), "zz", nil, .notValid, "pairs of hexadecimal digits"),
            (scene.request(), String(repeating: "00", count: 513), nil, .notValid, "512 pairs"),
            (scene.request(), String(repeating: "00", count: 512), false, .refused, "fit into a packet"),
        ]
        for (request, value, response, kind, text) in rows {
            let refused = await refusal { () async throws(OperationError) in
                _ = try await scene.operations.write(value, to: request, wantsResponse: response)
            }
            #expect(
                refused?.kind == kind && refused?.description.contains(text) == true, "\(request): \(refused as Any)")
        }
        #expect(try await scene.operations.read(scene.request()).value == "aa")
    }

    @Test func `one access at a time of a sensor, and the next one after it`() async throws {
        let scene = try Scene()
        let identifier = try #require(UUID(uuidString: scene.counter?.identifier ?? ""))
        #expect(scene.scene.gateway.exclusive.begin(.access(identifier)))
        let refused = await refusal { () async throws(OperationError) in
            _ = try await scene.operations.write("01", to: scene.request(), wantsResponse: nil)
        }
        #expect(refused?.kind == .busy)
        scene.scene.gateway.exclusive.end(.access(identifier))
        _ = try await scene.operations.write("01", to: scene.request(), wantsResponse: nil)
        #expect(!scene.scene.gateway.exclusive.isUnderway(.access(identifier)))
    }

    @Test func `by the programs, on the control socket`() throws {
        let scene = try Scene()
        let socket = ["--socket", scene.scene.folder.path("control.sock")]
        let place = "\(Self.service)/\(Self.scratch)"
        func run(_ arguments: String...) throws -> (status: Int32?, output: String, errors: String) {
            let process = try MartletProcess(arguments + socket)
            let status = process.wait(.seconds(60))
            return (status, process.output, process.errors)
        }
        let written = try run("write", "counter", place, "00ff")
        #expect(written.status == 0 && written.output == "counter has taken it.\n", "\(written.errors)")
        let sent = try run("write", "counter", place, "01ff", "--no-response")
        #expect(sent.status == 0 && sent.output.contains("does not confirm"), "\(sent.errors)")
        let read = try run("read", "counter", place)
        #expect(read.status == 0 && read.output == "01ff\n", "\(read.errors)")
        let json = try run("read", "counter", place, "--json")
        #expect(json.output.contains("\"value\":\"01ff\""), "\(json.output)")
        let wrong = try run("write", "counter", Self.scratch, "00")
        #expect(wrong.status == 1 && wrong.errors.contains("SERVICE/CHARACTERISTIC"), "\(wrong.errors)")
    }

    @Test func `over MQTT, and hostile payloads change nothing`() throws {
        let broker = try Broker()
        let scene = try Scene(
            "[mqtt]\nhost = \"127.0.0.1\"\nport = \(broker.port)\n[mqtt.commands]\nallow = [\"write\"]")
        let isReady = blockingEventually { scene.scene.gateway.slot.publisher?.statistics.connected == true }
        try #require(isReady)
        func ask(_ payload: String) throws -> [String: Any] {
            let client = try MosquittoClient(
                "mosquitto_rr", port: broker.port,
                ["-t", "martlet/gw/gw-test/cmd/write", "-e", "answers/\(UUID())", "-q", "1", "-W", "60", "-m", payload])
            let text = client.output()
            try #require(!text.isEmpty, "no answer to \(payload)")
            return try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "no answer: \(text)")
        }
        func payload(_ changes: [String: Any]) throws -> String {
            let base: [String: Any] = [
                "sensor": "counter", "service": Self.service, "characteristic": Self.scratch, "value": "beef",
            ]
            let all = base.merging(changes) { $1 }.filter { !($0.value is NSNull) }
            return String(decoding: try JSONSerialization.data(withJSONObject: all), as: UTF8.self)
        }
        let good = try ask(try payload(["id": "1", "response": true]))
        #expect(good["ok"] as? Bool == true, "\(good)")
        #expect((good["result"] as? [String: Any])?["response"] as? Bool == true)
        for changes in [
            ["value": 7], ["value": NSNull()], ["value": "x"], ["value": String(repeating: "ff", count: 513)],
            ["sensor": NSNull()], ["sensor": ""], ["sensor": "../../x"],
            ["sensor": String(repeating: "a", count: 2_000)],
            ["service": "1801"], ["service": "\u{0}"], ["characteristic": "2a05"], ["characteristic": [1]],
            ["response": "yes"],
        ] as [[String: Any]] {
            let answer = try ask(try payload(changes))
            #expect(answer["ok"] as? Bool == false && (answer["error"] as? String)?.isEmpty == false, "\(changes)")
        }
        for payload in ["[]", "{", "null", "\u{1}", "7"] { #expect(try ask(payload)["ok"] as? Bool == false) }
        let kept = try #require(
            try? ControlClient.ask(
                Self.read, socket: scene.scene.folder.path("control.sock"), as: CharacteristicValue.self))
        #expect(kept.value == "beef")
    }

    private static var read: ControlRequest {
        var request = ControlRequest(.read, sensor: "counter")
        request.characteristic = "\(service)/\(scratch)"
        return request
    }
}
