// SPDX-License-Identifier: Apache-2.0

import Operations
import Publisher

/// Works of operations on waiting readings.
extension OperationWorks {
    private static let bufferStats = own(OperationTable.bufferStats) { gateway, _ throws(OperationError) in
        try await gateway.operations.buffer()
    }

    private static let bufferPause = own(OperationTable.bufferPause) { gateway, _ in
        await gateway.operations.setHistory(.paused)
    }

    private static let bufferResume = own(OperationTable.bufferResume) { gateway, _ in
        await gateway.operations.setHistory(.normal)
    }

    private static let bufferDrain = own(OperationTable.bufferDrain) { gateway, _ in
        await gateway.operations.setHistory(.draining)
    }

    private static let bufferPurge = own(OperationTable.bufferPurge) { gateway, _ throws(OperationError) in
        try await gateway.operations.purgeBuffer()
    }

    private static let bufferCompact = own(OperationTable.bufferCompact) { gateway, _ throws(OperationError) in
        try await gateway.operations.compactBuffer()
    }

    static let buffer: [Named] = [
        bufferStats, bufferPause, bufferResume, bufferDrain, bufferPurge, bufferCompact,
    ]
}
