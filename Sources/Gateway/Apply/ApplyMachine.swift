// SPDX-License-Identifier: Apache-2.0

import Configuration
import NetworkControl

/// The steps of docs/provisioning-protocol.md in order, and the way back after a failure. The machine has no side effects: its
/// driver performs one action at a time, and reports the result.
///
/// The commit point is ``Action/keepSettings(network:)``. Before it, a failure or a power cut leaves the old settings.
/// After it, the new settings hold, whatever follows.
package struct ApplyMachine: Sendable {
    package enum Action: Equatable, Sendable {
        case check
        case setCountry(String)
        case join(WirelessSettings)
        case tryOut
        case checkBroker
        case keepNetwork
        /// nil leaves the network as it is; empty removes it.
        case keepSettings(network: String?)
        case settleNetwork(String?)
        // The way back.
        case revertSettings
        case revertNetwork
        /// The settings on disk name the network of the next start; any other kept network is removed.
        case settleFormerNetwork
    }

    package enum Event: Equatable, Sendable {
        /// `network`: the name from ``Action/keepNetwork``.
        case succeeded(network: String?)
        case failed(step: ProgressMessage.Step?, reason: String, text: String)
        /// A step of an action has begun.
        case reached(ProgressMessage.Step)
        case deadline
    }

    package enum Effect: Equatable, Sendable {
        case tell(ProgressMessage)
        case perform(Action)
        /// Send ``Event/deadline`` after this time, unless a later effect replaces the deadline; nil: no deadline.
        case setDeadline(Duration?)
        case finish(Outcome)
    }

    package enum Outcome: Equatable, Sendable {
        case kept
        case rolledBack(reason: String)
    }

    /// The longest time for a step. NetworkManager reports a wrong WPA3 password after 25 s, and may try a known
    /// network twice.
    package static func limit(of step: ProgressMessage.Step) -> Duration {
        switch step {
        case .check: .seconds(20)
        case .country: .seconds(20)
        case .associate: .seconds(70)
        case .address: .seconds(50)
        case .name, .connect, .tls, .broker: .seconds(30)
        case .keep: .seconds(60)
        case .done, .rolledBack: .seconds(30)
        }
    }

    /// For all steps to the broker together.
    package static let brokerLimit: Duration = .seconds(90)
    /// After this time the network ends its trial by itself, in case no process is left to end it: longer than all
    /// steps together.
    package static let trialLimit: Duration = .seconds(300)

    private var ahead: [Action]
    private var action: Action?
    private var step: ProgressMessage.Step?
    private var ended: Set<ProgressMessage.Step> = []
    private var back: [Action] = []
    /// The reason for the way back; nil on the way forward.
    private var failure: String?
    private var isCommitted = false

    package init(_ plan: ApplyPlan) {
        ahead = [.check]
        if let country = plan.country { ahead.append(.setCountry(country)) }
        if case .join(let settings) = plan.wireless { ahead.append(.join(settings)) }
        if !plan.change.isEmpty { ahead.append(.tryOut) }
        if plan.checksBroker { ahead.append(.checkBroker) }
        switch plan.wireless {
        // keepSettings needs the network's name from keepNetwork.
        case .join: ahead.append(.keepNetwork)
        case .some(.none): ahead += [.keepSettings(network: ""), .settleNetwork(nil)]
        case nil: if !plan.change.isEmpty { ahead.append(.keepSettings(network: nil)) }
        }
    }

    package mutating func begin() -> [Effect] { advance() }

    package mutating func handle(_ event: Event) -> [Effect] {
        guard let action else { return [] }
        switch event {
        case .reached(let new): return failure == nil ? enter(new) : []
        case .succeeded(let network):
            return failure == nil ? succeed(action, network) : goBack()
        case .failed(let failed, let reason, let text):
            return failure == nil ? fail(action, failed, reason, text) : goBack()
        case .deadline:
            guard failure == nil else { return goBack() }
            return fail(action, nil, "timed-out", "This took longer than it may.")
        }
    }

    // MARK: On

    private mutating func advance() -> [Effect] {
        guard !ahead.isEmpty else {
            action = nil
            return complete() + [.setDeadline(nil), .tell(ProgressMessage(.done, .done)), .finish(.kept)]
        }
        let next = ahead.removeFirst()
        action = next
        var effects: [Effect] = []
        switch next {
        case .check: effects += enter(.check)
        case .setCountry: effects += enter(.country)
        case .join:
            effects += enter(.associate)
            back.insert(.revertNetwork, at: 0)
        case .tryOut:
            effects += complete() + [.setDeadline(Self.limit(of: .keep))]
            back.insert(.revertSettings, at: 0)
        case .checkBroker: effects += complete() + [.setDeadline(Self.brokerLimit + .seconds(5))]
        case .keepNetwork:
            effects += enter(.keep)
            back.append(.settleFormerNetwork)
        // No deadline: only the disk's answer shows whether a slow disk has the settings.
        case .keepSettings: effects += enter(.keep) + [.setDeadline(nil)]
        default: effects.append(.setDeadline(Self.limit(of: .keep)))
        }
        effects.append(.perform(next))
        return effects
    }

    /// Begins a step, and ends the step before. The current step and earlier steps are not reported again.
    private mutating func enter(_ new: ProgressMessage.Step) -> [Effect] {
        let steps = ProgressMessage.Step.allCases
        if let step, let at = steps.firstIndex(of: step), let next = steps.firstIndex(of: new), next <= at { return [] }
        let ended = complete()
        step = new
        let limit = Self.limit(of: new)
        return ended + [
            .tell(ProgressMessage(new, .running, limit: Int(limit.components.seconds))), .setDeadline(limit),
        ]
    }

    private mutating func complete() -> [Effect] {
        guard let step, !ended.contains(step) else { return [] }
        ended.insert(step)
        return [.tell(ProgressMessage(step, .done))]
    }

    private mutating func succeed(_ action: Action, _ network: String?) -> [Effect] {
        var effects: [Effect] = []
        switch action {
        // The gateway may have been connected already, or have reported no steps.
        case .checkBroker: effects += enter(.broker)
        case .keepNetwork:
            guard let network else { return fail(action, nil, "failed", "The network that was kept has no name.") }
            ahead = [.keepSettings(network: network), .settleNetwork(network)]
        case .keepSettings: isCommitted = true
        default: break
        }
        return effects + advance()
    }

    // MARK: Back

    private mutating func fail(
        _ action: Action, _ failed: ProgressMessage.Step?, _ reason: String, _ text: String
    ) -> [Effect] {
        // The new settings are on disk, and each start settles their network again.
        if isCommitted { return advance() }
        var effects: [Effect] = []
        let place = failed ?? step(of: action)
        if place != step { effects += complete() }
        failure = reason
        effects.append(.tell(ProgressMessage(place, .failed, reason: reason, text: text)))
        return effects + goBack()
    }

    private func step(of action: Action) -> ProgressMessage.Step {
        switch action {
        case .tryOut: ahead.contains(.checkBroker) ? .name : .keep
        case .checkBroker:
            switch step {
            case .name, .connect, .tls, .broker: step ?? .name
            default: .name
            }
        default: step ?? .check
        }
    }

    private mutating func goBack() -> [Effect] {
        guard !back.isEmpty else {
            action = nil
            return [
                .setDeadline(nil), .tell(ProgressMessage(.rolledBack, .done)),
                .finish(.rolledBack(reason: failure ?? "failed")),
            ]
        }
        let next = back.removeFirst()
        action = next
        return [.setDeadline(Self.limit(of: .rolledBack)), .perform(next)]
    }
}
