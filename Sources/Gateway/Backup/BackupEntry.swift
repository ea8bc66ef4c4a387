// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The head of a file in a backup: two octets of length, most significant first, and this object as JSON; then the file.
struct BackupEntry: Codable, Equatable, Sendable {
    /// Octets of a head.
    static let limit = 4_096
    /// Octets of a file, except for the journal.
    static let fileLimit = 4 << 20
    /// Octets of all files together, except for the journal.
    static let totalLimit = 64 << 20

    /// The place of a file.
    enum Kind: Equatable {
        case manifest
        case journal
        /// Below the state directory.
        case state(String)
        /// The configuration file itself.
        case configuration
        /// A file below the folder of the configuration file.
        case beside(String)
        /// A credential of systemd, see ``BackupPlaces/credentialNames``.
        case credential(String)
    }

    var name: String
    /// Octets.
    var size: Int
    /// The rights of the file.
    var mode: UInt32

    init(_ kind: Kind, size: Int, mode: UInt32 = 0o600) {
        (self.size, self.mode) = (size, mode)
        name =
            switch kind {
            case .manifest: "manifest"
            case .journal: "journal"
            case .configuration: "configuration"
            case .state(let path): "state/" + path
            case .beside(let path): "beside/" + path
            case .credential(let name): "credential/" + name
            }
    }

    /// Nil for any other name.
    var kind: Kind? {
        switch name {
        case "manifest": return .manifest
        case "journal": return .journal
        case "configuration": return .configuration
        default: break
        }
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, Self.isPlain(parts[1]) else { return nil }
        switch parts[0] {
        case "state": return .state(parts[1])
        case "beside": return .beside(parts[1])
        case "credential": return BackupPlaces.credentialNames.contains(parts[1]) ? .credential(parts[1]) : nil
        default: return nil
        }
    }

    /// A relative path without a way out of its folder.
    static func isPlain(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return path.utf8.count <= 1_024 && parts.count <= 8
            && parts.allSatisfy { part in
                (1...255).contains(part.utf8.count) && part != "." && part != ".."
                    && part.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            }
    }

    var octets: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = [UInt8]((try? encoder.encode(self)) ?? Data())
        return [UInt8(truncatingIfNeeded: json.count >> 8), UInt8(truncatingIfNeeded: json.count)] + json
    }

    /// The next head of a stream; nil at its end.
    static func read(_ stream: inout BackupOpener) throws(BackupError) -> BackupEntry? {
        guard let first = try stream.next(1) else { return nil }
        let head = first + (try stream.take(1))
        let length = Int(head[0]) << 8 | Int(head[1])
        guard length <= limit else { throw .damaged("an entry cannot be read") }
        let json = Data(try stream.take(length))
        guard let entry = try? JSONDecoder().decode(Self.self, from: json), entry.size >= 0 else {
            throw .damaged("an entry cannot be read")
        }
        return entry
    }
}

/// The first entry of a backup: the gateway, and the time of the backup.
package struct BackupManifest: Codable, Equatable, Sendable {
    /// Milliseconds since 1970.
    package var madeMs: Int64
    /// The version of the program.
    package var martlet: String
    /// The gateway's `<gw>`.
    package var gateway: String
    /// The configuration names the gateway.
    package var isNamed: Bool
    package var stateDirectory: String
    package var journal: String
    /// Waiting readings in the journal.
    package var rows: Int
    /// The greatest number of a reading.
    package var greatest: Int64
}
