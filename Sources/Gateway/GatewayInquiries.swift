// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import CoreBluetooth
import Dispatch
import Journal
import Platform
import Readings

/// Clients' questions to parts of the gateway that may be busy, or hang.
final class GatewayInquiries: Sendable {
    struct ControllerState: Sendable {
        var state: String
        var counters: [String: UInt64] = [:]
        var slots: ConnectionSlots?
        var health: RadioHealth?
        var bondProblems: [String] = []
    }

    let controller: Inquiry<ControllerState>
    let collector: Inquiry<CollectorStatus>
    let journal: Inquiry<JournalStatistics>
    let bonds: Inquiry<BondList>
    let system: Inquiry<SystemStatus>
    let memory: MemoryKeeper
    /// The one account of what is wrong.
    let health: HealthKeeper
    /// The newest lines of the log.
    let log: LogRing
    /// The warnings that outlive the process.
    let warnings: WarningFile
    let limits: LimitPart
    let certificates: CertificateWatch
    /// Long work of the journal that somebody waits for, one after the other.
    private let journalWork = DispatchQueue(label: "martlet.inquiry.journal.work", qos: .utility)
    let controllerNow: @Sendable () -> ControllerState

    /// - Parameter folder: On the disk that matters.
    init(
        controller: CBController, collector: Collector, journal: Journal, memory: MemoryKeeper, health: HealthKeeper,
        log: LogRing, warnings: WarningFile, limits: LimitPart, certificates: CertificateWatch, folder: String
    ) {
        let controllerNow = { @Sendable in
            ControllerState(
                state: controller.configuredDescription, counters: controller.statistics.counters,
                slots: controller.slots, health: controller.health,
                bondProblems: controller.bondProblems)
        }
        self.controllerNow = controllerNow
        self.controller = Inquiry("martlet.inquiry.controller", controllerNow)
        self.collector = Inquiry("martlet.inquiry.collector") { collector.status }
        self.journal = Inquiry("martlet.inquiry.journal") { journal.completeStatistics }
        bonds = Inquiry("martlet.inquiry.bonds") { collector.bondList }
        (self.memory, self.health, self.limits) = (memory, health, limits)
        (self.log, self.warnings, self.certificates) = (log, warnings, certificates)
        system = Inquiry("martlet.inquiry.system") {
            var status = SystemStatus.now(disk: folder, memory: memory.status)
            status.certificates = certificates.files(at: .now)
            return status
        }
    }

    func onJournal<Answer: Sendable>(_ work: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { continuation in
            journalWork.async { continuation.resume(returning: work()) }
        }
    }
}

extension Journal {
    /// The books of the journal and of each sensor.
    var completeStatistics: JournalStatistics {
        var books = statistics
        books.sensors = sensorBooks
        return books
    }
}
