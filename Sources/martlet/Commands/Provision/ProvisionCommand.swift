// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Health
import Operations
import Provisioning

struct ProvisionCommand: ListedCommand {
    static let place = HelpPlace(.settingUp, 40)
    static let configuration = CommandConfiguration(
        commandName: OperationName.provision.word,
        abstract: "Let phones set a running gateway up.",
        discussion: """
            A phone pairs while the window is open: as long as nothing is provisioned, after a press of the button, or \
            after `martlet provision open`.
            """,
        subcommands: [
            ProvisionOpenCommand.self, ProvisionCloseCommand.self, ProvisionStatusCommand.self,
            ProvisionLabelCommand.self, ProvisionForgetCommand.self,
        ],
        examples: [
            "martlet provision open": "shows the passkey for a phone",
            "martlet provision status": "whether the window is open, and which phones are known",
        ])
}

extension ControlOptions {
    func ask<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>, _ request: WindowRequest
    ) throws -> Result {
        do {
            let line = try ControlCoding.encode(request) + [UInt8(ascii: "\n")]
            let answer = try ControlClient.exchange(line, socket: path, timeout: .seconds(70))
            let response = try ControlCoding.decode(ControlResponse<Result>.self, from: answer)
            guard response.ok, let result = response.result else {
                throw ControlError.refused(Text.plain(response.error ?? "no reason given"))
            }
            return result
        } catch let error as ControlError {
            throw Self.failure(error)
        } catch {
            throw Self.failure(.malformedAnswer("\(error)"))
        }
    }
}

extension WindowReport {
    /// For a person.
    var lines: [String] {
        var lines: [String] = []
        if open {
            let who =
                switch opener {
                case "unprovisioned": "nothing is provisioned yet"
                case "button": "opened by the button"
                case "owner": "opened by a phone"
                default: "opened by a command"
                }
            let left = seconds.map { ", \($0 / 60) min \($0 % 60) s left" } ?? ""
            lines.append("The window is open: \(who)\(left).")
            if let passkey {
                lines.append("Passkey for the next phone: \(passkey)")
            } else if let problem {
                lines.append("No phone can pair: \(problem).")
            } else {
                lines.append("The next phone enters the passkey on the label.")
            }
        } else {
            lines.append(Advice.here("The window is closed. To open it: \(.martlet(.provisionOpen))"))
        }
        if failures > 0 { lines.append("Failed attempts: \(failures)") }
        switch label {
        case "good": lines.append("Label: good for one pairing; \(labelTries ?? 0) attempts may still fail.")
        case "used": lines.append(Advice.here("Label: used. For a new one: \(.martlet(.provisionLabel))"))
        case "void": lines.append(Advice.here("Label: void. For a new one: \(.martlet(.provisionLabel))"))
        default: lines.append(Advice.here("Label: none. To make one: \(.martlet(.provisionLabel))"))
        }
        if let phones {
            lines.append(phones.isEmpty ? "No phone is known." : "Phones:")
            lines += phones.map { "  \($0.address)  since \($0.since)" }
        }
        return lines.map { Text.plain($0) }
    }
}
