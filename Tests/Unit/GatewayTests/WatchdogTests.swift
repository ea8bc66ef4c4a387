// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Glibc
import Logging
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayBench

@Suite("Watchdog", .ownThread)
struct WatchdogTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    // MARK: - The machine

    private enum Step {
        case round(progress: UInt64), answer(WatchdogMachine.Part), stop
    }

    private func run(_ steps: [Step]) -> [[WatchdogMachine.Effect]] {
        var machine = WatchdogMachine()
        return steps.map { step in
            switch step {
            case .round(let progress): return machine.beginRound(progress: progress)
            case .answer(let part): return machine.answered(part)
            case .stop:
                machine.stop()
                return []
            }
        }
    }

    @Test("The watchdog is fed once a round, by the last answer")
    func fed() {
        #expect(
            run([.round(progress: 0), .answer(.journal), .answer(.radio), .round(progress: 0), .answer(.radio)])
                == [[.ask(.radio), .ask(.journal)], [], [.feed], [.ask(.radio), .ask(.journal)], []])
    }

    @Test(
        "A hanging part stops the feeding, and is asked and reported once", arguments: WatchdogMachine.Part.allCases
    )
    func hanging(part: WatchdogMachine.Part) {
        let other: WatchdogMachine.Part = part == .radio ? .journal : .radio
        let effects = run(
            [.round(progress: 5), .answer(other)]
                + [.round(progress: 5), .answer(other), .round(progress: 5), .answer(other)]
                + [.answer(part), .round(progress: 5), .answer(part), .answer(other)])
        let silent: [WatchdogMachine.Effect] =
            part == .radio ? [.silent(part), .ask(other)] : [.ask(other), .silent(part)]
        #expect(
            effects == [
                [.ask(.radio), .ask(.journal)], [], silent, [], [.ask(other)], [],
                // The part answers again: the open round is complete.
                [.feed], [.ask(.radio), .ask(.journal)], [], [.feed],
            ])
    }

    @Test("Long work of the journal with progress counts as life; the radio has to answer all the same")
    func progress() {
        #expect(
            run([
                .round(progress: 1), .answer(.radio), .round(progress: 2), .answer(.radio), .round(progress: 2),
                .answer(.radio), .round(progress: 3), .round(progress: 4),
            ]) == [
                [.ask(.radio), .ask(.journal)], [], [.ask(.radio)], [.feed], [.ask(.radio), .silent(.journal)], [],
                [.ask(.radio)], [.silent(.radio)],
            ])
    }

    @Test("Stopping may take longer while the journal gets on, and only then")
    func stopping() {
        #expect(
            run([
                .round(progress: 1), .stop, .answer(.radio), .round(progress: 1), .round(progress: 9),
                .round(progress: 9),
            ])
                == [[.ask(.radio), .ask(.journal)], [], [], [], [.extendStop, .feed], []])
    }

    // MARK: - With a manager

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Parts that answer or stay silent, as the test says.
    private final class Parts: Sendable {
        let stuck = Mutex<Set<WatchdogMachine.Part>>([])
        let asked = Mutex<[WatchdogMachine.Part]>([])
        let steps = Atomic<UInt64>(0)

        var subject: Supervisor.Subject {
            Supervisor.Subject(
                ask: { [self] part, answer in
                    asked.withLock { $0.append(part) }
                    if !stuck.withLock({ $0.contains(part) }) { DispatchQueue.global().async(execute: answer) }
                },
                progress: { [self] in steps.load(ordering: .relaxed) }, status: { "as always" })
        }
    }

    @Test("Ready, alive, reloading, stopping: the manager hears of all")
    func life() throws {
        let listener = try NotifyListener(path: folder.path("notify"))
        let notifier = try #require(ServiceNotifier(path: listener.path))
        let supervisor = Supervisor(notifier, watchdog: .milliseconds(40), logger: Self.quiet)
        let parts = Parts()
        supervisor.begin(parts.subject)
        #expect(listener.next() == "READY=1")
        for _ in 0..<3 { #expect(listener.wait(for: "WATCHDOG=1") != nil) }
        #expect(listener.lines.count { $0 == "STATUS=as always" } == 1)
        supervisor.reloading()
        #expect(listener.wait(for: "MONOTONIC_USEC=") != nil)
        supervisor.reloaded()
        #expect(listener.wait(for: "READY=1") != nil)
        supervisor.reloading()
        supervisor.reloaded(mistake: "line 3")
        #expect(listener.wait(for: "STATUS=configuration not taken, the old one stays: line 3") != nil)
        supervisor.stopping()
        #expect(listener.wait(for: "STOPPING=1") != nil)
        #expect(listener.lines.last == "STATUS=stopping")
        // The first round of stopping knows no progress yet; then the journal gets on.
        let isExtended = blockingEventually {
            parts.steps.add(1, ordering: .relaxed)
            return listener.wait(for: "EXTEND_TIMEOUT_USEC=", .milliseconds(200)) != nil
        }
        #expect(isExtended)
        supervisor.end()
    }

    @Test("A hanging part starves the watchdog", arguments: WatchdogMachine.Part.allCases)
    func starved(part: WatchdogMachine.Part) throws {
        let listener = try NotifyListener(path: folder.path("notify"))
        let notifier = try #require(ServiceNotifier(path: listener.path))
        let supervisor = Supervisor(notifier, watchdog: .milliseconds(40), logger: Self.quiet)
        let parts = Parts()
        supervisor.begin(parts.subject)
        #expect(listener.wait(for: "WATCHDOG=1") != nil)
        parts.stuck.withLock { _ = $0.insert(part) }
        // Answers on their way may complete a round or two; the watchdog keeps asking the other part.
        let other: WatchdogMachine.Part = part == .radio ? .journal : .radio
        let rounds = parts.asked.withLock { $0.count { $0 == other } }
        #expect(blockingEventually { parts.asked.withLock { $0.count { $0 == other } } >= rounds + 3 })
        while listener.next(.zero) != nil {}
        let later = parts.asked.withLock { $0.count { $0 == other } }
        #expect(blockingEventually { parts.asked.withLock { $0.count { $0 == other } } >= later + 10 })
        while let text = listener.next(.zero) { #expect(!text.contains("WATCHDOG=1")) }
        supervisor.end()
    }
}
