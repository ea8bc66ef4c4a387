// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// All operations that clients may request from a running gateway.
///
/// The command line, the control socket, the page, the commands over MQTT and docs/operations.md are made from these
/// rows. A new operation is a name and a row in one file here, its work, and a verb of the command line.
package enum OperationTable {
    package static let rows: [OperationRow] = sensors + buffer + settingRows + machine

    private static let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name.rawValue, $0) })

    /// A test proves that each name has its row.
    package static func row(_ name: OperationName) -> OperationRow? { byName[name.rawValue] }

    /// The row of a name of today, as a text; nil: there is no such row.
    package static func row(named name: String) -> OperationRow? { byName[name] }

    private struct Choice: Decodable { var mode: String? }

    /// The row for a caller's name; names of the release before count, too.
    ///
    /// - Parameter data: The request, for former names that needed a `mode`.
    /// - Throws: `notValid` for a former name with an unknown mode.
    package static func row(
        _ name: String, for caller: OperationRow.Caller, _ data: Data = Data()
    ) throws(OperationError) -> OperationRow? {
        if let row = row(named: name) {
            try row.refuseFormerKeys(data)
            // A request for one of several operations must not name another one of them.
            guard row.aliases.contains(where: { $0.mode != nil }), mode(in: data) != nil else { return row }
            throw OperationError(.notValid, "\"mode\" is not known: \(quoted(name)) takes no mode")
        }
        let meant = rows.flatMap { row in
            row.aliases.filter { $0.name == name && $0.callers.contains(caller) }.map { (row, $0.mode) }
        }
        guard meant.contains(where: { $0.1 != nil }) else { return meant.first?.0 }
        let mode = mode(in: data)
        if let row = meant.first(where: { $0.1 == mode })?.0 { return row }
        let modes = meant.compactMap { $0.1.map { quoted($0) } }
        throw OperationError(
            .notValid, "\"mode\" is \(modes.dropLast().joined(separator: ", ")) or \(modes.last ?? "")")
    }

    private static func mode(in data: Data) -> String? { (try? JSONDecoder().decode(Choice.self, from: data))?.mode }

    // MARK: - The broker's list

    /// The names that `mqtt.commands.allow` may hold, including names of the release before.
    package static let remoteNames: [String] = {
        let remote = rows.filter { $0.callers.contains(.broker) }
        var former: [String] = []
        for alias in remote.flatMap(\.aliases) where alias.callers.contains(.broker) && !former.contains(alias.name) {
            former.append(alias.name)
        }
        return remote.map(\.name.rawValue) + former
    }()

    /// The names of an `allow` list, with their equivalents. A former name in the list allows all of its operations. A
    /// former name is accepted if all of its operations are allowed.
    package static func allowed(_ list: [String]) -> [String] {
        let names = Set(list)
        let remote = rows.filter { $0.callers.contains(.broker) }
        func former(_ row: OperationRow) -> Set<String> {
            Set(row.aliases.filter { $0.callers.contains(.broker) }.map(\.name))
        }
        let taken = remote.filter { names.contains($0.name.rawValue) || !names.isDisjoint(with: former($0)) }
        let whole = Set(remote.flatMap(former)).filter { name in
            remote.filter { former($0).contains(name) }.allSatisfy { row in taken.contains { $0.name == row.name } }
        }
        return taken.map(\.name.rawValue) + whole.sorted()
    }
}
