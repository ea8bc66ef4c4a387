// SPDX-License-Identifier: Apache-2.0

import Publisher

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

    private static let bufferStats = row(
        Shape(
            .bufferStats, "Tells the journal's books, and those of each sensor.", for: [.socket],
            bounds: .init(result: 16 << 20)
        )
    ) {
        gateway, _ throws(OperationError) in try await gateway.operations.buffer()
    }

    private static let bufferPause = row(
        Shape(
            .bufferPause, "Holds back the readings that wait; live ones go on.", effect: .settings,
            for: [.socket, .page, .broker], pace: held,
            aliases: former("history-pause", page: "paused", broker: "pause")
        )
    ) { gateway, _ in await gateway.operations.setHistory(.paused) }

    private static let bufferResume = row(
        Shape(
            .bufferResume, "Lets the readings that wait go out, at their rate.", effect: .settings,
            for: [.socket, .page, .broker], pace: held,
            aliases: former("history-resume", page: "normal", broker: "resume")
        )
    ) { gateway, _ in await gateway.operations.setHistory(.normal) }

    private static let bufferDrain = row(
        Shape(
            .bufferDrain, "Sends the readings that wait without a limit of the rate.", effect: .settings,
            for: [.socket, .page, .broker], pace: held,
            aliases: former("history-drain", page: "draining", broker: "drain")
        )
    ) { gateway, _ in await gateway.operations.setHistory(.draining) }

    private static let bufferPurge = row(
        Shape(
            .bufferPurge, "Gives up all readings on disk.", effect: .disk, for: [.socket]
        )
    ) {
        gateway, _ throws(OperationError) in try await gateway.operations.purgeBuffer()
    }

    private static let bufferCompact = row(
        Shape(
            .bufferCompact, "Gives disk space back that an outage has taken.", effect: .disk, for: [.socket]
        )
    ) {
        gateway, _ throws(OperationError) in try await gateway.operations.compactBuffer()
    }

    static let buffer: [OperationRow] = [
        bufferStats, bufferPause, bufferResume, bufferDrain, bufferPurge, bufferCompact,
    ]
}
