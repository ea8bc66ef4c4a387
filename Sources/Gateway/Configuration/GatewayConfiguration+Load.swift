// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

extension GatewayConfiguration {
    package static let defaultPath = "/etc/martlet/martlet.toml"
    /// Larger files are not read: nobody writes them by hand.
    static let maximumFileSize = 1 << 20

    /// Reads `path` and, beside it, `conf.d/*.toml` in the order of their names.
    ///
    /// - Parameters:
    ///   - environment: for `$CREDENTIALS_DIRECTORY`.
    ///   - demandsTLSFiles: Whether files of `[mqtt.tls]` that cannot be used are mistakes. A gateway only warns of them: it
    ///     collects without a broker, too, and they may come later.
    package static func load(
        path: String = defaultPath, environment: [String: String] = ProcessInfo.processInfo.environment,
        demandsTLSFiles: Bool = false
    ) throws(ConfigurationError) -> GatewayConfiguration {
        let machineID = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
        var reader = ConfigurationReader(gateway: defaultGateway(machineID: machineID))
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("conf.d").path
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted()
        for file in [path] + names.map({ folder + "/" + $0 }) {
            switch contents(of: file) {
            case .success(let text): reader.add(text, file: file)
            case .failure(let issue): reader.fail(ConfigurationIssue(file: file, line: 0, issue.reason))
            }
        }
        return try finish(reader, environment: environment, demandsTLSFiles: demandsTLSFiles)
    }

    /// Reads one text, for programs that carry their configuration with them.
    package static func parse(
        _ text: String, file: String = "configuration", gateway: String, environment: [String: String] = [:],
        demandsTLSFiles: Bool = false
    ) throws(ConfigurationError) -> GatewayConfiguration {
        var reader = ConfigurationReader(gateway: gateway)
        reader.add(text, file: file)
        return try finish(reader, environment: environment, demandsTLSFiles: demandsTLSFiles)
    }

    private static func finish(
        _ reader: ConfigurationReader, environment: [String: String], demandsTLSFiles: Bool
    ) throws(ConfigurationError) -> GatewayConfiguration {
        var reader = reader
        readPassword(&reader, environment: environment)
        checkTLS(&reader, environment: environment)
        checkBrokers(&reader)
        if let issue = tlsFileIssue(in: reader) {
            if demandsTLSFiles { reader.fail(issue) } else { reader.update { $0.warnings.append("\(issue)") } }
        }
        guard reader.issues.isEmpty else { throw ConfigurationError(reader.issues) }
        return reader.configuration
    }

    /// Most that are tried in turn.
    private static let maximumBrokers = 16

    private static func checkBrokers(_ reader: inout ConfigurationReader) {
        guard reader.has(["mqtt", "brokers"]) else { return }
        let brokers = reader.configuration.mqtt.brokers
        if brokers.isEmpty || brokers.count > maximumBrokers {
            let message = "mqtt.brokers has \(brokers.count) entries; allowed are 1 to \(maximumBrokers)"
            reader.fail(reader.issue(at: ["mqtt", "brokers"], message))
        }
        if reader.has(["mqtt", "host"]) {
            reader.fail(reader.issue(at: ["mqtt", "host"], "mqtt.host and mqtt.brokers are both given; keep one"))
        }
    }

    private static func readPassword(_ reader: inout ConfigurationReader, environment: [String: String]) {
        let configuration = reader.configuration
        let mqtt = configuration.mqtt
        if mqtt.password != nil, configuration.passwordFile != nil {
            let message = "mqtt.password and mqtt.password_file are both given; keep one"
            reader.fail(reader.issue(at: ["mqtt", "password"], message))
            return
        }
        if let file = configuration.passwordFile {
            switch contents(of: file) {
            case .success(let text): reader.update { $0.mqtt.password = secret(in: text) }
            case .failure(let issue):
                let message = "mqtt.password_file \(quoted(file)): \(issue.reason)"
                reader.fail(reader.issue(at: ["mqtt", "password_file"], message))
            }
        } else if mqtt.password == nil, mqtt.username != nil, let folder = environment["CREDENTIALS_DIRECTORY"],
            case .success(let text) = contents(of: folder + "/mqtt.password")
        {
            reader.update { $0.mqtt.password = secret(in: text) }
        }
        if mqtt.username == nil, let key = ["password", "password_file"].first(where: { reader.has(["mqtt", $0]) }) {
            reader.fail(reader.issue(at: ["mqtt", key], "mqtt.\(key) is given without mqtt.username"))
        }
    }

    static func secret(in text: String) -> Secret {
        Secret(String(text.prefix { $0 != "\n" && $0 != "\r\n" }))
    }

    /// Reads a regular file, and whether others can read it, too. A file of root's may be shown to a group: that is how
    /// the gateway's user reads it.
    static func secretContents(of file: String) -> Result<(text: String, isOpen: Bool), InvalidValue> {
        var information = stat()
        // Looked at before it is opened: a pipe would wait for its writer.
        if stat(file, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
            return .failure(InvalidValue("is no regular file"))
        }
        let othersBits: mode_t = information.st_uid == 0 ? 0o007 : 0o077
        let isOpen = information.st_mode & othersBits != 0
        return contents(of: file).map { ($0, isOpen) }
    }

    static func contents(of file: String) -> Result<String, InvalidValue> {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
            defer { try? handle.close() }
            let data = try handle.read(upToCount: maximumFileSize + 1) ?? Data()
            guard data.count <= maximumFileSize else { return .failure(InvalidValue("is larger than 1 MiB")) }
            guard let text = String(data: data, encoding: .utf8) else { return .failure(InvalidValue("is not UTF-8")) }
            return .success(text)
        } catch {
            let reason = FileManager.default.fileExists(atPath: file) ? "cannot be read" : "there is no such file"
            return .failure(InvalidValue(reason))
        }
    }
}
