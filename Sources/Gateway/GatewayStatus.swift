// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import CoreBluetooth
import Health
import Platform
import Publisher
import Readings

/// What `martlet status` shows.
package struct GatewayStatus: Codable, Sendable {
    package struct Controller: Codable, Sendable {
        /// As configured: `hci0`, `tcp:HOST:PORT`…
        package var name: String
        /// In words: "powered on", or what is in the way and what to do about it.
        package var state: String
        /// What the host stack has seen; the names are those of the wire.
        package var counters: [String: UInt64]
        /// Its links, and how many it bears; nil while it does not answer.
        package var slots: ConnectionSlots?
        /// How the radio does, and what was done about it.
        package var health: RadioHealth?
        /// Now, by the clock of `health`.
        package var uptimeMs: Int64?

        /// Name and state; what is in the way of it may begin with its name already.
        package var summary: String { state.hasPrefix("\(name): ") ? state : "\(name): \(state)" }
    }

    package var gateway: String
    package var version: String
    package var uptimeS: Int
    /// Quality of the wall clock: `synced`, `holdover`, `unsynced`.
    package var clock: String
    package var controller: Controller
    package var collector: CollectorStatus
    package var journal: JournalStatistics
    package var mqtt: PublisherStatistics
    /// What is not in order with the bonds on disk, in sentences.
    package var bondProblems: [String] = []
    /// All of the clock; `clock` is its state.
    package var time: ClockStatus?
    /// What is not in order with the configuration that the gateway writes itself, in sentences.
    package var configurationProblems: [String]?
    /// Commands over MQTT that came too often and were refused, by verb; nil when there were none.
    package var commandsRefused: [String: Int]?
    /// Of the machine; nil when its disk does not answer.
    package var system: SystemStatus?
    /// Parts that have not answered in time, in sentences.
    package var late: [String]?
    /// All that somebody has to do something about, the worst first: what every surface shows. Nil before it was judged.
    package var problems: [Problem]?
    /// The effects that the gateway had lately.
    package var proofs: GatewayProofs?

    /// The problems that keep the gateway from its work.
    package var failures: [Problem] { (problems ?? []).filter { $0.severity == .failure } }
}

extension CBControllerStatistics {
    /// Names and counts, as they are shown.
    var counters: [String: UInt64] {
        [
            "advertising_reports": advertisingReports, "notifications": notifications, "indications": indications,
            "connections": connections, "disconnections": disconnections, "malformed_packets": malformedPackets,
            "dropped_fragments": droppedFragments, "undeliverable_frames": undeliverableFrames,
            "unexpected_pdus": unexpectedPDUs, "write_commands_dropped": writeCommandsDropped,
            "managers_cut_off": managersCutOff, "batches_withheld": batchesWithheld,
            "packets_lost": packetsLost, "command_timeouts": commandTimeouts, "hardware_errors": hardwareErrors,
            "restarts": restarts,
        ]
    }
}
