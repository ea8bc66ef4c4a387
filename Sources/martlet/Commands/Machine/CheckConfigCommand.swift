// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import Operations
import Publisher
import Readings

struct CheckConfigCommand: ListedCommand {
    static let place = HelpPlace(.settingUp, 30)
    static let configuration = CommandConfiguration(
        commandName: OperationName.checkConfig.word,
        abstract: "Say what is wrong with the configuration.",
        discussion:

            """
            Reads the file, and conf.d/*.toml and decoders.d/*.toml beside it, as the gateway would; each decoder has to pass \
            its own vectors. Ends with status 78 on a mistake.
            """,
        examples: [
            "martlet check-config": "/etc/martlet/martlet.toml",
            "martlet check-config new.toml": "another file",
            "martlet check-config --keys": "all keys of the configuration",
        ])

    @OptionGroup var named: FileArgument
    @OptionGroup var configured: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print the reference of all keys instead, as Markdown.")
    var keys = false

    private struct Report: Encodable {
        var file: String
        var ok: Bool
        var gateway: String?
        var controller: String?
        var brokers: String?
        var sensors: Int?
        var decoders: [String]?
        var warnings: [String] = []
        var mistakes: [String] = []
    }

    func run() throws {
        if keys {
            Output.raw(ConfigurationReference.markdown)
            return
        }
        let options = named.applied(to: configured)
        if json { return try report(options.config) }
        let configuration = try options.load(isCheck: true)
        let rules = configuration.sensors.count
        let brokers = configuration.mqtt.addresses.count
        Output.line(
            "\(options.config): good. Gateway \(configuration.gateway), controller \(configuration.bluetooth.controller), "
                + "\(brokers == 1 ? "broker" : "brokers") \(configuration.mqtt.brokerNames), "
                + "\(rules) sensor \(rules == 1 ? "entry" : "entries").")
        let decoders = UserDecoders.current.all
        if !decoders.isEmpty {
            let names = decoders.map(\.name).sorted().joined(separator: ", ")
            Output.line(
                "decoders.d: good. Every vector of \(decoders.count == 1 ? "its decoder" : "\(decoders.count) decoders") passes: \(names)."
            )
        }
        for warning in configuration.warnings { Output.line("Warning: \(warning).") }
        if rules == 0 {
            Output.line("No [[sensor]] is accepted, so nothing will be collected.")
        }
    }

    private func report(_ file: String) throws {
        var report = Report(file: file, ok: true)
        do throws(ConfigurationError) {
            let configuration = try GatewayConfiguration.load(path: file, isCheck: true)
            (report.gateway, report.controller) = (configuration.gateway, configuration.bluetooth.controller)
            report.brokers = configuration.mqtt.brokerNames
            (report.sensors, report.warnings) = (configuration.sensors.count, configuration.warnings)
            report.decoders = UserDecoders.current.all.map(\.name).sorted()
        } catch {
            (report.ok, report.mistakes) = (false, error.issues.map(\.description))
        }
        try Output.json(report)
        if !report.ok { throw ExitStatus.configuration }
    }
}
