// SPDX-License-Identifier: Apache-2.0

import Journal
import Operations
import Publisher
import Readings

extension GatewayOperator: BufferOperations {
    package func buffer() async throws(OperationError) -> JournalStatistics {
        guard let books = await gateway.inquiries.journal.answer(within: Self.patience) else {
            throw OperationError(.failed, "the journal does not answer")
        }
        return books
    }

    package func setHistory(_ mode: HistoryMode) async -> HistoryAnswer {
        gateway.slot.setHistory(mode)
        return HistoryAnswer(mode: mode, buffered: gateway.journal.statistics.buffered)
    }

    package func purgeBuffer() async throws(OperationError) -> BufferPurge {
        BufferPurge(purged: try await onJournal { $0.purge() })
    }

    package func compactBuffer() async throws(OperationError) -> BufferCompaction {
        try await onJournal { $0.compact() }
    }

    /// Long work of the journal; nil where its disk cannot be written.
    private func onJournal<Answer: Sendable>(
        _ work: @escaping @Sendable (Journal) -> Answer?
    ) async throws(OperationError) -> Answer {
        let journal = gateway.journal
        guard let answer = await gateway.inquiries.onJournal({ work(journal) }) else {
            throw OperationError(.failed, journal.statistics.problem ?? "the gateway is stopping")
        }
        return answer
    }
}
