// SPDX-License-Identifier: Apache-2.0

import Operations

/// Tells the page's visitors the steps of a running operation, in their order.
struct StepTelling: Sendable {
    /// Limit of waiting steps; the oldest steps go first.
    private static let capacity = 16

    let tell: @Sendable (_ step: String) -> Void
    let end: @Sendable () -> Void

    init(of row: OperationRow, to news: PageNews) {
        guard !row.steps.isEmpty else {
            (tell, end) = ({ _ in }, {})
            return
        }
        let (steps, sink) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        tell = { sink.yield($0) }
        end = { sink.finish() }
        Task { for await step in steps { await news.tell(step, of: row.name) } }
    }
}

/// The page's event `progress`: a step of an operation.
struct OperationStep: Encodable {
    var operation: OperationName
    var step: String
}
