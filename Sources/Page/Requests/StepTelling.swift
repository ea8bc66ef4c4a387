// SPDX-License-Identifier: Apache-2.0

import Operations

/// Tells the page's visitors the steps of an operation that a visitor waits for, in their order.
struct StepTelling: Sendable {
    /// Steps that may wait; the oldest are left out.
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

/// A step of an operation, as the page's event `progress` has it.
struct OperationStep: Encodable {
    var operation: OperationName
    var step: String
}
