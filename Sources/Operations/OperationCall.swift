// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request for an operation.
package struct OperationCall: Sendable {
    package var caller: OperationRow.Caller
    /// A JSON object: the arguments, and on the socket and over MQTT their enclosing keys.
    package var data: Data
    /// The request's id. A broker's client recognises the answer by the id, and the gateway recognises a repeated
    /// request.
    package var id: String?
    /// Called at the beginning of each step of the row, on any thread.
    package var progress: @Sendable (_ step: String) -> Void = { _ in }
    /// The threads of the work; nil: the shared threads.
    package var executor: (any TaskExecutor)?

    package init(
        _ caller: OperationRow.Caller, _ data: Data, id: String? = nil, executor: (any TaskExecutor)? = nil,
        progress: @escaping @Sendable (_ step: String) -> Void = { _ in }
    ) {
        (self.caller, self.data, self.id, self.executor) = (caller, data, id, executor)
        self.progress = progress
    }
}
