// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Glibc
import Logging
import Platform
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Readings
@testable import martlet

@Suite("The whole gateway", .serialized)
struct WholeGatewayTests {
    @Test(
        "Twenty sensors whose links drop again and again: each value from the controller arrives exactly once, in order",
        .timeLimit(.minutes(10)))
    func nothingIsLost() async throws {
        let folder = try TestFolder()
        let broker = try PrivateBroker(folder: folder.path)
        let listener = try MQTTListener(port: broker.port, folder: folder)
        let radio = VirtualRadio(seed: 20)
        let sensors = (1...20).map { index in
            let sensor = VirtualSensor.Configuration.counter(index, rate: 40, dropEvery: 25 + index)
            return (id: radio.addSensor(sensor), device: sensor.address.compact)
        }
        let scene = try GatewayScene(GatewayScene.counters, on: radio, in: folder, port: broker.port)
        let dropped = await eventually {
            let collector = scene.status
            return collector.sensors.count == 20 && collector.sensors.allSatisfy { $0.drops >= 3 }
        }
        #expect(dropped, "\(scene.sensors.map(\.drops))")
        for sensor in sensors {
            radio.simulateOutOfRange(sensor.id)
            radio.simulateDisconnection(of: sensor.id)
        }
        let handedOver = sensors.reduce(0) { $0 + (radio.ledger(of: $1.id)?.delivered ?? 0) }
        let isSettled = await eventually {
            let status = scene.gateway.status
            return status.journal.received >= handedOver && status.journal.delivered == status.journal.received
        }
        #expect(isSettled, "\(scene.gateway.status.journal) of \(handedOver)")
        _ = await eventually { ((try? listener.deliveries().count) ?? 0) >= handedOver }
        _ = await settled { (try? listener.deliveries().count) ?? 0 }

        let deliveries = try listener.deliveries()
        #expect(Set(deliveries.map(\.number)).count == deliveries.count, "each (gw,n) comes once")
        let numbers = Set(deliveries.map(\.number))
        let missing = (1...max(1, handedOver)).filter { !numbers.contains($0) }
        #expect(missing.isEmpty && numbers.count == handedOver, "of \(handedOver) numbers \(missing.count) are missing")
        for sensor in sensors {
            let ledger = try #require(radio.ledger(of: sensor.id))
            let expected = ledger.entries.filter(\.isDelivered).map(\.value.hexadecimal)
            let arrived = deliveries.filter { $0.device == sensor.device }.map(\.raw)
            let isSame = arrived == expected
            #expect(isSame, "\(sensor.device): \(arrived.count) of \(expected.count) values, or in another order")
            #expect(radio.violations(of: sensor.id).isEmpty)
        }
        #expect(radio.controllerStates().flatMap(\.violations) == [])
        #expect(scene.gateway.status.journal.balances)
        #expect(scene.status.unexpected == 0)
    }

    @Test("a disk that hangs while the queue is full holds back the radio: nothing is dropped, and order is kept")
    func heldBack() async throws {
        let radio = VirtualRadio(seed: 21)
        let sensors = (1...4).map { radio.addSensor(.counter($0, rate: 100)) }
        let scene = try GatewayScene(GatewayScene.counters, on: radio) { configuration in
            configuration.journal.queueCapacity = 100
            configuration.journal.longestHang = hangLimit
        }
        // The machine may be busy for longer than a disk has.
        scene.gateway.collector.queue.sync { scene.gateway.collector.limits.room = hangLimit }
        #expect(await eventually { scene.sensors.filter { $0.readings > 0 }.count == 4 })

        let hang = DispatchSemaphore(value: 0)
        scene.gateway.journal.queue.async { hang.wait() }
        #expect(await eventually { scene.gateway.journal.state.withLock { !$0.callers.isEmpty } })
        hang.signal()
        let written = scene.gateway.journal.statistics.received
        #expect(await eventually { scene.gateway.journal.statistics.committed > written + 200 })

        for sensor in sensors {
            radio.simulateOutOfRange(sensor)
            radio.simulateDisconnection(of: sensor)
        }
        let handedOver = sensors.reduce(0) { $0 + (radio.ledger(of: $1)?.delivered ?? 0) }
        #expect(await eventually { scene.gateway.journal.statistics.received >= handedOver })
        #expect(await settled { scene.gateway.journal.statistics.received } == handedOver)
        #expect(scene.gateway.journal.statistics.dropped.isEmpty)
        #expect(scene.gateway.journal.statistics.missing == 0)
        #expect(scene.gateway.journal.state.withLock { $0.callers.holdsBack })
        scene.gateway.stop()
        #expect(!scene.gateway.journal.state.withLock { $0.callers.holdsBack }, "a stop waits for no room")
    }

    @Test("Known sensors are connected to without a scan after a restart, and unaccepted devices are left alone")
    func reconnection() async throws {
        let radio = VirtualRadio(seed: 3)
        let known = radio.addSensor(.counter(1))
        var stranger = VirtualSensor.Configuration.counter(2)
        stranger.name = "Stranger"
        radio.addSensor(stranger)
        let rule = """
            [[sensor]]
            id = "kitchen"
            name = "Counter 1"
            subscribe = ["\(CounterService.service)/\(CounterService.value)"]
            read = ["180f/2a19"]
            """
        let scene = try GatewayScene(rule, on: radio)
        let lines = scene.lines
        for round in 1...2 {
            if round == 2 { try scene.restart() }
            let collecting = await eventually {
                scene.sensors.first.map { $0.readings > 5 } ?? false
            }
            #expect(collecting, "\(lines.all)")
            let sensor = try #require(scene.sensors.first)
            #expect(sensor.id == "kitchen" && sensor.link == .collecting)
            #expect(sensor.values.contains { $0.characteristic == "2a19" && $0.source == "read" })
            #expect(scene.sensors.count == 1)
            #expect(lines.all.contains { $0.contains("step=scan") } == (round == 1), "\(lines.all)")
            #expect(lines.all.contains { $0.contains("step=known identifier") } == (round == 2), "\(lines.all)")
            lines.clear()
        }
        #expect(radio.sensorStates().first { $0.id != known }?.accepted == 0)
    }

    @Test("A rule with more characteristics takes effect on the existing link, and nothing is lost meanwhile")
    func changedRule() async throws {
        let radio = VirtualRadio(seed: 6)
        let id = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_07), name: "Garden", kind: .environment,
                rate: 50))
        func entry(_ feeds: String) -> String { "[[sensor]]\nname = \"Garden\"\nsubscribe = [\(feeds)]\n" }
        let scene = try GatewayScene(entry("\"181a/2a6e\""), on: radio)
        func characteristics() -> [String] {
            scene.sensors.first?.values.map(\.characteristic).sorted() ?? []
        }
        #expect(await eventually { characteristics() == ["2a6e"] })
        try scene.reload(entry("\"181a/2a6e\", \"181a/2a6f\""))
        #expect(await eventually { characteristics() == ["2a6e", "2a6f"] })
        #expect(scene.sensors.first?.drops == 0)

        radio.simulateOutOfRange(id)
        radio.simulateDisconnection(of: id)
        let handedOver = radio.ledger(of: id)?.delivered ?? -1
        #expect(await eventually { scene.gateway.status.journal.received >= handedOver })
        #expect(await settled { scene.gateway.status.journal.received } == handedOver)
        #expect(scene.status.unexpected == 0)
    }

    @Test("A sensor without the wanted characteristics is tried again after pauses, with the reason")
    func wrongSensor() async throws {
        let radio = VirtualRadio(seed: 4)
        radio.addSensor(.counter(1))
        let rule = "[[sensor]]\nname = \"Counter 1\"\nsubscribe = [\"180d/2a37\"]\n"
        let scene = try GatewayScene(rule, on: radio)
        let failed = await eventually {
            scene.sensors.first.map { $0.link == .waiting && $0.lastFailure != nil } ?? false
        }
        #expect(failed)
        let text =
            "the sensor has no heart_rate (180D); it has \(CounterService.service), battery_service (180F) and "
            + "device_information (180A)"
        let sensor = try #require(scene.sensors.first)
        #expect(sensor.lastFailure == text)
        #expect(StatusText.lines(scene.gateway.status).contains("! \(sensor.id): \(text); it is tried again"))
    }

    @Test("A service without the wanted characteristic is reported with its existing ones")
    func wrongCharacteristic() async throws {
        let radio = VirtualRadio(seed: 4)
        radio.addSensor(.counter(1))
        let rule = "[[sensor]]\nname = \"Counter 1\"\nsubscribe = [\"180f/2a37\"]\n"
        let scene = try GatewayScene(rule, on: radio)
        func failure() -> String? { scene.sensors.first?.lastFailure }
        #expect(await eventually { failure() != nil })
        #expect(failure() == "180F/2A37 is not there; it has 180F/2A19")
    }

    @Test("An entry without a sensor is in the status, with the name of a likely device in the air")
    func unseen() async throws {
        let radio = VirtualRadio(seed: 8)
        radio.addSensor(.counter(1))
        var hostile = VirtualSensor.Configuration.counter(2)
        hostile.name = "Countre 7\u{1B}[2J\r"
        radio.addSensor(hostile)
        let rules = """
            [[sensor]]
            name = "Counter 1"
            subscribe = ["\(CounterService.service)/\(CounterService.value)"]
            [[sensor]]
            id = "flow"
            name = "Counter 7[2J77"
            subscribe = ["180d/2a37"]
            """
        let scene = try GatewayScene(rules, on: radio)
        func awaited() -> [AwaitedSensor] { scene.status.awaited }
        let found = await eventually {
            scene.sensors.first?.link == .collecting && awaited().first?.nearest.isEmpty == false
        }
        #expect(found, "\(scene.status)")
        #expect(awaited().map(\.entry) == ["flow"])
        #expect(awaited().first?.nearest.map(\.name) == ["Countre 7[2J"])
        // The radio hears for ten seconds before a sensor is said to be missing.
        func text() -> [String] { StatusText.lines(scene.gateway.status.judged) }
        let isNamed = await eventually {
            text().contains { $0.contains("In the air: \"Countre 7[2J\" (C0:00:00:00:00:02,") }
        }
        let lines = text()
        #expect(isNamed, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("flow") && $0.contains("not seen yet") }, "\(lines)")
        #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 })
        // On the wire there are no control characters either.
        let octets = await scene.gateway.answer(Array(#"{"command":"status"}"#.utf8))
        #expect(!octets.contains { $0 < 0x20 })
    }

    @Test("A second gateway fails before it touches the controller")
    func secondInstance() throws {
        let folder = try TestFolder()
        let configuration = try GatewayConfiguration.parse(
            folder.gateway(entries: GatewayScene.counters), gateway: "gw-test")
        let first = try ControlServer(path: configuration.controlSocket, logger: Sample.logger) { _ in [] }
        defer { first.stop() }
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        #expect(throws: ControlError.self) {
            try GatewayService(configuration, transport: .descriptor(ends[0]), logger: Sample.logger).start()
        }
        var polled = pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0)
        #expect(poll(&polled, 1, 500) == 0, "no command is sent to the controller")
        // The journal is free again.
        try Journal(configuration.journal, clock: .system, logger: Sample.logger).close()
    }

    @Test("Many devices that only claim to match a rule do not keep the real sensor out, and are not remembered")
    func impostors() async throws {
        let radio = VirtualRadio(seed: 18)
        let count = CandidateBound.maximum + 6
        for index in 1...count {
            var impostor = VirtualSensor.Configuration.counter(index, rate: 1)
            impostor.kind = .environment
            radio.addSensor(impostor)
        }
        let scene = try GatewayScene(GatewayScene.counters, on: radio)
        let lines = scene.lines
        for round in 1...2 {
            if round == 2 { try scene.restart() }
            if round == 1 {
                let letGo = await eventually { lines.all.contains { $0.contains("the oldest are let go") } }
                #expect(letGo, "\(scene.sensors.count)")
                radio.addSensor(.counter(count + 1))
            }
            let name = "Counter \(count + 1)"
            let isCollecting = await eventually {
                scene.sensors.contains { $0.name == name && $0.readings > 5 }
            }
            #expect(isCollecting, "\(scene.sensors.map(\.link))")
            let status = scene.status
            #expect(status.scanning && status.sensors.count <= CandidateBound.maximum + 1)
            #expect(lines.all.count { $0.contains("step=known identifier") } == (round == 1 ? 0 : 1))
            lines.clear()
        }
    }

    @Test("A failed controller is set up again, and its sensors come back")
    func controllerLoss() async throws {
        let radio = VirtualRadio(seed: 5)
        radio.addSensor(.counter(1))
        let scene = try GatewayScene(GatewayScene.counters, on: radio)
        #expect(await eventually { scene.readings > 5 })
        let controller = try #require(radio.controllerStates().first)
        radio.simulateHardwareError(controller.id)
        let before = scene.readings
        #expect(
            await eventually {
                let sensor = scene.sensors.first
                return sensor?.link == .collecting && (sensor?.readings ?? 0) > before + 5
            }, "\(scene.gateway.status)")
    }

    @Test("Sensors come back when a controller needs longer for its set-up than their next try waits")
    func slowControllerLoss() async throws {
        let radio = VirtualRadio(seed: 5)
        radio.addSensor(.counter(1))
        let scene = try GatewayScene(GatewayScene.counters, on: radio)
        func sensor() -> SensorStatus? { scene.sensors.first }
        #expect(await eventually { (sensor()?.readings ?? 0) > 5 })
        let controller = try #require(radio.controllerStates().first)
        // Each step of the set-up takes 1.5 s. The link ends first, so that the gateway asks for it again while there is no controller.
        radio.simulate(.lateAnswers, of: controller.id)
        radio.simulate(.hardwareError, of: controller.id)
        #expect(await eventually { sensor()?.link != .collecting })
        let before = sensor()?.readings ?? 0
        #expect(
            await eventually(within: .seconds(300)) { (sensor()?.readings ?? 0) > before + 5 },
            "\(scene.gateway.status)")
    }
}
