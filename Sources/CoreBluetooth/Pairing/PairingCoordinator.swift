// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Dispatch
import Foundation
import HCITransport
import SMP
import Synchronization

/// Connects the pairings of one controller with its agent and with the callers that wait for a pairing. It listens to the
/// host from the first use on.
final class PairingCoordinator: Sendable {
    private struct Running {
        /// The pairing's number on its link.
        let number: Int
        var isOurs = false
        var requests: [CBPairingRequest] = []
    }

    private struct Waiting {
        let call: PendingCall<CBBond>
        let options: CBPairingOptions
    }

    private struct State {
        weak var controller: CBController?
        var common = PairingSide()
        /// The side of links on which we are the Peripheral, once set.
        var peripheral = PairingSide()
        var lastPolicy: UInt64 = 0
        var client: ClientID?
        var running: [LinkID: Running] = [:]
        var lastNumber = 0
        /// Devices that have connected to us; `centralWatch` gets their number.
        var centrals: Set<LinkID> = []
        var centralWatch: (@Sendable (Int) -> Void)?
        /// Links whose pairing is about to fail after it has revealed digits of a passkey.
        var revealed: Set<LinkID> = []
        var calls: [LinkID: [PendingCall<CBBond>]] = [:]
        /// Callers whose link has another pairing under way; they wait for its end.
        var waiting: [LinkID: [Waiting]] = [:]

        /// The side that pairings in this role concern. The common side never hears of pairings under the other policy.
        func side(for role: LinkRole) -> PairingSide {
            role == .peripheral && hasPeripheralSide ? peripheral : common
        }

        var hasPeripheralSide: Bool { peripheral.policy != nil || peripheral.hasAgent }

        mutating func nextPolicy() -> UInt64 {
            lastPolicy += 1
            return lastPolicy
        }

        mutating func begin(_ link: LinkID, isOurs: Bool) -> Running {
            lastNumber += 1
            let new = Running(number: lastNumber, isOurs: isOurs)
            running[link] = new
            return new
        }
    }

    private let host: BluetoothHost
    private let state: Mutex<State>

    /// `policy`: the policy until another one is set.
    init(host: BluetoothHost, policy: CBPairingPolicy) {
        self.host = host
        state = Mutex(State(common: PairingSide(policy)))
        // The host begins closed.
        applyPolicies()
    }

    deinit {
        let host = host
        if let client = state.withLock({ $0.client }) { host.perform { $0.removeClient(client) } }
    }

    // MARK: Policy and agent

    var policy: CBPairingPolicy { state.withLock { $0.common.policy ?? .onDemand } }
    var peripheralPolicy: CBPairingPolicy? { state.withLock { $0.peripheral.policy } }

    func setPolicy(_ policy: CBPairingPolicy) {
        state.withLock { $0.common.set(policy, number: $0.nextPolicy()) }
        applyPolicies()
    }

    func setPeripheralPolicy(_ policy: CBPairingPolicy?) {
        state.withLock { $0.peripheral.set(policy, number: $0.nextPolicy()) }
        applyPolicies()
    }

    /// `role`: nil for all links.
    func setAgent(
        _ agent: (any CBPairingAgent)?, for role: LinkRole? = nil, of controller: CBController, queue: DispatchQueue
    ) {
        let new = UncheckedReference(value: agent)
        state.withLock { state in
            state.controller = controller
            if role == .peripheral {
                state.peripheral.set(new.value, queue: queue)
            } else {
                state.common.set(new.value, queue: queue)
            }
        }
        if agent != nil { listen() }
        applyPolicies()
    }

    private func applyPolicies() {
        host.perform { [self] host in
            // State is read only here: the last of two concurrent changes may get here first.
            let (common, peripheral, isOwn) = state.withLock { ($0.common, $0.peripheral, $0.hasPeripheralSide) }
            func security(_ side: PairingSide, _ hasAgent: Bool) -> SecurityPolicy? {
                side.securityPolicy(hasAgent: hasAgent) { host.directory.address(for: $0) }
            }
            let policy = security(common, common.hasAgent)
            // An agent without a policy: the common policy, with the means of this agent.
            let own = security(peripheral, peripheral.hasAgent) ?? (isOwn ? security(common, peripheral.hasAgent) : nil)
            host.withMachine { machine, _ in
                if let policy { machine.policy = policy }
                machine.peripheralPolicy = own
            }
        }
    }

    private func listen() {
        guard state.withLock({ $0.client }) == nil, let client = host.makeClient() else { return }
        let isFirst = state.withLock { state in
            defer { if state.client == nil { state.client = client } }
            return state.client == nil
        }
        guard isFirst else { return host.perform { $0.removeClient(client) } }
        let sink: BluetoothHost.Sink = { [weak self, host] batch in
            for other in batch.others { self?.handle(other.event) }
            host.handled(by: client)
        }
        host.perform { $0.addClient(client, isPassive: true, sink: sink) }
    }

    // MARK: By our own wish

    nonisolated(nonsending) func pair(
        _ link: LinkID?, _ options: CBPairingOptions, timeout: Duration?
    ) async throws -> CBBond {
        guard let link else { throw CBPairingError(.notConnected) }
        listen()
        return try await PendingCall<CBBond>.run(timeout: timeout) { [self] call in
            let wasLast = state.withLock { state in
                state.waiting[link]?.removeAll { $0.call === call }
                if state.waiting[link]?.isEmpty == true { state.waiting[link] = nil }
                state.calls[link]?.removeAll { $0 === call }
                guard state.calls[link]?.isEmpty == true else { return false }
                state.calls[link] = nil
                return true
            }
            guard wasLast else { return }
            host.perform { $0.withMachine { machine, now in machine.cancelPairing(on: link, at: now) } }
        } _: { call in
            begin(link, options, call)
        }
    }

    private func begin(_ link: LinkID, _ options: CBPairingOptions, _ call: PendingCall<CBBond>) {
        host.perform { [weak self] host in
            // The caller gave it up before its turn came, when there was nothing to take back.
            guard call.isOpen else { return }
            // The call is noted before the pairing can end.
            self?.state.withLock { $0.calls[link, default: []].append(call) }
            let start = host.withMachine { machine, now in machine.pair(link, at: now) { options.apply(to: &$0) } }
            guard let error = CBPairingError(start) else { return }
            let waits = start == .isPairing
            self?.state.withLock { state in
                state.calls[link]?.removeAll { $0 === call }
                if state.calls[link]?.isEmpty == true { state.calls[link] = nil }
                // Another pairing is under way: its result may satisfy these options.
                if waits { state.waiting[link, default: []].append(Waiting(call: call, options: options)) }
            }
            guard !waits else { return }
            call.finish(.failure(error))
        }
    }

    // MARK: From the host, on the radio thread

    private func changeCentrals(_ change: (inout Set<LinkID>) -> Void) {
        let (watch, count) = state.withLock { state in
            let before = state.centrals
            change(&state.centrals)
            return (before == state.centrals ? nil : state.centralWatch, state.centrals.count)
        }
        watch?(count)
    }

    /// Tells how many devices have connected to us, whenever that changes, on the radio thread.
    func watchCentrals(_ watch: @escaping @Sendable (Int) -> Void) {
        state.withLock { $0.centralWatch = watch }
        listen()
    }

    private func handle(_ event: HostEvent) {
        switch event {
        case .pairing(let link, let address, let role, let event): handle(event, on: link, address, role)
        case .linkUp(let link, _, .peripheral): changeCentrals { $0.insert(link) }
        case .linkDown(let link, _), .disconnected(let link?, _, _, _):
            state.withLock { _ = $0.revealed.remove(link) }
            end(link, nil, .failure(CBPairingError(.disconnected)))
            changeCentrals { $0.remove(link) }
        case .stateChanged(let state, _) where state != .ready: changeCentrals { $0.removeAll() }
        default: break
        }
    }

    private func handle(_ event: PairingEvent, on link: LinkID, _ address: DeviceAddress, _ role: LinkRole) {
        switch event {
        case .refused: break  // it is in the log
        case .began(let isOurs): _ = state.withLock { $0.begin(link, isOurs: isOurs) }
        case .asked(let question, let model): ask(question, model, on: link, address, role)
        case .finished(let bond):
            host.directory.keep(bond.identity)
            // The host notes a bond before it reports the bond; a bond that is not kept lasts as long as the
            // connection.
            let record = host.bonds.records.first { $0.bond.identity == bond.identity }
            let made = CBBond(
                record ?? BondRecord(bond: bond, madeAt: Int64(Date().timeIntervalSince1970)),
                identifier: host.directory.identifier(for: bond.identity))
            end(link, (bond.identity, role), .success(made))
        case .finishedUnbonded: end(link, (address, role), .failure(CBPairingError(.notBonded)))
        case .passkeyRevealed: state.withLock { _ = $0.revealed.insert(link) }
        case .failed(let failure):
            let isRevealed = state.withLock { $0.revealed.remove(link) != nil }
            end(link, (address, role), .failure(CBPairingError(failure, revealsPasskey: isRevealed)))
        }
    }

    private func ask(
        _ question: PairingQuestion, _ model: AssociationModel, on link: LinkID, _ address: DeviceAddress,
        _ role: LinkRole
    ) {
        // The pairing may have begun before this object listened: then there was no event of its beginning.
        let running = state.withLock { $0.running[link] ?? $0.begin(link, isOurs: false) }
        let request = CBPairingRequest(
            peer: peer(address), kind: CBPairingRequest.Kind(question), model: CBPairingModel(model),
            isOurs: running.isOurs
        ) { [host, weak self] answer in
            host.perform { [weak self] host in
                // A late answer is no answer to the questions of the next pairing.
                guard let self, self.state.withLock({ $0.running[link]?.number == running.number }) else { return }
                host.withMachine { machine, now in
                    if case .display = question {
                        machine.cancelPairing(on: link, at: now)
                    } else {
                        machine.answer(PairingAnswer(answer), onPairing: link, at: now)
                    }
                }
            }
        }
        state.withLock { $0.running[link]?.requests.append(request) }
        let isAsked = tell(role) { $0.controller($1, didReceive: request) }
        // The agent is gone. The host asks for consent only if there was an agent.
        if !isAsked { request.respond(with: .refuse) }
    }

    private func end(
        _ link: LinkID, _ peer: (address: DeviceAddress, role: LinkRole)?, _ result: Result<CBBond, CBPairingError>
    ) {
        let (running, calls, waiting) = state.withLock { state in
            (
                state.running.removeValue(forKey: link), state.calls.removeValue(forKey: link) ?? [],
                state.waiting.removeValue(forKey: link) ?? []
            )
        }
        for request in running?.requests ?? [] { request.end() }
        for call in calls { call.finish(result.mapError { $0 }) }
        for waiting in waiting {
            if waiting.options.areMet(by: result) {
                waiting.call.finish(result.mapError { $0 })
            } else {
                begin(link, waiting.options, waiting.call)
            }
        }
        guard let (address, role) = peer else { return }
        let device = self.peer(address)
        tell(role) { $0.controller($1, didEndPairingWith: device, result: result) }
    }

    private func peer(_ address: DeviceAddress) -> CBPeer {
        CBPeer(address: address, identifier: host.directory.identifier(for: address))
    }

    /// False when there is no agent.
    @discardableResult
    private func tell(
        _ role: LinkRole, _ body: @escaping @Sendable (any CBPairingAgent, CBController) -> Void
    ) -> Bool {
        let (agent, controller, queue) = state.withLock { state in
            let side = state.side(for: role)
            return (UncheckedReference(value: side.agent), UncheckedReference(value: state.controller), side.queue)
        }
        guard let agent = agent.value, let controller = controller.value else { return false }
        let box = UncheckedReference(value: agent)
        queue.async { body(box.value, controller) }
        return true
    }
}

extension CBPairingRequest.Kind {
    init(_ question: PairingQuestion) {
        switch question {
        case .consent: self = .consent
        case .display(let passkey): self = .display(passkey: CBPasskey.digits(passkey))
        case .enterPasskey: self = .enterPasskey
        case .compare(let digits): self = .compare(digits: CBPasskey.digits(digits))
        }
    }
}

extension PairingAnswer {
    init(_ answer: CBPairingRequest.Answer) {
        switch answer {
        case .accept: self = .yes
        case .refuse: self = .no
        case .passkey(let passkey): self = .passkey(passkey.value)
        }
    }
}

extension CBPairingOptions {
    /// True if the result of an earlier pairing on the link makes a pairing with these options needless: the earlier
    /// pairing has satisfied the options, or has shown that the next one would fail as well.
    fileprivate func areMet(by result: Result<CBBond, CBPairingError>) -> Bool {
        switch result {
        case .success(let bond): bond.isAuthenticated || (requiresAuthentication != true && passkey == nil)
        case .failure(let error):
            switch error.code {
            // One call does not risk a wrong passkey twice. Core 5.4, Vol 3, Part H, 2.3.5.6.3.
            case .confirmationFailed, .timedOut, .disconnected, .notConnected, .notBonded: true
            default: false
            }
        }
    }
}
