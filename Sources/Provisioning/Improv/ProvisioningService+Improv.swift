// SPDX-License-Identifier: Apache-2.0

import Configuration
import Gateway
import NetworkControl
import Platform
import Synchronization

/// The actions of the Improv service, in the way of Apply: on trial, kept in the same order, and rolled back.
extension ProvisioningService {
    /// The longest time for a join. Joining and the following steps must fit into 90 s, after which clients give up.
    private static let improvJoinLimit = Duration.seconds(60)

    /// The service's attributes have their handles.
    package var hasHandles: Bool { state.withLock { $0.isPublished } }

    /// - Parameter hardware: the machine's model.
    package func improvActions(hardware: String) -> ImprovActions {
        let parts = parts
        return ImprovActions(
            join: { [self] in try await applyForImprov(ApplyPlan(wireless: .join($0))) },
            scan: { try await parts.network.scan() }, identify: { _ = parts.identify(.seconds(10)) },
            hardware: { hardware }, name: { [self] in await settings().name },
            rename: { [self] name in
                var staged = StagedChanges()
                try staged.setName(Array(name.utf8))
                try await applyForImprov(try staged.plan(for: await settings(isFresh: true)))
            })
    }

    /// Refused while a phone applies changes; a phone is refused meanwhile, too. Does not prove the broker, because the
    /// protocol can only report that a network was joined.
    private func applyForImprov(_ plan: ApplyPlan) async throws {
        let isFree = state.withLock { state in
            defer { state.isApplying = true }
            return !state.isApplying
        }
        guard isFree else { throw NetworkFailure.busy }
        defer { state.withLock { $0.isApplying = false } }
        let runner = ApplyRunner(
            operations: parts.operations, network: BriefNetwork(parts.network, limit: Self.improvJoinLimit),
            logger: logger)
        let outcome = await runner.run(plan) { _ in }
        _ = await settings(isFresh: true)
        sendStatusSoon()
        guard outcome == .kept else { throw NetworkFailure.failed }
    }
}

/// A network control whose joins end within a limit.
struct BriefNetwork: NetworkControlling {
    private let network: any NetworkControlling
    private let limit: Duration

    init(_ network: any NetworkControlling, limit: Duration) { (self.network, self.limit) = (network, limit) }

    func join(
        _ settings: WirelessSettings, limit trial: Duration, progress: @escaping @Sendable (NetworkStep) -> Void
    ) async throws(NetworkFailure) -> NetworkStatus {
        let (answers, sink) = AsyncStream.makeStream(of: Result<NetworkStatus, NetworkFailure>.self)
        let joining = Task { [network] in
            do throws(NetworkFailure) {
                sink.yield(.success(try await network.join(settings, limit: trial, progress: progress)))
            } catch {
                sink.yield(.failure(error))
            }
        }
        let alarm = Task { [limit] in
            guard await Waiting.pause(for: limit) else { return }
            sink.yield(.failure(.timedOut))
        }
        defer {
            joining.cancel()
            alarm.cancel()
        }
        // The stream ends without an answer if the caller's task is cancelled.
        for await answer in answers { return try answer.get() }
        throw .timedOut
    }

    func status() async throws(NetworkFailure) -> NetworkStatus { try await network.status() }
    func scan() async throws(NetworkFailure) -> [WirelessNetwork] { try await network.scan() }
    func setCountry(_ country: String) async throws(NetworkFailure) { try await network.setCountry(country) }
    func keep() async throws(NetworkFailure) -> String { try await network.keep() }
    func settle(_ kept: String?) async throws(NetworkFailure) { try await network.settle(kept) }
    func revert() async throws(NetworkFailure) { try await network.revert() }
}
