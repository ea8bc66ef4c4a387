// SPDX-License-Identifier: Apache-2.0

import Journal
import StateFiles

/// Why a backup cannot be written or restored; never with a content of a file.
package enum BackupError: Error, Equatable, Sendable {
    /// The file does not begin like a backup.
    case noBackup
    /// A newer version of this program wrote the file.
    case newer(version: Int)
    /// The passphrase is wrong, or the beginning of the file is damaged.
    case wrongPassphrase
    /// The file was cut, changed or put together of parts.
    case damaged(String)
    /// A step on a file failed.
    case disk(path: String, StateFileError)
    case journal(JournalError)
    /// The backup does not fit this machine, for a reason.
    case unfit(String)
}

extension BackupError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noBackup: "it is no backup of martlet"
        case .newer(let version):
            "it is of a newer version of martlet (format \(version), this martlet knows \(BackupHeader.version)): update the program"
        case .wrongPassphrase: "the passphrase is wrong, or the beginning of the file is damaged"
        case .damaged(let what): "it is damaged: \(what)"
        case .disk(let path, let error): "\(path): \(error)"
        case .journal(let error): "\(error)"
        case .unfit(let reason): reason
        }
    }
}

/// Names the file of a failed step.
@discardableResult
func atFile<Result>(
    _ path: String, _ body: () throws(StateFileError) -> Result
) throws(BackupError) -> Result {
    do throws(StateFileError) {
        return try body()
    } catch {
        throw .disk(path: path, error)
    }
}

/// Passes a failure of the journal on.
@discardableResult
func withJournal<Result>(_ body: () throws(JournalError) -> Result) throws(BackupError) -> Result {
    do throws(JournalError) {
        return try body()
    } catch {
        throw .journal(error)
    }
}
