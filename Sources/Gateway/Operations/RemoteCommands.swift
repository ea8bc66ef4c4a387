// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Operations
import Platform
import Publisher
import Synchronization

/// Operations over MQTT: their rates, and their answers as messages.
///
/// No argument or answer contains a secret, because all clients of a broker may read them.
package final class RemoteCommands: Sendable {
    typealias Work = @Sendable (OperationRow, OperationCall) async throws(OperationError) -> OperationRow.Result

    private struct State {
        var allowances = Dictionary(
            uniqueKeysWithValues: OperationTable.rows.filter { $0.callers.contains(.broker) }.map {
                ($0.name, Allowance($0.pace.burst, every: $0.pace.period))
            })
        var refused: [String: Int] = [:]
        var notices = NoticeLimit()
    }

    private let state = Mutex(State())
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Runs `work` after all earlier work: commands run in the order of their arrival.
    func afterOthers(_ work: @escaping @Sendable () async -> Void) {
        last.withLock { last in
            last = Task { [before = last] in
                await before?.value
                await work()
            }
        }
    }

    /// Refused commands, which came too often, by the operation's name, since the gateway started.
    var refused: [String: Int] { state.withLock { $0.refused } }

    /// The number of failures left out of the log before this failure; nil: leave this failure out, too.
    func admitNotice(at now: MonotonicTime = .now) -> Int? { state.withLock { $0.notices.admit(at: now) } }

    func perform(_ request: CommandRequest, at now: MonotonicTime = .now, by work: Work) async -> CommandAnswer {
        do throws(OperationError) {
            let call = OperationCall(.broker, Data(request.arguments), id: request.id)
            guard let row = try OperationTable.row(request.verb, for: .broker, call.data),
                row.callers.contains(.broker)
            else { throw OperationError(.refused, "the gateway has no command of that name") }
            let wait = state.withLock { state in
                let wait = state.allowances[row.name]?.spend(at: now)
                if wait != nil { state.refused[row.name.rawValue, default: 0] += 1 }
                return wait
            }
            if let wait {
                let seconds = Int((wait / .seconds(1)).rounded(.up))
                throw OperationError(
                    .busy, "\(quoted(request.verb)) came too often: the gateway carries it out again in \(seconds) s")
            }
            let result = try await work(row, call)
            return .success(try row.encoded(result))
        } catch {
            return .failure(kind: error.kind.rawValue, error.description)
        }
    }
}
