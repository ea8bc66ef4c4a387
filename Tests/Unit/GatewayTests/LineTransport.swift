// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import Gateway
@testable import Operations

/// A transport that only tests have: a line `why {"sensor":"fridge"}` comes in, and a line of JSON goes out. This file is the
/// whole cost of a new transport, beside its column in the table.
struct LineTransport {
    static let way = OperationRow.Caller("line")

    let gateway: GatewayService
    /// The column of this way. A transport of the program has its column in the rows: `for: [.socket, .line]`.
    var column: Set<OperationName> = []

    func answer(_ line: String) async -> String {
        do throws(OperationError) {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            let data = Data((parts.count > 1 ? parts[1] : "{}").utf8)
            guard let row = try OperationTable.row(parts.first ?? "", for: Self.way, data) else {
                throw OperationError(.notFound, "there is no such operation")
            }
            guard row.form != .dialogue else { throw OperationError(.refused, "a line has one answer") }
            let mine = column.contains(row.name) ? row.open(to: Self.way) : row
            let result = try await gateway.perform(mine, OperationCall(Self.way, data))
            return String(decoding: try mine.encoded(OperationSuccess(result)), as: UTF8.self)
        } catch {
            return "\(error.kind.rawValue): \(error)"
        }
    }
}

extension OperationRow {
    /// The row with one way more.
    fileprivate func open(to way: Caller) -> OperationRow {
        OperationRow(
            name: name, purpose: purpose, arguments: arguments, takes: takes, gives: gives, effect: effect,
            callers: callers.union([way]), pace: pace, bounds: bounds, steps: steps, aliases: aliases, form: form,
            control: control)
    }
}
