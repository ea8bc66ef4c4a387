// SPDX-License-Identifier: Apache-2.0

import NetworkControl
import Synchronization

/// A network with a disk: the disk's content survives a power cut, and the rest does not.
final class BenchNetwork: NetworkControlling {
    /// The state after a power cut.
    struct Disk: Equatable {
        /// Kept networks, by their given names.
        var kept: [String: String] = [:]
        /// The network of the next start.
        var next: String?
        var country: String?
    }

    struct State {
        var disk = Disk()
        var networks: [WirelessNetwork] = []
        /// The network on trial.
        var trial: WirelessSettings?
        var joined: String?
        var joinFailure: (step: NetworkStep, failure: NetworkFailure)?
        var failures: [String: NetworkFailure] = [:]
        var calls: [String] = []
        var lastNumber = 0
    }

    let state = Mutex(State())
    /// Called before and after each call's work; tests stop there.
    let hook: @Sendable (String) async -> Void

    init(disk: Disk = Disk(), hook: @escaping @Sendable (String) async -> Void = { _ in }) {
        self.hook = hook
        state.withLock {
            $0.disk = disk
            $0.joined = disk.next.flatMap { disk.kept[$0] }
        }
    }

    var disk: Disk { state.withLock { $0.disk } }
    var calls: [String] { state.withLock { $0.calls } }

    private func call<Result>(
        _ name: String, _ body: (inout State) -> Result
    ) async throws(NetworkFailure) -> Result {
        await hook("before \(name)")
        let result = state.withLock { state -> Swift.Result<Result, NetworkFailure> in
            state.calls.append(name)
            if let failure = state.failures[name] { return .failure(failure) }
            return .success(body(&state))
        }
        await hook("after \(name)")
        return try result.get()
    }

    func status() async throws(NetworkFailure) -> NetworkStatus {
        let (joined, disk) = state.withLock { ($0.joined, $0.disk) }
        return NetworkStatus(
            isConnected: joined != nil, ssid: joined, addresses: joined == nil ? [] : ["192.0.2.7"],
            country: disk.country, hasWiFi: true)
    }

    func scan() async throws(NetworkFailure) -> [WirelessNetwork] { try await call("scan") { $0.networks } }

    func setCountry(_ country: String) async throws(NetworkFailure) {
        try await call("country \(country)") { $0.disk.country = country }
    }

    func join(
        _ settings: WirelessSettings, limit: Duration, progress: @escaping @Sendable (NetworkStep) -> Void
    ) async throws(NetworkFailure) -> NetworkStatus {
        progress(.associate)
        let failure = state.withLock { $0.joinFailure }
        if let failure, failure.step == .associate {
            try await call("join \(settings.ssid)") { _ in }
            throw failure.failure
        }
        progress(.address)
        try await call("join \(settings.ssid)") {
            $0.trial = settings
            $0.joined = settings.ssid
        }
        if let failure { throw failure.failure }
        return try await status()
    }

    func keep() async throws(NetworkFailure) -> String {
        try await call("keep") { state in
            state.lastNumber += 1
            let name = "profile-\(state.lastNumber)-\(state.disk.kept.count)"
            state.disk.kept[name] = state.trial?.ssid
            return name
        }
    }

    func settle(_ kept: String?) async throws(NetworkFailure) {
        try await call("settle \(kept ?? "-")") { state in
            state.disk.next = kept
            state.disk.kept = state.disk.kept.filter { $0.key == kept }
            state.trial = nil
            state.joined = kept.flatMap { state.disk.kept[$0] }
        }
    }

    func revert() async throws(NetworkFailure) {
        try await call("take back") { state in
            state.trial = nil
            state.joined = state.disk.next.flatMap { state.disk.kept[$0] }
        }
    }
}
