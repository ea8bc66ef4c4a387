// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Glibc
import Journal
import StateFiles

/// The places of a gateway's files.
package struct BackupPlaces: Sendable {
    /// Names of systemd's credentials for the gateway's service: `LoadCredential=` in martlet.service.
    static let credentialNames: Set<String> = [
        "martlet.mqtt.password", "martlet.mqtt.ca", "martlet.mqtt.certificate", "martlet.mqtt.key",
        "martlet.page.password", "martlet.webhook.url", "martlet.webhook.header",
    ]

    /// The path of martlet.toml.
    package var configuration: String
    package var stateDirectory: String
    package var journal: String
    /// The folder of systemd's credentials.
    package var credentials = "/etc/credstore"
    package var machine = MachineMarks.Places()

    package init(configuration path: String, _ configuration: GatewayConfiguration) {
        self.configuration = path
        stateDirectory = configuration.bluetooth.stateDirectory
        journal = configuration.journal.path
    }

    /// The folder of martlet.toml.
    var folder: String {
        let folder = (configuration as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    var settings: ConfigurationFiles { ConfigurationFiles(path: configuration) }
}

/// The files of the configuration of people.
struct ConfigurationFiles: Sendable {
    let path: String

    private var folder: String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    /// The configuration files beside martlet.toml, relative to the folder of martlet.toml.
    var beside: [String] {
        ["conf.d", "decoders.d"].flatMap { name in
            GatewayConfiguration.files(in: folder + "/" + name).files.map {
                name + "/" + ($0 as NSString).lastPathComponent
            }
        }
    }

    /// Whether a relative path has the form of ``beside``.
    static func belongs(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.count == 2 && ["conf.d", "decoders.d"].contains(parts[0]) && parts[1].hasSuffix(".toml")
            && !parts[1].hasPrefix(".")
    }

    /// The files named in texts of the configuration, by keys like `password_file`.
    ///
    /// - Returns: Paths relative to the configuration's folder, and absolute paths to other places.
    func named(in texts: [String]) -> (inside: Set<String>, outside: Set<String>) {
        var (inside, outside): (Set<String>, Set<String>) = ([], [])
        for text in texts {
            guard let document = try? TOMLDocument(text, file: path) else { continue }
            for file in Self.files(in: .table(document.root)) {
                let relative = file.hasPrefix(folder + "/") ? String(file.dropFirst(folder.utf8.count + 1)) : ""
                if BackupEntry.isPlain(relative) { inside.insert(relative) } else { outside.insert(file) }
            }
        }
        return (inside, outside)
    }

    private static func files(in value: ConfigurationValue) -> [String] {
        switch value {
        case .table(let table):
            table.flatMap { key, value -> [String] in
                if case .string(let path) = value { return key.hasSuffix("_file") && !path.isEmpty ? [path] : [] }
                return files(in: value)
            }
        case .list(let list): list.flatMap(files)
        default: []
        }
    }
}

/// A file in a backup.
struct BackedFile: Equatable, Sendable {
    var octets: [UInt8]
    /// The rights of the file.
    var mode: UInt32

    /// Reads a regular file of at most ``BackupEntry/fileLimit`` octets; nil if there is none.
    ///
    /// - Parameter follows: Whether the path may be a link. False for files of other users.
    static func read(_ path: String, follows: Bool) throws(BackupError) -> BackedFile? {
        // O_NONBLOCK: the path may be a pipe.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follows ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .disk(path: path, StateFileError(step: "open", code: errno))
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw .disk(path: path, StateFileError(step: "stat", code: EINVAL))
        }
        var octets: [UInt8] = []
        while octets.count <= BackupEntry.fileLimit {
            let more = try Self.next(descriptor, path)
            guard !more.isEmpty else { return BackedFile(octets: octets, mode: information.st_mode & 0o777) }
            octets += more
        }
        throw .disk(path: path, StateFileError(step: "read", code: EFBIG))
    }

    /// The next octets of an open file; none at its end.
    static func next(_ descriptor: Int32, _ path: String, limit: Int = BackupChunk.length) throws(BackupError)
        -> [UInt8]
    {
        var buffer = [UInt8](repeating: 0, count: limit)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .disk(path: path, StateFileError(step: "read", code: errno)) }
            return Array(buffer.prefix(count))
        }
    }
}
