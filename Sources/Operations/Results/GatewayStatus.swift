// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Health
import Platform
import Publisher
import Readings

/// The status for `martlet status`.
package struct GatewayStatus: Codable, Sendable {
    package struct Controller: Codable, Sendable {
        /// As configured: `hci0`, `tcp:HOST:PORT`…
        package var name: String
        /// In words: "powered on", or the obstacle and advice.
        package var state: String
        /// Counters of the host stack, by their names in JSON.
        package var counters: [String: UInt64]
        /// The controller's links, and their limit; nil while the controller does not answer.
        package var slots: ConnectionSlots?
        /// The radio's health, and the steps taken against faults.
        package var health: RadioHealth?
        /// The present time on the clock of `health`.
        package var uptimeMs: Int64?

        package init(
            name: String, state: String, counters: [String: UInt64], slots: ConnectionSlots? = nil,
            health: RadioHealth? = nil, uptimeMs: Int64? = nil
        ) {
            (self.name, self.state, self.counters) = (name, state, counters)
            (self.slots, self.health, self.uptimeMs) = (slots, health, uptimeMs)
        }

        /// Name and state. A state that already begins with the name stays as it is.
        package var summary: String { state.hasPrefix("\(name): ") ? state : "\(name): \(state)" }
    }

    package var gateway: String
    /// The place of the gateway, from the configuration; nil: not given.
    package var site: String?
    package var version: String
    package var uptimeS: Int
    /// Quality of the wall clock: `synced`, `holdover`, `unsynced`.
    package var clock: String
    package var controller: Controller
    package var collector: CollectorStatus
    package var journal: JournalStatistics
    package var mqtt: PublisherStatistics
    /// Problems of the bonds on disk, in sentences.
    package var bondProblems: [String] = []
    /// The complete state of the clock; `clock` is its summary.
    package var time: ClockStatus?
    /// Problems of the gateway's own configuration file, in sentences.
    package var configurationProblems: [String]?
    /// The original of this copied gateway, until an operator has told the two apart; nil for no copy.
    package var copiedFrom: String?
    /// Refused commands over MQTT, which came too often, by verb; nil: none.
    package var commandsRefused: [String: Int]?
    /// The machine's last known status; nil before its disk has answered.
    package var system: SystemStatus?
    /// Parts without an answer in time, in sentences.
    package var late: [String]?
    /// All that somebody has to do something about, the worst first: what every surface shows. Nil before it was judged.
    package var problems: [Problem]?
    /// The limits of sensors; nil for none.
    package var limits: [LimitStatus]?
    /// The events of limits, and the webhook; nil without limits.
    package var limitDeliveries: LimitDeliveries?
    /// The effects that the gateway had lately.
    package var proofs: GatewayProofs?
    /// Readings that wait for the broker, and their rate; nil without a backlog.
    package var backlog: Backlog?

    package init(
        gateway: String, site: String? = nil, version: String, uptimeS: Int, clock: String, controller: Controller,
        collector: CollectorStatus, journal: JournalStatistics, mqtt: PublisherStatistics, bondProblems: [String] = [],
        time: ClockStatus? = nil, configurationProblems: [String]? = nil, copiedFrom: String? = nil,
        commandsRefused: [String: Int]? = nil, system: SystemStatus? = nil
    ) {
        (self.gateway, self.site, self.version, self.uptimeS) = (gateway, site, version, uptimeS)
        (self.clock, self.controller, self.collector) = (clock, controller, collector)
        (self.journal, self.mqtt, self.bondProblems, self.time) = (journal, mqtt, bondProblems, time)
        (self.configurationProblems, self.copiedFrom) = (configurationProblems, copiedFrom)
        (self.commandsRefused, self.system) = (commandsRefused, system)
    }

    /// The problems that somebody has to do something about: without those that an operator knows of.
    package var openProblems: [Problem] { (problems ?? []).filter { $0.severity > .notice } }

    /// The problems that keep the gateway from its work.
    package var failures: [Problem] { (problems ?? []).filter { $0.severity == .failure } }
}

extension GatewayStatus {
    /// No value can come. States of sensors wait for a controller that is set up again, and may be former ones.
    package var isRadioDown: Bool { problems?.contains { $0.code == .radioDown } ?? false }
}
