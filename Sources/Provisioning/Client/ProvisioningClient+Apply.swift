// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway

extension ProvisioningClient {
    /// Applies the staged changes, and returns once they are kept. After a failure, throws `rolledBack` with the
    /// gateway's reason: then the former settings hold again, and the changes stay staged.
    ///
    /// After a lost connection, connects again and learns the result over the new connection.
    ///
    /// - Parameter progress: each step as it begins and ends.
    package func apply(_ progress: (ProgressMessage) -> Void = { _ in }) async throws(ProvisioningClientError) {
        var start = Start.none
        var failure: ProgressMessage?
        let end = try await withReconnection { progressed throws(ProvisioningClientError) -> ProgressMessage in
            let lines = try lines(of: .apply)
            // The answer was lost. If the change still waits, the request was lost, too.
            if start == .asked, try await read(.state) == "staged" { start = .none }
            if start == .none {
                start = .asked
                try await write("apply", to: .apply)
            } else if let last = try await newestProgress() {
                // The newest progress from before the new connection; `lines` brings all later progress.
                progress(last)
                if last.isFailure { failure = last }
                if last.isEnd { return last }
            } else if try await read(.state) != "applying" {
                throw ProvisioningClientError(
                    .rolledBack("restarted"),
                    "The gateway was restarted while it applied the change: what was before holds again. Try again.")
            }
            start = .taken
            progressed()
            return try await next(
                of: .apply, in: lines, as: ProgressMessage.self,
                silence: { [patience] in .seconds($0?.limit ?? 0) + patience.silence }
            ) { message in
                progress(message)
                if message.isFailure { failure = message }
                return message.isEnd ? message : nil
            }
        }
        guard end.step == .rolledBack else { return }
        let reason = (failure ?? end).reason.map(Self.plain) ?? "failed"
        let text = (failure ?? end).text.map(Self.plain)
        throw ProvisioningClientError(
            .rolledBack(reason), text ?? "The change failed (\(reason)); the gateway's log says more.")
    }

    /// The progress of the request.
    private enum Start {
        case none
        /// The request was sent, and may have arrived or not.
        case asked
        case taken
    }

    /// nil: the gateway has applied nothing since its start.
    package func newestProgress() async throws(ProvisioningClientError) -> ProgressMessage? {
        let text = try await read(.apply)
        return text.isEmpty ? nil : Self.decode(ProgressMessage.self, from: text)
    }
}

extension ProgressMessage {
    /// No message follows.
    package var isEnd: Bool { (step == .done || step == .rolledBack) && state != .running }

    fileprivate var isFailure: Bool { state == .failed }
}
