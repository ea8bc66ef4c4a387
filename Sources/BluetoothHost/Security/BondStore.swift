// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import Dispatch
import Foundation
import Logging

/// Bonds on disk, one file a peer, and our own Identity Resolving Key beside them. Nothing here runs on the radio
/// thread but ``apply(_:)``, which does not wait.
package final class BondStore: Sendable {
    private static let suffix = ".bond"
    private static let keyFile = "identity.key"
    /// Files that are looked at: more than a table holds are not ours.
    private static let fileLimit = 1024

    private let directory: String
    private let disk = DispatchQueue(label: "martlet.bonds")
    private let logger: Logger

    /// `directory`: made when the first secret is written.
    package init(directory: String, logger: Logger) {
        self.directory = directory
        self.logger = logger
    }

    // MARK: Bonds

    /// Reads every bond. A file that cannot be read is kept aside, named, and left out.
    package func load() -> [Bond] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let files = names.filter { $0.hasSuffix(Self.suffix) }.sorted()
        return files.prefix(Self.fileLimit).compactMap { name in
            let path = directory + "/" + name
            guard let data = FileManager.default.contents(atPath: path) else {
                logger.error("a bond cannot be read", metadata: ["file": "\(path)"])
                return nil
            }
            guard let bond = try? JSONDecoder().decode(Bond.self, from: data), Self.name(of: bond.identity) == name
            else {
                keepAside(path)
                return nil
            }
            return bond
        }
    }

    /// Writes changes down, in order, on a thread of its own. Any thread.
    package func apply(_ changes: [BondChange]) {
        guard !changes.isEmpty else { return }
        disk.async { [self] in
            for change in changes { write(change) }
        }
    }

    /// Waits until every change is on disk.
    package func finishSaving() { disk.sync {} }

    private func write(_ change: BondChange) {
        let path = directory + "/" + Self.name(of: change.identity)
        do {
            switch change {
            case .stored(let bond):
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                let data = try encoder.encode(bond)
                try SecretFile.makeDirectory(directory)
                try SecretFile.replace(path, with: data, in: directory)
            case .removed:
                try SecretFile.remove(path, in: directory)
            }
        } catch {
            // The bond works until the end of the process; after it, the peer has to be paired again.
            logger.error("a bond cannot be saved", metadata: ["file": "\(path)", "error": "\(error)"])
        }
    }

    /// `c47c8d001122-public.bond`.
    private static func name(of identity: DeviceAddress) -> String {
        identity.compact + (identity.kind == .public ? "-public" : "-random") + suffix
    }

    private func keepAside(_ path: String) {
        logger.error(
            "a damaged file of secrets is kept aside; the peer has to be paired again",
            metadata: ["file": "\(path)", "kept.as": "\(path).damaged"])
        try? FileManager.default.removeItem(atPath: path + ".damaged")
        try? FileManager.default.moveItem(atPath: path, toPath: path + ".damaged")
    }

    // MARK: Our own key

    /// Our own Identity Resolving Key: made at the first call of this installation. `make` gives 16 octets fit for a
    /// key. Waits for the disk.
    package func identityKey(make: () -> [UInt8] = BondStore.randomOctets) throws -> SecretKey {
        try disk.sync {
            let path = directory + "/" + Self.keyFile
            if let data = FileManager.default.contents(atPath: path) {
                if let key = SecretKey(
                    hexadecimal: String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)),
                    key != .zero
                {
                    return key
                }
                keepAside(path)
            }
            guard let key = SecretKey(make()), key != .zero else { throw CocoaError(.coderInvalidValue) }
            try SecretFile.makeDirectory(directory)
            try SecretFile.replace(path, with: Data((key.octets.hexadecimal + "\n").utf8), in: directory)
            return key
        }
    }

    /// 16 octets of the system's generator.
    package static func randomOctets() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
