// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Journal
import Logging
import StateFiles

/// Removes everything that the gateway was told, or has learned: what was provisioned, bonds and keys, what is known of
/// peers, and the readings that wait.
///
/// A marker on disk comes first, and goes last: whatever ends the process in between, the next start goes on. The files go
/// while nobody has them open: at the end of the process that was asked, or at the next start. The numbers of readings go
/// on: no number is given twice.
package struct FactoryReset: Sendable {
    /// Folders and files of the state directory that go. Not the journal, which is emptied, and not the gateway's name.
    private static let things = ["config.d", "bonds", "cache", "corrupt", "support", "provision.json"]

    private let stateDirectory: String
    private let disk: any ConfigurationDisk

    package init(stateDirectory: String, disk: any ConfigurationDisk = SystemConfigurationDisk()) {
        self.stateDirectory = stateDirectory
        self.disk = disk
    }

    private var marker: String { stateDirectory + "/factory-reset" }

    /// Whether one was begun, and has not ended.
    package var isUnderway: Bool { (try? disk.read(marker, limit: 64)) ?? nil != nil }

    func begin() throws(StateFileError) {
        try disk.makeFolder(stateDirectory)
        try disk.write(Array("begun\n".utf8), to: marker)
        try disk.synchronize(marker)
        try disk.synchronize(folder: stateDirectory)
    }

    /// Removes the files of a reset that was begun. To be called before the controller is opened, and after it was shut down.
    package func removeFiles(logger: Logger) throws(StateFileError) {
        guard isUnderway else { return }
        let names = try disk.names(in: stateDirectory)
        for name in names where Self.things.contains(name) { try disk.removeAll(stateDirectory + "/" + name) }
        // Our own address is in there, too, and a new one since the reset was begun.
        if names.contains("peers.json") {
            CBController.forgetKnownPeers(stateDirectory: stateDirectory, logger: logger)
        }
        try disk.synchronize(folder: stateDirectory)
    }

    /// The readings are gone, too.
    func end() throws(StateFileError) {
        try disk.remove(marker)
        try disk.synchronize(folder: stateDirectory)
    }
}

extension GatewayService {
    /// Notes durably that everything has to go, and has the process ended.
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

    /// Ends a reset that an earlier process has begun.
    func finishFactoryReset(_ reset: FactoryReset) {
        guard reset.isUnderway else { return }
        journal.whenOpen { [journal, logger] in
            // On a queue of its own: the journal's is what it waits for.
            DispatchQueue.global(qos: .utility).async {
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
