// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Doctor
import Gateway
import Operations

struct DoctorCommand: ListedCommand {
    static let place = HelpPlace(.everyday, 40)
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look for obstacles to the gateway's work, and say what to do.",
        discussion: """
            Works before the first start, too: looks at the machine, the configuration, the service, the adapter and \
            its user, rights, switches, disk, clock, certificates and the broker. Changes nothing; asks a running \
            gateway, and does not disturb the gateway. Ends with status 1 if something keeps the gateway from its \
            work.
            """,
        examples: [
            "sudo martlet doctor": "all of it; without sudo, what you may see",
            "martlet doctor --config new.toml": "before that file is used",
            "martlet doctor --json": "for programs",
        ])

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let doctor = Doctor.make(for: control)
        let showsProgress = !json && Output.isTerminal
        let diagnosis = doctor.diagnose { name in
            if showsProgress { Output.raw("\r\u{1B}[K\(name)…") }
        }
        if showsProgress { Output.raw("\r\u{1B}[K") }
        if json {
            Output.line(String(decoding: try ControlCoding.encode(diagnosis), as: UTF8.self))
        } else {
            let columns = Output.isTerminal ? Output.size.columns : nil
            Output.line(Paint.lines(DoctorText.lines(diagnosis, columns: columns)).joined(separator: "\n"))
        }
        if !diagnosis.isHealthy { throw ExitStatus.failure }
    }
}

extension Doctor {
    /// Reads the configuration, and asks the gateway.
    static func make(for control: ControlOptions) -> Doctor {
        let configuration: Result<GatewayConfiguration, ConfigurationError>
        do throws(ConfigurationError) {
            configuration = .success(try GatewayConfiguration.load(path: control.config, isCheck: true))
        } catch {
            configuration = .failure(error)
        }
        let running: Doctor.Running
        do throws(ControlError) {
            running = .answers(
                try ControlClient.ask(OperationTable.status, socket: control.path))
        } catch {
            running = .silent("\(error)")
        }
        return Doctor(path: control.config, configuration: configuration, running: running)
    }
}
