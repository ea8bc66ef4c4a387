// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import NetworkControl
import Operations
import Platform
import Publisher
import Synchronization

/// Drives an ``ApplyMachine`` with the gateway's operations and the network.
package struct ApplyRunner: Sendable {
    private let operations: any GatewayOperations
    /// Nil: the plan has no changes of the network.
    private let network: (any NetworkControlling)?
    private let logger: Logger?
    private let pause: @Sendable (Duration) async -> Bool

    private struct Signal: Sendable {
        /// The action of the event. Events of an abandoned action do not count.
        var number: Int
        var event: ApplyMachine.Event
    }

    /// Waiting steps, results and deadlines. The closures below report nothing twice, so the limit is never
    /// reached.
    private static let signalLimit = 256

    package init(
        operations: any GatewayOperations, network: (any NetworkControlling)? = nil, logger: Logger? = nil,
        pause: @escaping @Sendable (Duration) async -> Bool = { await Waiting.pause(for: $0) }
    ) {
        self.operations = operations
        self.network = network
        self.logger = logger
        self.pause = pause
    }

    /// Applies the plan.
    ///
    /// - Parameter progress: Each step as it begins.
    /// - Throws: The reason for the way back.
    package func apply(_ plan: ApplyPlan, progress: @Sendable (_ step: String) -> Void) async throws(OperationError) {
        let failure = Mutex<ProgressMessage?>(nil)
        let outcome = await run(plan) { message in
            switch message.state {
            case .running: progress(message.step.rawValue)
            case .failed: failure.withLock { $0 = message }
            case .done: break
            }
        }
        guard outcome != .kept else { return }
        guard let failure = failure.withLock({ $0 }) else { throw OperationError(.failed, "it could not be done") }
        throw OperationError(failure.kind, failure.text ?? "it could not be done")
    }

    /// Applies the plan, and reports each line of progress. A cancelled task stops at its present step, like an ended
    /// process: the next start settles the network.
    package func run(
        _ plan: ApplyPlan, tell: @Sendable (ProgressMessage) -> Void
    ) async -> ApplyMachine.Outcome? {
        var machine = ApplyMachine(plan)
        let (signals, sink) = AsyncStream.makeStream(
            of: Signal.self, bufferingPolicy: .bufferingOldest(Self.signalLimit))
        let deadlineCount = DeadlineCount()
        var number = 0
        var running: Task<Void, Never>?
        var deadline: Task<Void, Never>?
        var outcome: ApplyMachine.Outcome?
        defer {
            running?.cancel()
            deadline?.cancel()
        }
        func carryOut(_ effects: [ApplyMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .tell(let message):
                    log(message)
                    tell(message)
                case .perform(let action):
                    number += 1
                    running?.cancel()
                    // Not a child of this task, which must not wait for an abandoned action that hangs.
                    running = Task { [number] in
                        let event = await perform(action, plan) {
                            sink.yield(Signal(number: number, event: .reached($0)))
                        }
                        sink.yield(Signal(number: number, event: event))
                    }
                case .setDeadline(let limit):
                    deadline?.cancel()
                    deadline = limit.map { limit in
                        Task { [pause, count = deadlineCount.next()] in
                            guard await pause(limit) else { return }
                            sink.yield(Signal(number: -count, event: .deadline))
                        }
                    }
                case .finish(let end): outcome = end
                }
            }
        }
        carryOut(machine.begin())
        for await signal in signals {
            if Task.isCancelled { return nil }
            // A deadline that was replaced meanwhile does not count.
            guard signal.number == number || signal.number == -deadlineCount.last else { continue }
            carryOut(machine.handle(signal.event))
            if let outcome { return outcome }
        }
        return nil
    }

    /// Numbers the deadlines.
    private final class DeadlineCount {
        private(set) var last = 0
        func next() -> Int {
            last += 1
            return last
        }
    }

    private func log(_ message: ProgressMessage) {
        logger?.info(
            "applying",
            metadata: [
                "step": "\(message.step.rawValue)", "state": "\(message.state.rawValue)",
                "reason": "\(message.reason ?? "")",
            ])
    }

    // MARK: Actions

    private var control: any NetworkControlling {
        get throws(NetworkFailure) {
            guard let network else { throw .noManager }
            return network
        }
    }

    private func perform(
        _ action: ApplyMachine.Action, _ plan: ApplyPlan, reached: @escaping @Sendable (ProgressMessage.Step) -> Void
    ) async -> ApplyMachine.Event {
        do {
            switch action {
            case .check: _ = try await operations.check(plan.change)
            case .setCountry(let country): try await control.setCountry(country)
            case .join(let settings):
                let once = OnceEach(reached)
                _ = try await control.join(settings, limit: ApplyMachine.trialLimit) {
                    once.say($0 == .address ? .address : .associate)
                }
            case .tryOut: try await operations.tryOut(plan.change)
            case .checkBroker:
                let once = OnceEach(reached)
                try await operations.checkBroker(within: ApplyMachine.brokerLimit) {
                    once.say(ProgressMessage.Step($0))
                }
            case .keepNetwork: return .succeeded(network: try await control.keep())
            case .keepSettings(let network): try await operations.keep(network: network)
            case .settleNetwork(let name): try await control.settle(name)
            case .revertSettings: await operations.revert()
            case .revertNetwork: try await control.revert()
            case .settleFormerNetwork: try await control.settle(await operations.settings().keptNetwork)
            }
            return .succeeded(network: nil)
        } catch let error as NetworkFailure {
            return .failed(
                step: error == .noAddress ? .address : nil, reason: error.rawValue, text: error.explanation)
        } catch let error as BrokerCheckFailure {
            return .failed(step: ProgressMessage.Step(error.step), reason: error.reason.rawValue, text: error.text)
        } catch let error as OperationError {
            return .failed(
                step: nil, reason: [.notValid, .busy].contains(error.kind) ? error.kind.rawValue : "failed",
                text: error.description)
        } catch {
            return .failed(step: nil, reason: "failed", text: "\(error)")
        }
    }

    /// An attempt at the broker may repeat steps; each step is reported once.
    private final class OnceEach: Sendable {
        private let said = Mutex<Set<ProgressMessage.Step>>([])
        private let tell: @Sendable (ProgressMessage.Step) -> Void

        init(_ tell: @escaping @Sendable (ProgressMessage.Step) -> Void) { self.tell = tell }

        func say(_ step: ProgressMessage.Step) {
            if said.withLock({ $0.insert(step).inserted }) { tell(step) }
        }
    }
}

extension GatewaySettings {
    /// The network for ``NetworkControlling/settle(_:)``; an empty name, from a removed network, becomes nil.
    package var keptNetwork: String? { network.flatMap { $0.isEmpty ? nil : $0 } }
}

extension ProgressMessage {
    /// The kind of the failure, for clients of operations.
    fileprivate var kind: OperationError.Kind {
        guard let reason else { return .failed }
        return OperationError.Kind(rawValue: reason)
            ?? (BrokerCheckFailure.Reason(rawValue: reason) == nil ? .failed : .notValid)
    }
}

extension ProgressMessage.Step {
    init(_ step: BrokerStep) {
        self =
            switch step {
            case .name: .name
            case .connect: .connect
            case .tls: .tls
            case .broker: .broker
            }
    }
}

extension NetworkFailure {
    /// The failure and advice, for a person.
    package var explanation: String {
        switch self {
        case .wrongPassword: "The password of the Wi-Fi network is wrong."
        case .passwordOrSignal:
            "The Wi-Fi network was heard, but there was no agreement on keys: the password is wrong, or the signal too weak."
        case .networkNotFound: "The Wi-Fi network is not heard: is its name right, and is it in range?"
        case .noAddress: "The network gave no address: is its DHCP server running?"
        case .noCountry: "The radio is blocked until the country is set: write Wi-Fi country first."
        case .noWiFi: "This gateway has no Wi-Fi."
        case .notValid: "This cannot be: look at the name and the password of the network, and at the country."
        case .noManager: "This gateway's network is not managed by NetworkManager, or martlet-network is not running."
        case .busy: "The network is being changed by somebody else."
        case .timedOut: "The network took longer than it may."
        case .failed: "NetworkManager refused it; the gateway's log says why."
        }
    }
}
