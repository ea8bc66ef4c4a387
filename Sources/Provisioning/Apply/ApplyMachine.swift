// SPDX-License-Identifier: Apache-2.0

import Gateway
import NetworkControl

/// The steps of docs/provisioning.md, one after the other, and the way back when one fails. It does nothing by itself:
/// whoever drives it performs one action at a time, and says how it went.
///
/// The commit point is ``Action/keepSettings(network:)``: until then a failure, or a power cut, leaves what was before;
/// from then on what is new holds, whatever follows.
package struct ApplyMachine: Sendable {
    package enum Action: Equatable, Sendable {
        case check
        case setCountry(String)
        case join(WirelessSettings)
        case tryOut
        case proveBroker
        case keepNetwork
        /// nil: as it is; empty: none.
        case keepSettings(network: String?)
        case settleNetwork(String?)
        // The way back.
        case takeSettingsBack
        case takeNetworkBack
        /// The network that is on disk in the settings is that of the next start; what was kept beside it goes.
        case settleFormerNetwork
    }

    package enum Event: Equatable, Sendable {
        /// `network`: what ``Action/keepNetwork`` has named.
        case succeeded(network: String?)
        case failed(step: ProgressMessage.Step?, reason: String, text: String)
        /// A step within an action has begun.
        case reached(ProgressMessage.Step)
        case deadline
    }

    package enum Effect: Equatable, Sendable {
        case tell(ProgressMessage)
        case perform(Action)
        /// Say ``Event/deadline`` after so long, unless another one is set before; nil: no deadline.
        case setDeadline(Duration?)
        case finish(Outcome)
    }

    package enum Outcome: Equatable, Sendable {
        case kept
        case rolledBack(reason: String)
    }

    /// How long a step may take. What NetworkManager says of a wrong WPA3 password comes after 25 s, and a known network
    /// may be tried twice.
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
    package static let proofLimit: Duration = .seconds(90)
    /// After this the network takes itself back, when nobody is there any more who could: longer than all steps together.
    package static let trialLimit: Duration = .seconds(300)

    private var ahead: [Action]
    private var action: Action?
    private var step: ProgressMessage.Step?
    private var ended: Set<ProgressMessage.Step> = []
    private var back: [Action] = []
    /// Why it goes back; nil while it goes on.
    private var failure: String?
    private var isCommitted = false

    package init(_ plan: ApplyPlan) {
        ahead = [.check]
        if let country = plan.country { ahead.append(.setCountry(country)) }
        if case .join(let settings) = plan.wireless { ahead.append(.join(settings)) }
        if !plan.change.isEmpty { ahead.append(.tryOut) }
        if plan.provesBroker { ahead.append(.proveBroker) }
        switch plan.wireless {
        // What follows wants the name that this gives.
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
            back.insert(.takeNetworkBack, at: 0)
        case .tryOut:
            effects += complete() + [.setDeadline(Self.limit(of: .keep))]
            back.insert(.takeSettingsBack, at: 0)
        case .proveBroker: effects += complete() + [.setDeadline(Self.proofLimit + .seconds(5))]
        case .keepNetwork:
            effects += enter(.keep)
            back.append(.settleFormerNetwork)
        // Whether a disk that takes its time has it or not is only known when it has answered.
        case .keepSettings: effects += enter(.keep) + [.setDeadline(nil)]
        default: effects.append(.setDeadline(Self.limit(of: .keep)))
        }
        effects.append(.perform(next))
        return effects
    }

    /// Begins a step, and ends the one before; one that has begun already, or is behind, is not told again.
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
        // It may have been connected, or have said nothing of its way.
        case .proveBroker: effects += enter(.broker)
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
        // The new settings are on disk: each start settles their network again.
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
        case .tryOut: ahead.contains(.proveBroker) ? .name : .keep
        case .proveBroker:
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
