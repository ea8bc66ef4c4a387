// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Doctor
import Gateway
import Health
import Platform

struct IdentityCommand: ListedCommand {
    static let place = HelpPlace(.settingUp, 50)
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Show or set the identity of this gateway.",
        discussion: """
            A gateway keeps its identity, with a mark of its machine, beside its other state. When its card is started \
            in another machine, the gateway there is a copy: the copy takes a new name, says so, and leaves the former \
            name to the readings of the card. After a replacement of the board, say --same-gateway. If two gateways \
            have one name because their disks are copies and their machines have no marks of their own, say \
            --new-gateway on one of the two.
            The gateway takes its name when it starts.
            """,
        examples: [
            "martlet identity": "its name, and how it knows its machine",
            "martlet identity --same-gateway": "its board was replaced",
            "martlet identity --new-gateway": "its card was copied from another gateway's",
        ])

    @Flag(help: "This is the gateway that its card comes from: its board was replaced.")
    var sameGateway = false

    @Flag(help: "This is a gateway of its own: give it a name that no other has.")
    var newGateway = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        if sameGateway, newGateway { throw ValidationError("--same-gateway and --new-gateway: one of them.") }
    }

    func run() throws {
        let configuration = try options.load()
        let folder = configuration.bluetooth.stateDirectory
        do {
            try PathOwner.run(at: folder) { try run(configuration, GatewayName(stateDirectory: folder)) }
        } catch let error as GatewayName.Failure {
            Output.error("\(folder)/gateway-id cannot be written: \(error)")
            throw ExitStatus.failure
        } catch let error as PathOwner.Failure {
            Output.error("\(error)")
            throw ExitStatus.failure
        }
    }

    private func run(_ configuration: GatewayConfiguration, _ place: GatewayName) throws {
        let kept = place.read()
        guard sameGateway || newGateway else { return try show(configuration, kept, place) }
        guard !configuration.isNamed else {
            Output.error(
                "gateway.id in the configuration names this gateway \(configuration.gateway): change it there, and restart the gateway"
            )
            throw ExitStatus.failure
        }
        var identity: GatewayIdentity
        switch kept {
        case .identity(let known): identity = known
        case .none, .damaged: identity = GatewayIdentity(configuration.gateway, on: MachineMarks(MachineMarks.Places()))
        case .unreadable(let reason):
            Output.error("\(place.path) cannot be read: \(reason)")
            throw ExitStatus.failure
        }
        let former = identity.name
        if newGateway {
            identity.isNewGateway(fresh: GatewayName.random())
        } else if !identity.isSameGateway() {
            Output.error("\(identity.name) is no copy of another gateway: there is nothing to settle")
            throw ExitStatus.failure
        }
        try place.keep(identity)
        if json { return try Answer(gateway: identity.name).print() }
        Output.line(
            identity.name == former
                ? "This gateway is \(identity.name)."
                : "This gateway is \(identity.name) from its next start on: "
                    + AdvisedCommand.machine(.restart).line(on: .here(configuration: options.config)))
    }

    private func show(_ configuration: GatewayConfiguration, _ kept: GatewayName.Kept, _ place: GatewayName) throws {
        let identity: GatewayIdentity? = if case .identity(let known) = kept { known } else { nil }
        let copiedFrom = configuration.isNamed ? nil : identity?.copiedFrom
        let knownBy =
            configuration.isNamed ? "gateway.id in the configuration" : MachineMarks(MachineMarks.Places()).text
        guard !json else {
            return try Answer(gateway: configuration.gateway, copiedFrom: copiedFrom, knownBy: knownBy).print()
        }
        Output.line("gateway    \(configuration.gateway)")
        Output.line("known by   \(knownBy)")
        if !configuration.isNamed { Output.line("kept in    \(place.path)") }
        if let copiedFrom {
            Output.line("copy of    \(copiedFrom)")
            let installation = Installation.here(configuration: options.config)
            let advice: Advice =
                "If this is \(copiedFrom) in a new board: \(.martlet(.identitySame)). If it is a gateway of its own: \(.martlet(.identityNew))"
            Output.line("\n" + advice.text(on: installation))
        }
    }

    /// The output of `--json`.
    private struct Answer: Encodable {
        var gateway: String
        var copiedFrom: String?
        var knownBy: String?

        enum CodingKeys: String, CodingKey {
            case gateway
            case copiedFrom = "copied_from"
            case knownBy = "known_by"
        }

        func print() throws { Output.line(String(decoding: try ControlCoding.encode(self), as: UTF8.self)) }
    }
}
