// SPDX-License-Identifier: Apache-2.0

import Readings

extension OperationName {
    package static let bufferPause = Self("pause", of: buffer)
    package static let bufferPurge = Self("purge", of: buffer)
    package static let bufferCompact = Self("compact", of: buffer)
}

/// Operations on waiting readings.
extension OperationTable {
    private static let held = OperationRow.Pace(burst: 120, period: .seconds(1))

    /// The release before had one name for three operations, told apart by `mode`.
    private static func former(_ socket: String, page: String, broker: String) -> [OperationRow.Alias] {
        [
            .init(socket, [.socket]), .init("history", [.page], mode: page),
            .init("history", [.broker], mode: broker),
        ]
    }

    package static let bufferStats = operation(
        Shape(
            .bufferStats, "Tells the books of the journal and of each sensor.", for: [.socket],
            bounds: .init(result: 16 << 20)), giving: JournalStatistics.self)

    package static let bufferPause = operation(
        Shape(
            .bufferPause, "Holds waiting readings back; live readings go on.", effect: .settings,
            for: [.socket, .page, .broker], pace: held,
            aliases: former("history-pause", page: "paused", broker: "pause")), giving: HistoryAnswer.self)

    package static let bufferResume = operation(
        Shape(
            .bufferResume, "Lets waiting readings go out, at their rate.", effect: .settings,
            for: [.socket, .page, .broker], pace: held,
            aliases: former("history-resume", page: "normal", broker: "resume")), giving: HistoryAnswer.self)

    package static let bufferDrain = operation(
        Shape(
            .bufferDrain, "Sends waiting readings without a limit of the rate.", effect: .settings,
            for: [.socket, .page, .broker], pace: held,
            aliases: former("history-drain", page: "draining", broker: "drain")), giving: HistoryAnswer.self)

    package static let bufferPurge = operation(
        Shape(
            .bufferPurge, "Gives up all readings on disk.", effect: .disk, for: [.socket]), giving: BufferPurge.self)

    package static let bufferCompact = operation(
        Shape(
            .bufferCompact, "Gives back the disk space of an outage.", effect: .disk, for: [.socket]),
        giving: BufferCompaction.self)

    static let buffer: [OperationRow] = [
        bufferStats.row, bufferPause.row, bufferResume.row, bufferDrain.row, bufferPurge.row, bufferCompact.row,
    ]
}
