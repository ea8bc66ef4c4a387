// SPDX-License-Identifier: Apache-2.0

import Collector
import Configuration
import CoreBluetooth
import Dispatch
import Journal
import Logging
import Operations
import StateFiles

/// Removes everything that the gateway was told, or has learned: provisioned settings, bonds and keys, knowledge of
/// peers, and waiting readings.
///
/// A marker on disk comes first, and is removed last: if the process ends in between, the next start continues. The
/// files are removed while no process has them open: at the end of the process that got the request, or at the next
/// start. The numbers of readings continue: no number is given twice.
package struct FactoryReset: Sendable {
    /// Folders and files of the state directory that are removed. The journal is only emptied. The gateway keeps its
    /// name.
    private static let things = [
        "config.d", "bonds", "cache", "charts", "corrupt", "support", "flight", "provision.json", WarningFile.name,
        PendingRestore.draftName,
    ]

    private let stateDirectory: String
    private let disk: any ConfigurationDisk

    package init(stateDirectory: String, disk: any ConfigurationDisk = SystemConfigurationDisk()) {
        self.stateDirectory = stateDirectory
        self.disk = disk
    }

    private var marker: String { stateDirectory + "/factory-reset" }

    /// Whether a reset has begun and not ended.
    package var isUnderway: Bool { (try? disk.read(marker, limit: 64)) ?? nil != nil }

    func begin() throws(StateFileError) {
        try disk.makeFolder(stateDirectory)
        try disk.replace(marker, with: Array("begun\n".utf8), in: stateDirectory)
    }

    /// Removes the files of a reset in progress. Call it before the controller opens, and after the controller has shut
    /// down.
    package func removeFiles(logger: Logger) throws(StateFileError) {
        guard isUnderway else { return }
        let names = try disk.names(in: stateDirectory)
        for name in names where Self.things.contains(name) { try disk.removeAll(stateDirectory + "/" + name) }
        // The file also holds our own address, and possibly a new address from after the beginning of the reset.
        if names.contains("peers.json") {
            CBController.forgetKnownPeers(stateDirectory: stateDirectory, logger: logger)
        }
        try disk.synchronize(folder: stateDirectory)
    }

    /// Ends the reset, after the readings are gone.
    func end() throws(StateFileError) {
        try disk.remove(marker)
        try disk.synchronize(folder: stateDirectory)
    }
}

extension GatewayService {
    /// Notes the reset durably, and ends the process.
    func beginFactoryReset() async throws(OperationError) {
        let reset = FactoryReset(stateDirectory: configuration.bluetooth.stateDirectory, disk: disk)
        guard let restart else { throw OperationError(.refused, "this gateway cannot be started anew from here") }
        let failure = await inquiries.onJournal { () -> StateFileError? in
            do throws(StateFileError) {
                try reset.begin()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw OperationError(.failed, "the state directory cannot be written: \(failure)") }
        logger.notice("reset to factory settings: the gateway starts anew")
        restart()
    }

    /// Ends a reset begun by an earlier process.
    func finishFactoryReset(_ reset: FactoryReset) {
        guard reset.isUnderway else { return }
        journal.whenOpen { [journal, logger] in
            // On another queue, because purge waits for the journal's queue.
            DispatchQueue.global(qos: .utility).async {
                for device in journal.identifiers(withPrefix: CollectorOutlet.eventsPrefix).keys {
                    journal.setIdentifier("", for: CollectorOutlet.eventsPrefix + device)
                }
                guard let purged = journal.purge() else {
                    return logger.error("readings could not be removed: the next start tries again")
                }
                do throws(StateFileError) {
                    try reset.end()
                    logger.notice("reset to factory settings", metadata: ["journal.purged": "\(purged)"])
                } catch {
                    logger.error("reset not ended: the next start tries again", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
