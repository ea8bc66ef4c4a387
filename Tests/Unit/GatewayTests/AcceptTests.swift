// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import martlet

@Suite("Accepting and forgetting sensors")
struct AcceptTests {
    private static func heart(_ index: Int) -> VirtualSensor.Configuration {
        VirtualSensor.Configuration(
            address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(index)), name: "Heart \(index)",
            kind: .heartRate, rate: 20, advertisingInterval: .milliseconds(30))
    }

    private static let first = "C0:00:00:00:00:01"
    private static let second = "C0:00:00:00:00:02"

    private static func heard(
        _ scene: OperationsScene, _ address: String, _ condition: (HeardSensor) -> Bool = { _ in true }
    ) async throws -> HeardSensor? {
        await firstAnswer(where: condition) {
            await scene.operations.heardSensors().first { $0.address == address }
        }
    }

    @Test("an unaccepted sensor is heard with its family; an accepted one is collected from and shown with its values")
    func accept() async throws {
        let scene = try OperationsScene()
        scene.radio.addSensor(Self.heart(1))
        // No entry needs a scan: the radio listens only for a request.
        #expect(!scene.gateway.status.collector.scanning)
        let stranger = try #require(try await Self.heard(scene, Self.first))
        #expect(stranger.family == "heart_rate" && stranger.name == "Heart 1" && !stranger.isAccepted)
        #expect(stranger.isConnectable && stranger.values == [] && stranger.rssi != nil)

        let accepted = try await scene.operations.accept(SensorAcceptance(address: Self.first, id: "heart"))
        #expect(accepted.isAccepted && accepted.id == "heart" && accepted.address == Self.first)
        let collecting = try await Self.heard(scene, Self.first) { !$0.values.isEmpty }
        #expect(collecting?.values.first?.hasSuffix(" bpm") == true, "\(String(describing: collecting))")
        // A chosen id wins over the advertised name.
        #expect(collecting?.name == "Heart 1" && collecting?.title == "heart")
        #expect(scene.layer.contains("profile = \"heart_rate\""))
        #expect(try scene.source.load().sensors.map(\.id) == ["heart"])

        try await scene.operations.forget(Self.first)
        #expect(try scene.source.load().sensors.isEmpty)
        #expect(await eventually { scene.gateway.status.collector.sensors.isEmpty })
        let gone = await refusal { () throws(OperationError) in try await scene.operations.forget("heart") }
        #expect(gone?.kind == .notFound)
    }

    @Test("a device with a changing address is not accepted by its address of now")
    func changingAddress() async throws {
        let scene = try OperationsScene()
        // The two highest bits of a resolvable private address are 01.
        let address = DeviceAddress(kind: .random, value: 0x40_0000_0000_01)
        scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: address, name: "Heart 1", kind: .heartRate, rate: 20, advertisingInterval: .milliseconds(30)))
        _ = try #require(try await Self.heard(scene, address.description))
        let refused = await refusal { () throws(OperationError) in
            _ = try await scene.operations.accept(SensorAcceptance(address: address.description))
        }
        #expect(refused == OperationError(.refused, Collector.privateTrouble))
        #expect(try scene.source.load().sensors.isEmpty)
    }

    @Test("while every entry has its sensor there is no scan, until a client asks for the devices in the air")
    func satisfied() async throws {
        let scene = try OperationsScene(
            "[[sensor]]\nid = \"one\"\nname = \"Heart 1\"\nsubscribe = [\"180d/2a37\"]\n")
        scene.radio.addSensor(Self.heart(1))
        #expect(await eventually { scene.gateway.status.collector.sensors.first?.link == .collecting })
        #expect(await eventually { !scene.gateway.status.collector.scanning })
        scene.radio.addSensor(Self.heart(2))
        #expect(try await Self.heard(scene, Self.second) != nil)
        #expect(scene.gateway.status.collector.scanning)
    }

    @Test("an accepted sensor gets a name and a room, which stay when it is accepted again, and go when they are empty")
    func rename() async throws {
        let scene = try OperationsScene()
        scene.radio.addSensor(Self.heart(1))
        _ = try #require(try await Self.heard(scene, Self.first))
        let operations = scene.operations
        _ = try await operations.accept(SensorAcceptance(address: Self.first, id: "heart", room: "Gym"))
        try await operations.rename("heart", label: "Strap \"1\"", room: nil)
        #expect(scene.layer.contains("label = \"Strap \\\"1\\\"\"") && scene.layer.contains("room = \"Gym\""))
        #expect(await eventually { scene.gateway.status.collector.sensors.first?.title == "Strap \"1\"" })
        #expect(scene.gateway.status.collector.sensors.first?.room == "Gym")
        #expect(try await Self.heard(scene, Self.first) { $0.title == "Strap \"1\"" } != nil)
        _ = try await operations.accept(SensorAcceptance(address: Self.first, id: "heart"))
        #expect(scene.layer.contains("room = \"Gym\""))
        _ = try await operations.accept(SensorAcceptance(address: Self.first))
        #expect(scene.layer.contains("id = \"heart\""), "an acceptance without an id keeps the id")
        let taken = await refusal { () throws(OperationError) in
            _ = try await operations.accept(
                SensorAcceptance(address: Self.second, id: "heart", subscribe: ["180d/2a37"]))
        }
        #expect(taken?.kind == .refused && taken?.description.contains("another sensor") == true)
        try await operations.rename("Strap \"1\"", label: nil, room: "Attic")
        #expect(scene.layer.contains("room = \"Attic\""), "the label names the sensor, too")
        try await operations.rename(Self.first, label: "", room: nil)
        #expect(!scene.layer.contains("label") && scene.layer.contains("room"))
        for (label, room) in [("a\u{1B}b", nil), (nil, String(repeating: "x", count: 65)), (nil, nil)]
            as [(String?, String?)]
        {
            let refused = await refusal { () throws(OperationError) in
                try await operations.rename("heart", label: label, room: room)
            }
            #expect(refused?.kind == .notValid)
        }
        let unknown = await refusal { () throws(OperationError) in
            try await operations.rename("attic", label: "x", room: nil)
        }
        #expect(unknown?.kind == .notFound)
    }

    @Test("people's own entries are neither changed nor written again")
    func foreign() async throws {
        let entry = "[[sensor]]\nid = \"one\"\naddress = \"\(Self.first)\"\nsubscribe = [\"180d/2a37\"]\n"
        let scene = try OperationsScene(entry)
        let operations = scene.operations
        let subscribe = ["180d/2a37"]
        for (address, id) in [(Self.first, "two"), (Self.second, "one")] {
            let said = await refusal { () throws(OperationError) in
                _ = try await operations.accept(SensorAcceptance(address: address, id: id, subscribe: subscribe))
            }
            #expect(said?.kind == .refused, "\(address) as \(id)")
        }
        #expect(await refusal { () throws(OperationError) in try await operations.forget("one") }?.kind == .refused)
        let passkey = await refusal { () throws(OperationError) in
            try await operations.setPasskey(Secret("019655"), of: "one")
        }
        #expect(passkey?.kind == .refused && scene.layer == "")
    }

    @Test("an unacceptable sensor is refused with a reason, and nothing is written")
    func refused() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        let subscribe = ["180d/2a37"]
        let rows: [(SensorAcceptance, OperationError.Kind)] = [
            (SensorAcceptance(address: "nonsense", subscribe: subscribe), .notValid),
            (SensorAcceptance(address: Self.first), .notFound),
            (SensorAcceptance(address: Self.first, id: "Not An Id", subscribe: subscribe), .notValid),
            (SensorAcceptance(address: Self.first, subscribe: ["x"]), .notValid),
            (SensorAcceptance(address: Self.first, subscribe: subscribe, passkey: Secret("1")), .notValid),
            (SensorAcceptance(address: Self.first, id: "a\"]\n[x]", subscribe: subscribe), .notValid),
        ]
        for (acceptance, kind) in rows {
            let said = await refusal { () throws(OperationError) in _ = try await operations.accept(acceptance) }
            #expect(said?.kind == kind, "\(acceptance): \(said?.description ?? "")")
        }
        #expect(scene.layer == "")
    }

    @Test("a mistake in a file of decoders is told by the file, without its details")
    func decoders() async throws {
        let scene = try OperationsScene()
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("decoders.d"), withIntermediateDirectories: true)
        try scene.folder.write("decoders.d/bad.toml", "[match]\ncompny = \"0499\"\n")
        let operations = scene.operations
        let said = await refusal { () throws(OperationError) in
            _ = try await operations.accept(SensorAcceptance(address: Self.first, subscribe: ["180d/2a37"]))
        }
        #expect(
            said?.description == "the decoder file \(scene.folder.path("decoders.d/bad.toml")) has a mistake: "
                + "mend or remove the file before you change anything")
    }

    /// The line of martlet devices about an address.
    private static func listed(_ scene: OperationsScene, _ address: String) async throws -> String? {
        let devices = await scene.operations.heardSensors()
        return DevicesCommand.lines(devices, columns: nil).first { $0.hasPrefix(address) }
    }

    @Test("an advertising sensor is accepted by its address, asks for its key, and is read once it has the key")
    func advertiser() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        let model = SimulatedFamily.bthome
        _ = scene.radio.addBroadcaster(model.configuration(at: 0xA4C1_3800_0001, period: .milliseconds(80)))
        let address = "A4:C1:38:00:00:01"
        #expect(try await Self.heard(scene, address)?.family == "bthome")
        _ = try await operations.accept(SensorAcceptance(address: address, id: "kitchen"))
        var sensor: SensorStatus? { scene.gateway.status.collector.sensors.first }
        #expect(await eventually { sensor?.trouble?.contains("run martlet key kitchen") == true })
        #expect(sensor?.readings == 0)

        for (key, wanted) in [
            ("231d", OperationError.Kind.notValid), ("z" + String(repeating: "0", count: 31), .notValid),
        ] {
            let said = await refusal { () throws(OperationError) in
                try await operations.setBindKey(Secret(key), of: "kitchen")
            }
            #expect(said?.kind == wanted && said?.description.contains(key) == false)
        }
        let wrong = String(repeating: "ab", count: 16)
        try await operations.setBindKey(Secret(wrong), of: "kitchen")
        #expect(await eventually { sensor?.trouble?.contains("does not open its packets") == true })
        #expect(try await Self.listed(scene, address)?.contains("encrypted") == true)
        // The key as people write it.
        let right = SimulatedFamily.key.hexadecimal
        let pairs = stride(from: 0, to: 32, by: 2).map { String(right.dropFirst($0).prefix(2)) }
        try await operations.setBindKey(Secret(pairs.joined(separator: ":") + " "), of: "kitchen")
        #expect(await eventually { (sensor?.readings ?? 0) > 3 })
        #expect(sensor?.trouble == nil && sensor?.family == "bthome")
        #expect(try scene.source.load().sensors.last?.bindKey == Secret(right))
        // Accepted again by another name, the sensor keeps its key.
        _ = try await operations.accept(SensorAcceptance(address: address, id: "cellar"))
        #expect(try scene.source.load().sensors.last?.bindKey == Secret(right))
        #expect(try scene.source.load().sensors.last?.id == "cellar")
        #expect(!scene.lines.all.contains { $0.contains(right) || $0.contains(wrong) })
    }

    @Test("sensors are accepted during a trial, and stay when the trial is taken back or undone")
    func duringTrial() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        try await operations.tryOut(OperationsScene.broker("127.0.0.1"))
        _ = try await operations.accept(SensorAcceptance(address: Self.first, subscribe: ["180d/2a37"]))
        #expect(!scene.layer.contains("127.0.0.1") && scene.layer.contains(Self.first))
        await operations.revert()
        #expect(scene.gateway.configuration.sensors.count == 1)
        try await operations.tryOut(OperationsScene.broker("127.0.0.1"))
        try await operations.keep(network: nil)
        _ = try await operations.accept(SensorAcceptance(address: Self.second, subscribe: ["180d/2a37"]))
        try await operations.setPasskey(Secret("019655"), of: Self.second)
        _ = try await operations.undo()
        let configuration = try scene.source.load()
        #expect(configuration.sensors.count == 2 && !configuration.isProvisioned)
        #expect(configuration.sensors.last?.passkey == Secret("019655"))
        #expect(!scene.lines.all.contains { $0.contains("019655") })
    }

    @Test("more sensors than a gateway takes are refused")
    func tooMany() async throws {
        let entries = (0..<512).map { "[[sensor]]\nname = \"S\($0)\"\nsubscribe = [\"180d/2a37\"]\n" }
        let scene = try OperationsScene(entries.joined())
        let said = await refusal { () throws(OperationError) in
            _ = try await scene.operations.accept(SensorAcceptance(address: Self.first, subscribe: ["180d/2a37"]))
        }
        #expect(said?.kind == .refused && said?.description.contains("more than 512") == true)
        #expect(scene.layer == "")
    }

    @Test("the commands do the same over the control socket")
    func commands() async throws {
        let scene = try OperationsScene()
        let socket = scene.folder.path("control.sock")
        func ask<Answer: Codable & Sendable>(_ request: ControlRequest, as type: Answer.Type) async throws -> Answer {
            try await Task.detached { try ControlClient.ask(request, socket: socket, as: type) }.value
        }
        var request = ControlRequest(.accept, address: Self.first)
        (request.id, request.subscribe) = ("one", ["180d/2a37"])
        #expect(try await ask(request, as: HeardSensor.self).id == "one")
        let devices = try await ask(ControlRequest(.devices), as: [HeardSensor].self)
        #expect(devices.map(\.id) == ["one"] && devices.first?.trouble == "the sensor was not heard yet")
        let lines = DevicesCommand.lines(devices, columns: nil)
        #expect(lines.count == 3 && lines[0].hasPrefix("ADDRESS") && lines[1].contains("heart_rate"))
        #expect(lines[2] == "! one: the sensor was not heard yet")
        #expect(try await ask(ControlRequest(.forget, sensor: "one"), as: String.self) == "one")
        await #expect(throws: ControlError.refused("no sensor is called \"one\"")) {
            try await ask(ControlRequest(.forget, sensor: "one"), as: String.self)
        }
    }
}
