// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Gateway
import Operations
import Readings
import Synchronization

/// Reports the progress of an update to a running gateway, so that Home Assistant and the page can show it. An absent
/// or silent gateway does not delay the update.
final class UpdateReporter: Sendable {
    /// Time for an answer of the gateway.
    private static let patience: Duration = .seconds(2)

    private struct State {
        /// The newest report not sent yet.
        var report: UpdateReport?
        var isTelling = false
    }

    private let socket: String
    private let queue = DispatchQueue(label: "martlet.update.reporter")
    private let state = Mutex(State())

    init(socket: String) { self.socket = socket }

    /// Never waits. If several reports wait, only the newest is sent.
    func tell(_ report: UpdateReport) {
        let begins = state.withLock { state in
            state.report = report
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if begins { queue.async { [self] in reportWaiting() } }
    }

    /// Waits until the newest report was sent, or has failed.
    func finish() { queue.sync {} }

    private func reportWaiting() {
        while let report = next() {
            var request = ControlRequest(.update)
            request.report = report
            _ = try? ControlClient.ask(OperationTable.update, request, socket: socket, timeout: Self.patience)
        }
    }

    private func next() -> UpdateReport? {
        state.withLock { state in
            state.isTelling = state.report != nil
            return state.report.take()
        }
    }
}
