// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Testing
import VirtualRadio

@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Publisher
@testable import Readings
@testable import martlet

/// `martlet buffer pause`, `resume` and `drain`, and the pacing in a sensor's entry, in a whole gateway.
@Suite("History, by the control socket", .serialized, .ownThread)
struct HistoryControlTests {
    @Test func `history is paused, resumed and drained, and the status tells; a sensor's values are paced`() throws {
        let folder = try TestFolder()
        let broker = try PrivateBroker(folder: folder.path)
        let radio = VirtualRadio(seed: 5)
        radio.addSensor(.counter(1, rate: 50))
        let scene = try GatewayScene(
            GatewayScene.counters + "min_interval_ms = 500\n", on: radio, in: folder,
            journal: "commit_interval_ms = 20\ndurability = \"fast\"", port: broker.port, mqtt: "live_window_s = 1")
        let socket = scene.socket

        let paused = try ControlClient.ask(OperationTable.bufferPause, socket: socket)
        #expect(paused.mode == .paused)
        let status = { try ControlClient.ask(OperationTable.status, socket: socket) }
        // Fifty readings a second come in and two go out: the others wait, and grow old.
        #expect(blockingEventually { scene.gateway.status.journal.buffered > 100 })
        let held = try status()
        #expect(held.mqtt.historyMode == "paused")
        #expect(held.mqtt.live > 0)
        #expect(held.mqtt.history == 0)
        #expect(held.mqtt.suppressed > 50)
        #expect(StatusText.lines(held).contains { $0.contains("history is paused") })

        _ = try ControlClient.ask(OperationTable.bufferDrain, socket: socket)
        // Readings younger than a second stay.
        #expect(blockingEventually { scene.gateway.status.journal.buffered < 100 })
        #expect(blockingEventually { scene.gateway.status.mqtt.historyMode == "normal" })
        #expect(try ControlClient.ask(OperationTable.bufferResume, socket: socket).mode == .normal)
        let end = scene.gateway.status
        #expect(end.mqtt.history > 0)
        #expect(end.journal.balances)
    }
}
