// SPDX-License-Identifier: Apache-2.0

import OperationNames

/// A command of an advice, as a value. The typed line follows from the installation.
package enum AdvisedCommand: Equatable, Sendable {
    /// A verb of the gateway's program, with its arguments.
    case martlet(MartletVerb, [String])
    /// Work on the machine.
    case machine(MachineDeed, [String])

    package static func martlet(_ verb: MartletVerb, _ arguments: String...) -> Self { .martlet(verb, arguments) }
    package static func machine(_ deed: MachineDeed, _ arguments: String...) -> Self { .machine(deed, arguments) }

    /// Every command that an advice can have, with arguments that make it whole. A test runs each of them.
    package static var all: [AdvisedCommand] {
        MartletVerb.allCases.map { .martlet($0, $0.example) } + MachineDeed.allCases.map { .machine($0, $0.example) }
    }

    /// The commands without arguments, by their names; none where words stand in the place of a command.
    package static func lines(on installation: Installation) -> [String: String] {
        let commands = MartletVerb.allCases.map { martlet($0) } + MachineDeed.allCases.map { machine($0) }
        let named = commands.filter { $0.isCommand(on: installation) }.map { ($0.name, $0.line(on: installation)) }
        return Dictionary(named) { first, _ in first }
    }

    /// The command as a person types it; words for a deed without a command.
    package func line(on installation: Installation) -> String {
        switch self {
        case .martlet(let verb, let arguments): verb.line(arguments, on: installation)
        case .machine(let deed, let arguments): deed.form(arguments.map(Self.quoted), on: installation).text
        }
    }

    /// The command's name, without arguments: `martlet why`, `machine restart`.
    package var name: String {
        switch self {
        case .martlet(let verb, _): "martlet \(verb.words)"
        case .machine(let deed, _): "machine \(deed.rawValue)"
        }
    }

    /// False where words stand in the place of a command.
    package func isCommand(on installation: Installation) -> Bool {
        guard case .machine(let deed, let arguments) = self else { return true }
        if case .command = deed.form(arguments, on: installation) { return true } else { return false }
    }

    /// The command with `{name}` in its arguments replaced by values.
    func filled(_ arguments: [String: String]) -> Self {
        switch self {
        case .martlet(let verb, let words): .martlet(verb, words.map { ProblemRow.filled($0, arguments) })
        case .machine(let deed, let words): .machine(deed, words.map { ProblemRow.filled($0, arguments) })
        }
    }

    /// One word for a shell. Names come from the air.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_:./=,+@%".contains($0)) }
        return isPlain
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

/// The verbs of the gateway's program in advice, with their constant arguments.
package enum MartletVerb: CaseIterable, Sendable {
    case accept, audit, bonds, checkConfig, clockSet, configure, devices, doctor, drainHistory, identityNew
    case identitySame, inspect, key, maintenance, pair, provisionLabel, provisionOpen, resumeHistory, room
    case scan, status, supportBundle, trust, unpair, why

    /// The words behind the program's name: `clock set --now`.
    package var words: String {
        switch self {
        case .accept: OperationName.accept.verb
        case .bonds: OperationName.bonds.verb
        case .checkConfig: OperationName.checkConfig.verb
        case .clockSet: OperationName.clockSet.verb + " --now"
        case .devices: OperationName.devices.verb
        case .drainHistory: OperationName.bufferDrain.verb
        case .inspect: OperationName.inspect.verb
        case .key: OperationName.key.verb
        case .maintenance: OperationName.maintenance.verb
        case .pair: OperationName.pair.verb
        case .provisionLabel: OperationName.provisionLabel.verb + " --new --yes"
        case .provisionOpen: OperationName.provisionOpen.verb
        case .resumeHistory: OperationName.bufferResume.verb
        case .room: OperationName.bufferStats.verb
        case .status: OperationName.status.verb
        case .supportBundle: OperationName.supportBundle.verb + " -o"
        case .trust: OperationName.trust.verb
        case .unpair: OperationName.unpair.verb
        case .why: OperationName.why.verb
        // Verbs without an operation.
        case .audit: "audit"
        case .configure: "configure"
        case .doctor: "doctor"
        case .identityNew: "identity --new-gateway"
        case .identitySame: "identity --same-gateway"
        case .scan: "scan"
        }
    }

    /// Arguments with which the verb is a whole command.
    package var example: [String] {
        switch self {
        case .accept, .inspect: ["C4:7C:8D:00:11:02"]
        case .key: ["cellar"]
        case .pair, .unpair, .why: ["kitchen"]
        case .maintenance: ["kitchen", "--end"]
        case .trust: ["attic", "C4:7C:8D:00:11:12"]
        case .supportBundle: ["report.txt"]
        case .configure: ["--help"]
        default: []
        }
    }

    /// Members of the group `martlet` may use the other verbs.
    private var needsRoot: Bool {
        switch self {
        case .audit, .clockSet, .doctor, .identityNew, .identitySame: true
        default: false
        }
    }

    /// The verb asks questions on a terminal.
    private var asks: Bool {
        switch self {
        case .key, .pair, .unpair: true
        default: false
        }
    }

    fileprivate func line(_ arguments: [String], on installation: Installation) -> String {
        // A container runs as long as its gateway, which has the adapter.
        if self == .scan, installation.kind == .container { return Self.devices.line(arguments, on: installation) }
        // The program of a container writes no file for the person outside.
        let isPiped = installation.kind == .container && self == .supportBundle
        var words = ["martlet", words] + (isPiped ? ["-"] : arguments.map(AdvisedCommand.quoted))
        // A scan and a gateway elsewhere need no configuration.
        if let path = installation.configuration, self != .scan, self != .configure {
            words += ["--config", AdvisedCommand.quoted(path)]
        }
        if isPiped, let file = arguments.first { words += [">", AdvisedCommand.quoted(file)] }
        let line = words.joined(separator: " ")
        return switch installation.kind {
        case .package, .hand: needsRoot ? "sudo " + line : line
        case .image: line
        case .container: installation.engine.line(line, isInteractive: asks)
        }
    }
}
