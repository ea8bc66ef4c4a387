// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Logging
import Synchronization

/// NetworkManager by way of a helper process, which `martlet-network.socket` starts for each connection.
///
/// Each call has a connection of its own, except that a trial keeps the connection of its ``join(_:limit:progress:)``.
/// When this process ends, in whatever way, the helper sees the end and takes the network back. Each call ends in
/// bounded time, and all calls but ``status()`` end early when their task is cancelled.
package final class NetworkHelperClient: NetworkControlling {
    /// A small board starts the helper in a second; at boot the helper waits for NetworkManager.
    private static let starting = Duration.seconds(60)

    private enum Trial {
        case none
        case joining(HelperConnection)
        case joined(HelperConnection)
        /// Written to disk by ``keep()``, until ``settle(_:)``.
        case kept(String)

        var isOver: Bool {
            switch self {
            case .none, .kept: true
            case .joining, .joined: false
            }
        }

        func isJoining(over connection: HelperConnection) -> Bool {
            if case .joining(let mine) = self { mine === connection } else { false }
        }
    }

    private let path: String
    private let logger: Logger
    private let trial = Mutex(Trial.none)
    /// The call for the status that is under way.
    private let status = Mutex<Task<Result<NetworkStatus, NetworkFailure>, Never>?>(nil)
    /// The text of the last failure. Each text is logged once: a client that polls the status would fill the log.
    private let told = Mutex("")
    private let queue = DispatchQueue(label: "martlet.network", attributes: .concurrent)

    /// - Parameter path: The path of the helper's socket.
    package init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    // MARK: NetworkControlling

    /// Calls during another call share its answer: the helper takes few connections, and a new helper starts for each.
    package func status() async throws(NetworkFailure) -> NetworkStatus {
        let task = status.withLock { status in
            if let status { return status }
            let new = Task { [self] in
                let result: Result<NetworkStatus, NetworkFailure>
                do throws(NetworkFailure) {
                    result = .success(try await askForStatus())
                } catch {
                    result = .failure(error)
                }
                self.status.withLock { $0 = nil }
                return result
            }
            status = new
            return new
        }
        return try await task.value.get()
    }

    private func askForStatus() async throws(NetworkFailure) -> NetworkStatus {
        guard let status = try await ask(NetworkRequest(.status), within: .seconds(30)).status else { throw .failed }
        return status
    }

    package func scan() async throws(NetworkFailure) -> [WirelessNetwork] {
        try await ask(NetworkRequest(.scan), within: .seconds(45)).networks ?? []
    }

    package func setCountry(_ country: String) async throws(NetworkFailure) {
        guard RadioCountry.codes.contains(country) else { throw .notValid }
        _ = try await ask(NetworkRequest(.country, country: country), within: .seconds(60))
    }

    package func join(
        _ settings: WirelessSettings, limit: Duration, progress: @escaping @Sendable (NetworkStep) -> Void
    ) async throws(NetworkFailure) -> NetworkStatus {
        try trial.withLock { trial throws(NetworkFailure) in guard trial.isOver else { throw .busy } }
        let connection = try connect()
        try trial.withLock { trial throws(NetworkFailure) in
            guard trial.isOver else { throw .busy }
            trial = .joining(connection)
        }
        let seconds = min(
            max(Int(limit.components.seconds), NetworkRequest.limits.lowerBound), NetworkRequest.limits.upperBound)
        do throws(NetworkFailure) {
            let answer = try await ask(
                NetworkRequest(.join, settings: settings, limit: seconds), over: connection,
                within: .seconds(seconds) + .seconds(45), progress: progress)
            guard let status = answer.status else { throw .failed }
            try trial.withLock { trial throws(NetworkFailure) in
                guard trial.isJoining(over: connection) else { throw .failed }
                trial = .joined(connection)
            }
            return status
        } catch {
            trial.withLock { if $0.isJoining(over: connection) { $0 = .none } }
            throw error
        }
    }

    package func keep() async throws(NetworkFailure) -> String {
        guard case .joined(let connection) = trial.withLock({ $0 }) else { throw .failed }
        // A trial that could not be kept is over: the connection is closed, and the helper ends the rest of the trial.
        trial.withLock { $0 = .none }
        guard let kept = try await ask(NetworkRequest(.keep), over: connection, within: .seconds(60)).kept,
            RandomUUID.isValid(kept)
        else { throw .failed }
        trial.withLock { if case .none = $0 { $0 = .kept(kept) } }
        return kept
    }

    package func settle(_ kept: String?) async throws(NetworkFailure) {
        if let kept, !RandomUUID.isValid(kept) { throw .notValid }
        let answer = try await ask(NetworkRequest(.settle, kept: kept), within: .seconds(60))
        if let words = answer.words { logger.notice("network not settled", metadata: ["reason": "\(words.printable)"]) }
        trial.withLock { if case .kept = $0 { $0 = .none } }
    }

    package func revert() async throws(NetworkFailure) {
        let former = trial.withLock { trial in
            defer { trial = .none }
            return trial
        }
        switch former {
        case .none: return
        // The helper sees the end of the connection, and so does the caller who waits for the network.
        case .joining(let connection): connection.shut()
        case .joined(let connection):
            _ = try await ask(NetworkRequest(.revert), over: connection, within: .seconds(60))
        case .kept(let kept):
            do throws(NetworkFailure) {
                _ = try await ask(NetworkRequest(.revert, kept: kept), within: .seconds(60))
            } catch {
                trial.withLock { if case .none = $0 { $0 = .kept(kept) } }
                throw error
            }
        }
    }

    // MARK: Calls

    private func connect() throws(NetworkFailure) -> HelperConnection {
        do throws(NetworkTrouble) {
            return try HelperConnection(path: path)
        } catch {
            throw tell(error, of: "connect")
        }
    }

    private func ask(_ request: NetworkRequest, within limit: Duration) async throws(NetworkFailure) -> NetworkAnswer {
        try await ask(request, over: try connect(), within: limit)
    }

    private func ask(
        _ request: NetworkRequest, over connection: HelperConnection, within limit: Duration,
        progress: @escaping @Sendable (NetworkStep) -> Void = { _ in }
    ) async throws(NetworkFailure) -> NetworkAnswer {
        let end = ContinuousClock.now + limit + Self.starting
        let outcome: Result<NetworkAnswer, NetworkTrouble> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(
                        returning: Result { () throws(NetworkTrouble) in
                            try connection.ask(request, until: end, progress: progress)
                        })
                }
            }
        } onCancel: {
            connection.shut()
        }
        switch outcome {
        case .success(let answer): return answer
        case .failure(let trouble): throw tell(trouble, of: request.verb.rawValue)
        }
    }

    private func tell(_ trouble: NetworkTrouble, of what: String) -> NetworkFailure {
        let isNew = told.withLock { told in
            defer { told = trouble.words }
            return told != trouble.words
        }
        logger.log(
            level: isNew ? .info : .debug, "network request failed",
            metadata: [
                "request": "\(what)", "failure": "\(trouble.failure.rawValue)", "reason": "\(trouble.words.printable)",
            ])
        return trouble.failure
    }
}

extension String {
    /// For a line of the log: a text of another program must not look like our own lines.
    fileprivate var printable: String {
        String(
            String.UnicodeScalarView(unicodeScalars.prefix(500).filter { $0.properties.generalCategory != .control }))
    }
}
