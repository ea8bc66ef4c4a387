// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Libcrypto

/// The first 32 octets of a backup, in the clear: `MARTLETB`, the version of the format, the figures of scrypt, four zeros,
/// and 16 octets of salt. docs/backup.md describes the format.
struct BackupHeader: Equatable, Sendable {
    static let length = 32
    static let version = 1
    private static let mark = Array("MARTLETB".utf8)
    private static let saltLength = 16

    /// The binary logarithm of scrypt's N. Together with ``blockSize``: 32 MiB and about 0.1 s for each guess.
    private(set) var cost: UInt8 = 15
    /// scrypt's r.
    private(set) var blockSize: UInt8 = 8
    /// scrypt's p.
    private(set) var parallel: UInt8 = 1
    private(set) var salt: [UInt8]

    /// A header for a new backup. Its salt, and so its key, is its own.
    init() { salt = (0..<Self.saltLength).map { _ in UInt8.random(in: .min ... .max) } }

    /// - Parameter octets: The beginning of a file, of any length.
    init(_ octets: [UInt8]) throws(BackupError) {
        guard octets.count >= Self.length, octets.starts(with: Self.mark) else { throw .noBackup }
        let figures = octets[Self.mark.count..<Self.length]
        var fields = figures.makeIterator()
        let version = Int(fields.next() ?? 0)
        guard version == Self.version else { throw version > Self.version ? .newer(version: version) : .noBackup }
        (cost, blockSize, parallel) = (fields.next() ?? 0, fields.next() ?? 0, fields.next() ?? 0)
        salt = Array(figures.suffix(Self.saltLength))
        // A file must not make the machine compute for hours, or take its memory: 128 MiB at most.
        guard (10...17).contains(cost), (1...8).contains(blockSize), (1...4).contains(parallel),
            figures.dropFirst(4).prefix(4).allSatisfy({ $0 == 0 })
        else { throw .damaged("no version of this program writes the figures of its key") }
    }

    var octets: [UInt8] {
        Self.mark + [UInt8(Self.version), cost, blockSize, parallel, 0, 0, 0, 0] + salt
    }

    /// The key of the file.
    func key(of passphrase: Secret) throws(BackupError) -> [UInt8] {
        let key = Scrypt.key(
            from: Array(passphrase.revealed.utf8), salt: salt, cost: 1 << UInt64(cost), blockSize: UInt64(blockSize),
            parallel: UInt64(parallel), length: AES256GCM.keyLength)
        guard let key else { throw .unfit("OpenSSL makes no key of the passphrase: is the memory short?") }
        return key
    }
}
