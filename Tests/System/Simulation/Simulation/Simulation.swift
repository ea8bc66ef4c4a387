// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import MQTT
import Platform
import Publisher

/// The load of many gateways at a broker.
///
/// Each gateway is a session of its own, with its own client id, and acts like a gateway, in the gateway's order. A
/// loop for each core serves them. Values and `n` follow from the plan, so that a consumer can detect a missing
/// reading.
package final class Simulation: Sendable {
    /// Threads that connect: at most this number of connections is being made at once.
    private static let connectors = 8

    /// The plan without features that a broker does not support.
    package let plan: SimulationPlan
    /// The version of MQTT in use: `5.0` or `3.1.1`.
    package let protocolVersion: String
    private let mailboxes: [LoopMailbox]
    private let connector: Connector

    /// Tries the brokers, and prepares the load; ``start()`` begins.
    ///
    /// - Throws: ``SimulationRoom`` if this machine has no room for the load, ``SimulationFailure`` if a broker
    ///   refuses.
    package init(_ plan: SimulationPlan) throws {
        var plan = plan
        try SimulationRoom.make(for: plan)
        let trial = try SimulationPreflight.run(plan)
        if !trial.retains { plan.mqtt.retain = false }
        if !plan.mqtt.retain { plan.clears = false }
        self.plan = plan
        protocolVersion = trial.version.rawValue
        let loops = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), plan.gateways)
        mailboxes = (0..<loops).map { _ in LoopMailbox() }
        connector = Connector(plan, version: trial.version, threads: min(Self.connectors, plan.gateways))
    }

    deinit {
        end()
        connector.stop()
    }

    /// Starts the threads.
    package func start() {
        let start = MonotonicTime.now
        for (index, mailbox) in mailboxes.enumerated() {
            let thread = Thread { [plan, connector, count = mailboxes.count] in
                // A write to a connection that the broker has closed must not end the process.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                SimulationLoop(
                    plan, share: stride(from: index, to: plan.gateways, by: count), start: start, mailbox: mailbox,
                    connector: connector
                ).run()
            }
            thread.name = "gateways-\(index)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Makes every gateway deliver its readings, say goodbye, and take retained messages back.
    package func end() {
        for mailbox in mailboxes { mailbox.end() }
    }

    /// All loops have ended.
    package var isOver: Bool { mailboxes.allSatisfy(\.isOver) }

    package var counts: SimulationCounts {
        mailboxes.reduce(into: SimulationCounts()) { $0.add($1.counts) }
    }
}
