// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import VirtualRadio

/// `NAME` or `NAME@SECONDS`.
struct FaultArgument: ExpressibleByArgument, Equatable {
    let plan: FaultPlan

    /// Nil where there is no such fault, or where one that passes has no time: a host that connects would never see it.
    init?(argument: String) {
        let parts = argument.split(separator: "@", omittingEmptySubsequences: false)
        guard let name = parts.first, let fault = ControllerFault(rawValue: String(name)), parts.count <= 2 else {
            return nil
        }
        guard parts.count == 2 else {
            guard fault.persistence == .always else { return nil }
            plan = FaultPlan(fault)
            return
        }
        guard let seconds = Double(parts[1]), (0...Self.latest).contains(seconds) else { return nil }
        plan = FaultPlan(fault, after: .seconds(seconds))
    }

    /// Seconds: a year.
    private static let latest: Double = 31_536_000

    static var allValueStrings: [String] {
        ControllerFault.allCases.map { $0.persistence == .always ? $0.rawValue : $0.rawValue + "@SECONDS" }
    }
}

/// What `--list-faults` says.
enum VirtualRadioFaults {
    static func printAll() {
        Output.line("controllers (--controller):")
        for preset in ControllerPreset.allCases { Output.line("  \(padded(preset.rawValue)) \(preset.summary)") }
        Output.line("faults (--fault; those with @ need a time in seconds):")
        for (name, fault) in zip(FaultArgument.allValueStrings, ControllerFault.allCases) {
            Output.line("  \(padded(name.replacing("@SECONDS", with: "@"))) \(fault.summary)")
            Output.line("  \(padded("")) seen in \(fault.sources.joined(separator: ", "))")
        }
    }

    private static func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(0, 32 - name.count))
    }
}

extension ControllerPreset: ExpressibleByArgument {}
