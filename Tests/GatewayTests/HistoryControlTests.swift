// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Testing
import VirtualRadio

@testable import Gateway
@testable import GatewayBench
@testable import Publisher
@testable import Readings
@testable import martlet

/// `martlet buffer pause`, `resume` and `drain`, and what a sensor's entry says of its pacing, in a whole gateway.
@Suite("History, by the control socket", .serialized, .ownThread)
struct HistoryControlTests {
    private static let quiet: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    @Test func `history is paused, resumed and drained, and the status tells; a sensor's values are paced`() throws {
        let folder = try TestFolder()
        let broker = try PrivateBroker(folder: folder.path)
        let radio = VirtualRadio(seed: 5)
        defer { radio.stop() }
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_01), name: "Counter 1", kind: .counter,
                rate: 50, dropEvery: nil, advertisingInterval: .milliseconds(30)))
        let socket = folder.path("control.sock")
        let configuration = try GatewayConfiguration.parse(
            """
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder.path)"
            [journal]
            path = "\(folder.path("journal.db"))"
            commit_interval_ms = 20
            durability = "fast"
            [mqtt]
            host = "127.0.0.1"
            port = \(broker.port)
            live_window_s = 1
            [clock]
            require_sync = false
            [control]
            socket = "\(socket)"
            [[sensor]]
            name = "Counter *"
            subscribe = ["\(CounterService.service)/\(CounterService.value)"]
            min_interval_ms = 500
            """, gateway: "gw-test")
        let descriptor = try radio.makeController(address: DeviceAddress(kind: .public, value: 0x02_0000_0000_01))
        let gateway = try GatewayService(configuration, transport: .descriptor(descriptor), logger: Self.quiet)
        gateway.start()
        defer { gateway.stop() }

        let paused = try ControlClient.ask(.historyPause, socket: socket, as: HistoryAnswer.self)
        #expect(paused.mode == .paused)
        let status = { try ControlClient.ask(.status, socket: socket, as: GatewayStatus.self) }
        // Fifty a second come in and two go out: the others wait, and get old.
        #expect(blockingEventually { gateway.status.journal.buffered > 100 })
        let held = try status()
        #expect(held.mqtt.historyMode == "paused")
        #expect(held.mqtt.live > 0)
        #expect(held.mqtt.history == 0)
        #expect(held.mqtt.suppressed > 50)
        #expect(StatusText.lines(held).contains { $0.contains("history is paused") })

        _ = try ControlClient.ask(.historyDrain, socket: socket, as: HistoryAnswer.self)
        // What is not a second old yet stays.
        #expect(blockingEventually { gateway.status.journal.buffered < 100 })
        #expect(blockingEventually { gateway.status.mqtt.historyMode == "normal" })
        #expect(try ControlClient.ask(.historyResume, socket: socket, as: HistoryAnswer.self).mode == .normal)
        let end = gateway.status
        #expect(end.mqtt.history > 0)
        #expect(end.journal.balances)
    }
}
