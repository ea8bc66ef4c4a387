// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import VirtualRadio

/// `NAME` or `NAME@SECONDS`.
struct FaultArgument: ExpressibleByArgument, Equatable {
    let plan: FaultPlan

    /// Nil for an unknown fault, or for a passing fault without a time: a host that connects would never see this
    /// fault.
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

/// The output of `--list-faults`.
enum VirtualRadioFaults {
    private struct Catalogue: Encodable {
        struct Controller: Encodable {
            let name: String
            let summary: String
            let sources: [String]
        }

        struct Fault: Encodable {
            let name: String
            let summary: String
            let sources: [String]
            let layer: String
            /// The fault needs a time.
            let timed: Bool
        }

        let controllers = ControllerPreset.allCases.map {
            Controller(name: $0.rawValue, summary: $0.summary, sources: $0.sources)
        }
        let faults = ControllerFault.allCases.map {
            Fault(
                name: $0.rawValue, summary: $0.summary, sources: $0.sources, layer: $0.layer.rawValue,
                timed: $0.persistence != .always)
        }
    }

    static func printAll(asJSON: Bool) throws {
        guard !asJSON else {
            Output.line(String(decoding: try ControlCoding.encode(Catalogue()), as: UTF8.self))
            return
        }
        Output.line("controllers (--controller):")
        for preset in ControllerPreset.allCases {
            Output.line("  \(padded(preset.rawValue)) \(preset.summary)")
            if !preset.sources.isEmpty {
                Output.line("  \(padded("")) seen in \(preset.sources.joined(separator: ", "))")
            }
        }
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
