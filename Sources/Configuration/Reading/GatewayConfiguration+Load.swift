// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import Publisher
import Readings

extension GatewayConfiguration {
    package static let defaultPath = "/etc/martlet/martlet.toml"

    /// Reads `path`, beside it `decoders.d/*.toml` and `conf.d/*.toml` in the order of their names, and last the
    /// gateway's own files: `config.d/*.toml` in the state directory.
    ///
    /// - Parameters:
    ///   - environment: for `$CREDENTIALS_DIRECTORY`.
    ///   - isCheck: A person asks for mistakes. Unusable files of `[mqtt.tls]` are mistakes then, and keys left out,
    ///     perhaps on purpose, give warnings. A gateway only warns of such files, because it also collects without a
    ///     broker, and the files may come later.
    ///   - machine: The places with the marks of this machine.
    ///   - freshName: The lasting name of a gateway without a name; nil writes nothing, and leaves a damaged file of
    ///     the gateway's own in its place.
    package static func load(
        path: String = defaultPath, environment: [String: String] = ProcessInfo.processInfo.environment,
        isCheck: Bool = false, freshName: String? = nil, machine: MachineMarks.Places = MachineMarks.Places()
    ) throws(ConfigurationError) -> GatewayConfiguration {
        try load(
            path: path, environment: environment, isCheck: isCheck, freshName: freshName, machine: machine,
            layer: nil)
    }

    /// - Parameters:
    ///   - layer: Replaces the gateway's own file; nil reads the file on disk.
    ///   - texts: Parses the files.
    package static func load(
        path: String, environment: [String: String], isCheck: Bool = false, freshName: String?,
        machine: MachineMarks.Places = MachineMarks.Places(), layer: MachineLayerText?,
        texts: ConfigurationTexts = ConfigurationTexts()
    ) throws(ConfigurationError) -> GatewayConfiguration {
        var reader = ConfigurationReader(gateway: GatewayName.unnamed, texts: texts)
        let decoders = DecoderFiles(beside: path, texts)
        for issue in decoders.issues { reader.fail(issue) }
        reader.update { $0.warnings += decoders.notes }
        let former = decoders.install()
        let (more, issue) = filesBeside(path)
        if let issue { reader.fail(issue) }
        for file in [path] + more {
            switch contents(of: file) {
            case .success(let text): reader.add(text, file: file)
            case .failure(let issue): reader.fail(ConfigurationIssue(file: file, line: 0, issue.reason))
            }
        }
        do throws(ConfigurationError) {
            return try withRights(toRead: reader.configuration.bluetooth.stateDirectory, isGateway: freshName != nil) {
                () throws(ConfigurationError) -> GatewayConfiguration in
                if reader.issues.isEmpty { addMachineLayer(to: &reader, layer, mends: freshName != nil) }
                let isNamed = reader.has(["gateway", "id"])
                reader.update { $0.isNamed = isNamed }
                if reader.issues.isEmpty, !isNamed { identify(&reader, on: machine, fresh: freshName) }
                return try finish(reader, environment: environment, isCheck: isCheck)
            }
        } catch {
            // A refused configuration changes nothing.
            UserDecoders.install(former)
            throw error
        }
    }

    /// The gateway's own file may name any file, as a password's. So a command run by root reads it, and the files
    /// named there, with the rights of the gateway's user.
    private static func withRights(
        toRead folder: String, isGateway: Bool, _ body: () throws(ConfigurationError) -> GatewayConfiguration
    ) throws(ConfigurationError) -> GatewayConfiguration {
        guard !isGateway else { return try body() }
        do {
            return try PathOwner.run(at: folder) { try body() }
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError([ConfigurationIssue(file: folder, line: 0, "\(error)")])
        }
    }

    /// Reads a text, for programs with a built-in configuration.
    package static func parse(
        _ text: String, file: String = "configuration", gateway: String, environment: [String: String] = [:],
        isCheck: Bool = false
    ) throws(ConfigurationError) -> GatewayConfiguration {
        var reader = ConfigurationReader(gateway: gateway)
        reader.add(text, file: file)
        return try finish(reader, environment: environment, isCheck: isCheck)
    }

    static func finish(
        _ reader: ConfigurationReader, environment: [String: String], isCheck: Bool
    ) throws(ConfigurationError) -> GatewayConfiguration {
        var reader = reader
        readPassword(&reader, environment: environment)
        checkTLS(&reader, environment: environment)
        checkBrokers(&reader)
        checkSparkplug(&reader)
        checkPage(&reader, environment: environment)
        checkWebhook(&reader, environment: environment)
        reader.update { $0.mqtt.homeAssistant.gatewayName = $0.mqtt.homeAssistant.discovery == .off ? nil : $0.name }
        reader.update { $0.mqtt.homeAssistant.page = $0.mqtt.homeAssistant.discovery == .off ? nil : $0.page.url }
        reader.warnOfTwins()
        if reader.foreign == nil { reader.warnOfOpenKeys() }
        let isProvisioned = reader.has(["mqtt", "host"]) || reader.has(["mqtt", "brokers"])
        reader.update { $0.isProvisioned = isProvisioned }
        if isCheck { reader.warnOfOmissions() }
        if let foreign = reader.foreign {
            guard reader.issues.isEmpty else { throw ConfigurationError(reader.issues) }
            reader.update { $0.warnings += foreign.omissions }
            return reader.configuration
        }
        for issue in [tlsFileIssue(in: reader), pageFileIssue(in: reader), webhookFileIssue(in: reader)].compactMap(
            \.self)
        {
            if isCheck { reader.fail(issue) } else { reader.update { $0.warnings.append("\(issue)") } }
        }
        guard reader.issues.isEmpty else { throw ConfigurationError(reader.issues) }
        return reader.configuration
    }

    /// At most this many brokers are tried in turn.
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

    private static func checkSparkplug(_ reader: inout ConfigurationReader) {
        let mqtt = reader.configuration.mqtt
        guard mqtt.format == .sparkplug else { return }
        if mqtt.homeAssistant.discovery != .off {
            let message =
                "mqtt.format = \"sparkplug\" has nothing that Home Assistant reads: set home_assistant.discovery = \"off\""
            reader.fail(reader.issue(at: ["mqtt", "format"], message))
        }
        if mqtt.sharesSensors {
            let message =
                "an edge node of mqtt.format = \"sparkplug\" shares no devices: set mqtt.shares_sensors = false"
            reader.fail(reader.issue(at: ["mqtt", "shares_sensors"], message))
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
            guard reader.foreign == nil else { return checkUser(&reader) }
            switch secret(inFile: file) {
            case .success(let secret): reader.update { $0.mqtt.password = secret }
            case .failure(let issue):
                let message = "mqtt.password_file \(quoted(file)): \(issue.reason)"
                reader.fail(reader.issue(at: ["mqtt", "password_file"], message))
            }
        } else if mqtt.password == nil, mqtt.username != nil, !reader.brokerIsMachines,
            let folder = environment["CREDENTIALS_DIRECTORY"],
            case .success(let text) = contents(of: folder + "/mqtt.password")
        {
            reader.update { $0.mqtt.password = secret(in: text) }
        }
        checkUser(&reader)
    }

    /// A password needs a user.
    private static func checkUser(_ reader: inout ConfigurationReader) {
        let mqtt = reader.configuration.mqtt
        if mqtt.username == nil, reader.origins[["mqtt", "password"]]?.isMachines == true {
            // A person has removed the user from their own file. The gateway starts nevertheless.
            return reader.update { $0.mqtt.password = nil }
        }
        if mqtt.username == nil, let key = ["password", "password_file"].first(where: { reader.has(["mqtt", $0]) }) {
            reader.fail(reader.issue(at: ["mqtt", key], "mqtt.\(key) is given without mqtt.username"))
        }
    }

    /// A file's first line.
    package static func secret(inFile file: String) -> Result<Secret, InvalidValue> {
        contents(of: file).map { secret(in: $0) }
    }

    static func secret(in text: String) -> Secret {
        Secret(String(text.prefix { $0 != "\n" && $0 != "\r\n" }))
    }
}
