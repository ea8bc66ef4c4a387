// SPDX-License-Identifier: Apache-2.0

import Logging
import NetworkControl
import Synchronization
import Testing
import TestSupport

@testable import Configuration
@testable import Gateway
@testable import Operations
@testable import Platform
@testable import Provisioning
@testable import Publisher

/// A gateway with stored settings and a stored network, and a plan to change both.
private final class ApplyScene: Sendable {
    let operations: BenchOperations
    let network: BenchNetwork
    let told = Mutex<[ProgressMessage]>([])

    static let former = (
        operations: BenchOperations.Disk(values: [["mqtt", "host"]: .text("old")], network: "old"),
        network: BenchNetwork.Disk(kept: ["old": "Cellar"], next: "old")
    )

    static let plan = {
        var change = ConfigurationChange()
        change.values[["mqtt", "host"]] = .some(.text("new"))
        let wireless = ApplyPlan.Wireless.join(WirelessSettings(ssid: "Attic", password: "correct horse"))
        return ApplyPlan(country: "DE", wireless: wireless, change: change, checksBroker: true)
    }()

    init(hook: @escaping @Sendable (String) async -> Void = { _ in }) {
        operations = BenchOperations(disk: Self.former.operations) { await hook("operations \($0)") }
        network = BenchNetwork(disk: Self.former.network) { await hook("network \($0)") }
    }

    func run(
        _ plan: ApplyPlan = ApplyScene.plan,
        pause: @escaping @Sendable (Duration) async -> Bool = { await Waiting.pause(for: $0) }
    ) async -> ApplyMachine.Outcome? {
        let runner = ApplyRunner(
            operations: operations, network: network,
            logger: Logger(label: "apply") { _ in SwiftLogNoOpLogHandler() }, pause: pause)
        return await runner.run(plan) { message in self.told.withLock { $0.append(message) } }
    }

    var words: [String] {
        told.withLock { $0 }.map { "\($0.step.rawValue) \($0.state.rawValue)" + ($0.reason.map { " \($0)" } ?? "") }
    }

    var isOld: Bool { operations.disk == Self.former.operations && network.disk.isOld }
}

extension BenchNetwork.Disk {
    /// The country stays set, whatever the outcome of the other steps.
    fileprivate var isOld: Bool { kept == ["old": "Cellar"] && next == "old" }
}

@Suite(.timeLimit(.minutes(10)))
struct ApplyRunnerTests {
    @Test func `the network is kept, then the settings that name it, and then it is that of the next start`() async {
        let scene = ApplyScene()
        #expect(await scene.run() == .kept)
        let name = scene.operations.disk.network ?? ""
        #expect(scene.network.disk == BenchNetwork.Disk(kept: [name: "Attic"], next: name, country: "DE"))
        #expect(scene.operations.disk.values[["mqtt", "host"]] == .text("new"))
        #expect(scene.network.calls == ["country DE", "join Attic", "keep", "settle \(name)"])
        #expect(scene.operations.calls == ["check", "try out", "prove", "keep"])
    }

    @Test(arguments: NetworkFailure.allCases, NetworkStep.allCases)
    func `a network that cannot be joined is told as what it is`(failure: NetworkFailure, step: NetworkStep) async {
        let scene = ApplyScene()
        scene.network.state.withLock { $0.joinFailure = (step, failure) }
        #expect(await scene.run() == .rolledBack(reason: failure.rawValue))
        let place = failure == .noAddress ? "address" : step.rawValue
        #expect(scene.words.suffix(2) == ["\(place) failed \(failure.rawValue)", "rolled-back done"])
        #expect(scene.told.withLock { $0.dropLast().last?.text?.isEmpty } == false)
        #expect(scene.isOld && scene.network.state.withLock { $0.joined } == "Cellar")
        #expect(scene.network.calls.last == "take back" && scene.operations.calls == ["check"])
    }

    @Test(arguments: BrokerCheckFailure.Reason.allCases, BrokerStep.allCases)
    func `a broker that does not answer is told as what it is`(
        reason: BrokerCheckFailure.Reason, step: BrokerStep
    ) async {
        let scene = ApplyScene()
        scene.operations.state.withLock { $0.checkFailure = BrokerCheckFailure(step, reason, "words") }
        #expect(await scene.run() == .rolledBack(reason: reason.rawValue))
        #expect(scene.words.suffix(2) == ["\(step.rawValue) failed \(reason.rawValue)", "rolled-back done"])
        #expect(scene.isOld && scene.network.state.withLock { $0.joined } == "Cellar")
        #expect(scene.operations.state.withLock { $0.trial } == nil)
    }

    @Test(arguments: [("check", OperationError.Kind.notValid), ("try out", .failed), ("keep", .failed)])
    func `settings that are refused change nothing`(call: String, kind: OperationError.Kind) async {
        let scene = ApplyScene()
        scene.operations.state.withLock { $0.failures[call] = OperationError(kind, "No.") }
        let reason = kind == .notValid ? "not-valid" : "failed"
        #expect(await scene.run() == .rolledBack(reason: reason))
        #expect(scene.isOld && scene.operations.state.withLock { $0.trial } == nil)
        #expect(scene.told.withLock { $0.dropLast().last?.text } == "No.")
    }

    @Test func `a network that is not settled is settled at the next start`() async {
        let scene = ApplyScene()
        let name = "profile-1-1"
        scene.network.state.withLock { $0.failures["settle \(name)"] = .noManager }
        #expect(await scene.run() == .kept)
        #expect(scene.operations.disk.network == name && scene.network.disk.next == "old")
    }

    /// A clock that stands still until the test advances it.
    private final class StoppedClock: Sendable {
        private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        func pause() async -> Bool {
            await withCheckedContinuation { wake in waiting.withLock { $0.append(wake) } }
            return !Task.isCancelled
        }
        func wakeAll() {
            for sleeper in waiting.withLock({ all in
                defer { all = [] }; return all
            }) { sleeper.resume() }
        }
    }

    @Test func `what hangs is given up at its deadline, and taken back`() async throws {
        let stuck = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let scene = ApplyScene { call in
            guard call == "network before join Attic" else { return }
            await withCheckedContinuation { wait in stuck.withLock { $0 = wait } }
        }
        let clock = StoppedClock()
        async let outcome = scene.run { _ in await clock.pause() }
        try await waitFor("the join") { stuck.withLock { $0 } != nil }
        // Deadlines of earlier steps end without effect; the deadline of the hanging step counts.
        try await waitFor("the roll-back") {
            clock.wakeAll()
            return scene.words.last == "rolled-back done"
        }
        clock.wakeAll()
        #expect(await outcome == .rolledBack(reason: "timed-out"))
        #expect(scene.words.suffix(2) == ["address failed timed-out", "rolled-back done"])
        #expect(scene.isOld)
        // A later answer of the step has no effect.
        stuck.withLock { $0 }?.resume()
    }

    // MARK: Power cuts

    /// The content of the disks after a power cut at the call with this number, and the next start's result.
    private func cut(
        at number: Int, _ prepare: (ApplyScene) -> Void = { _ in }
    ) async throws -> (place: String, isOld: Bool, isNew: Bool)? {
        struct Cut {
            var count = 0
            var place: String?
            var disks: (BenchOperations.Disk, BenchNetwork.Disk)?
        }
        let state = Mutex(Cut())
        let scene = Mutex<ApplyScene?>(nil)
        let made = ApplyScene { call in
            let isHere = state.withLock { state in
                defer { state.count += 1 }
                guard state.count == number, let scene = scene.withLock({ $0 }) else { return false }
                state.place = call
                state.disks = (scene.operations.disk, scene.network.disk)
                return true
            }
            // For ever; the runner is stopped meanwhile.
            if isHere { try? await Task.sleep(for: .seconds(86_400)) }
        }
        scene.withLock { $0 = made }
        defer { scene.withLock { $0 = nil } }
        prepare(made)
        let running = Task { await made.run() }
        try await waitFor("the cut") {
            state.withLock { $0.place } != nil
                || !made.words.filter { $0 == "done done" || $0 == "rolled-back done" }.isEmpty
        }
        running.cancel()
        _ = await running.value
        let (place, disks) = state.withLock { ($0.place, $0.disks) }
        guard let place, let disks else { return nil }
        let words = made.words
        // The next start.
        let operations = BenchOperations(disk: disks.0)
        let network = BenchNetwork(disk: disks.1)
        try await network.settle(await operations.settings().keptNetwork)
        #expect(made.words == words, "something was told after the end")
        let isOld = operations.disk == ApplyScene.former.operations && network.disk.isOld
        let kept = operations.disk.network ?? ""
        let isNew =
            operations.disk.values[["mqtt", "host"]] == .text("new") && network.disk.kept == [kept: "Attic"]
            && network.disk.next == kept
        return (place, isOld, isNew)
    }

    @Test func `a power cut at any step leaves the old or the new, and never a mixture`() async throws {
        var places: [String] = []
        var (old, new) = (0, 0)
        for number in 0... {
            guard let result = try await cut(at: number) else { break }
            places.append(result.place)
            #expect(result.isOld != result.isNew, "\(result.place)")
            old += result.isOld ? 1 : 0
            new += result.isNew ? 1 : 0
        }
        let calls = [
            "operations check", "network country DE", "network join Attic", "operations try out", "operations prove",
            "network keep", "operations keep", "network settle profile-1-1",
        ]
        let expected = calls.flatMap { call -> [String] in
            let words = call.split(separator: " ", maxSplits: 1)
            return ["\(words[0]) before \(words[1])", "\(words[0]) after \(words[1])"]
        }
        #expect(places == expected)
        // From the moment on at which the settings are on disk.
        #expect(old == 13 && new == 3)
    }

    @Test func `a power cut on the way back leaves the old`() async throws {
        var places: [String] = []
        for number in 0... {
            let result = try await cut(at: number) {
                $0.operations.state.withLock { $0.failures["keep"] = OperationError(.failed, "The disk is full.") }
            }
            guard let result else { break }
            places.append(result.place)
            #expect(result.isOld && !result.isNew, "\(result.place)")
        }
        #expect(
            places.suffix(6) == [
                "operations before take back", "operations after take back", "network before take back",
                "network after take back", "network before settle old", "network after settle old",
            ])
    }
}
