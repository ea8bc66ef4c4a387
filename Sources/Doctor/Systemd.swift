// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Asks systemd, by its own tools.
package enum Systemd {
    private static let wanted = "LoadState,ActiveState,SubState,UnitFileState,NRestarts,Result,ExecMainStatus"
    /// A manager that hangs counts as one that does not answer.
    private static let patience: DispatchTimeInterval = .seconds(10)

    /// systemd's properties of a unit; nil if systemd is absent or does not answer.
    static func properties(of unit: String) -> [String: String]? {
        ask("/usr/bin/systemctl", ["show", "--no-pager", "--property=\(wanted)", unit]).map(parse)
    }

    /// The newest lines of a unit's log, also from the boot before; nil without a readable log.
    package static func log(of unit: String, lines: Int) -> String? {
        ask("/usr/bin/journalctl", ["--no-pager", "--output=short-iso", "--lines=\(lines)", "--unit=\(unit)"])
    }

    private static func ask(_ program: String, _ arguments: [String]) -> String? {
        guard FileManager.default.fileExists(atPath: "/run/systemd/system") else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let end = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: end)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        end.cancel()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    static func parse(_ text: String) -> [String: String] {
        text.split(separator: "\n").reduce(into: [:]) { properties, line in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { properties[String(parts[0])] = String(parts[1]) }
        }
    }
}
