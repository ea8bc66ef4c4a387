// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Connects to every pending peer at once. The Filter Accept List holds the peers, and one Create Connection waits for
/// the first peer heard. While the list is not ready, a peer heard just now is connected to directly. If the controller
/// refuses its list, each peer gets a direct attempt in turn. No attempt ever times out towards the client.
package struct InitiatorMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case addToList(DeviceAddress)
        case removeFromList(DeviceAddress)
        case clearList
        case create(InitiatorTarget)
        case cancel
    }

    /// The controller refused a command.
    package struct Refusal: Equatable, Sendable {
        package let effect: Effect
        package let status: HCIStatus
        /// The controller will refuse the command again.
        package let isFinal: Bool
        /// The other uses of the radio are the cause.
        package var isOfCombination = false
    }

    /// A sighting is fresh for this long.
    package static let freshness: Duration = .seconds(2)
    /// How long a direct connection may take.
    package static let directTimeout: Duration = .seconds(3)
    /// If there are more pending peers than list entries, each share of the peers has the list for this long.
    package static let rotationInterval: Duration = .seconds(10)
    /// The pause after a refusal that may pass.
    package static let retryDelay: Duration = .milliseconds(500)
    /// Limits of refusals in a row that may pass: for the list and for a cancel, and for an attempt. An attempt may be
    /// refused while the last attempt still ends.
    package static let refusalLimit = 3
    package static let creationRefusalLimit = 6
    /// The pause after a final refusal. Each further refusal doubles it, up to `lastPause`.
    package static let firstPause: Duration = .seconds(30)
    package static let lastPause: Duration = .seconds(600)

    private enum Phase: Equatable {
        case idle
        /// A command is on its way.
        case commanding(Effect)
        case initiating(InitiatorTarget)
        /// Cancelled; the Connection Complete is still to come.
        case cancelling
        /// Connection Complete overtook the answer to the last command, which is still to come.
        case settling
    }

    /// Peers to connect to, in turn.
    package private(set) var pending: [DeviceAddress] = []
    /// The radio is needed for another use.
    package private(set) var isSuspended = false
    private var phase = Phase.idle
    private var listed: [DeviceAddress] = []
    private var isListKnown = false
    /// The number of peers that have their turn together.
    private var capacity: Int
    /// The controller refuses its list.
    private var isListless: Bool
    /// Peers are removed from the list one by one; otherwise the list is cleared and made anew.
    private var canRemove: Bool
    private var listRefusals = 0
    private var creationRefusals = 0
    /// Refused attempts in a row beside other uses of the radio.
    private var refusalsInCompany = 0
    private var cancelRefusals = 0
    /// The attempt being cancelled.
    private var cancelled: InitiatorTarget?
    private var sighted: [DeviceAddress: MonotonicTime] = [:]
    /// The end of a direct attempt, of a share of the list, or of a pause after an error.
    private var phaseEnd: MonotonicTime?

    /// The radio is needed for another use, or free again.
    package mutating func suspend(_ isSuspended: Bool) { self.isSuspended = isSuspended }

    /// `capacity`: entries of the controller's Filter Accept List. `isListless`, `canRemove`: known limits of the list
    /// commands.
    package init(capacity: Int, isListless: Bool = false, canRemove: Bool = true) {
        self.capacity = isListless ? 1 : max(1, capacity)
        (self.isListless, self.canRemove) = (isListless, canRemove)
    }

    package var isInitiating: Bool {
        switch phase {
        case .initiating, .cancelling, .commanding(.create), .commanding(.cancel): true
        case .idle, .settling, .commanding: false
        }
    }

    package var wantsRadio: Bool { !pending.isEmpty }

    /// When ``next(at:)`` should be asked again though nothing happened.
    package var deadline: MonotonicTime? {
        switch phase {
        case .idle: pending.isEmpty || isSuspended ? nil : phaseEnd
        case .initiating: phaseEnd
        // The controller's answer decides about the next step, not the time.
        case .commanding, .cancelling, .settling: nil
        }
    }

    package mutating func want(_ address: DeviceAddress) {
        if !pending.contains(address) { pending.append(address) }
    }

    package mutating func unwant(_ address: DeviceAddress) {
        pending.removeAll { $0 == address }
        sighted.removeValue(forKey: address)
    }

    package mutating func sighted(_ address: DeviceAddress, at now: MonotonicTime) {
        if pending.contains(address) { sighted[address] = now }
    }

    /// The next command, if any. Ask again after its answer.
    package mutating func next(at now: MonotonicTime) -> Effect? {
        let effect: Effect?
        switch phase {
        case .commanding, .cancelling, .settling:
            effect = nil
        case .initiating(let target):
            if cancelRefusals > 0, let end = phaseEnd, end > now { return nil }
            effect = shouldCancel(target, at: now) ? .cancel : nil
            if effect != nil { cancelled = target }
        case .idle:
            if let end = phaseEnd, end > now { return nil }
            phaseEnd = nil
            effect = isSuspended || pending.isEmpty ? nil : begin(at: now)
        }
        if let effect { phase = .commanding(effect) }
        return effect
    }

    private func shouldCancel(_ target: InitiatorTarget, at now: MonotonicTime) -> Bool {
        if isSuspended || pending.isEmpty { return true }
        if let end = phaseEnd, end <= now { return true }
        switch target {
        case .peer(let address): return !pending.contains(address)
        case .filterAcceptList: return Set(share) != Set(listed)
        }
    }

    /// The pending peers that have their turn in the list.
    private var share: ArraySlice<DeviceAddress> { pending.prefix(capacity) }

    private mutating func begin(at now: MonotonicTime) -> Effect {
        if isListless, let first = pending.first {
            return .create(.peer(pending.first { isFresh($0, at: now) } ?? first))
        }
        guard isListKnown else { return .clearList }
        let share = Set(share)
        let isListReady = share == Set(listed)
        if !isListReady, let fresh = pending.first(where: { isFresh($0, at: now) }) { return .create(.peer(fresh)) }
        if let stale = listed.first(where: { !share.contains($0) }) {
            return canRemove ? .removeFromList(stale) : .clearList
        }
        if let missing = pending.prefix(capacity).first(where: { !listed.contains($0) }) {
            return .addToList(missing)
        }
        return .create(.filterAcceptList)
    }

    private func isFresh(_ address: DeviceAddress, at now: MonotonicTime) -> Bool {
        guard let seen = sighted[address] else { return false }
        return now - seen <= Self.freshness
    }

    /// Takes the status of the command from ``next(at:)``. `isAlone`: no other use of the radio can be the reason for a
    /// refusal. `hasLinks`: the controller may be at its limit of links.
    @discardableResult
    package mutating func answered(
        _ status: HCIStatus, isAlone: Bool = true, hasLinks: Bool = true, at now: MonotonicTime
    ) -> Refusal? {
        if phase == .settling { phase = .idle }
        guard case .commanding(let effect) = phase else { return nil }
        phase = .idle
        guard status == .success else {
            let isFull = hasLinks && ConnectionWishes.isLimit(status)
            return refused(effect, status, isAlone: isAlone, isFull: isFull, at: now)
        }
        switch effect {
        case .clearList:
            listed = []
            isListKnown = true
        case .addToList(let address):
            listed.append(address)
            listRefusals = 0
        case .removeFromList(let address): listed.removeAll { $0 == address }
        case .create(let target):
            phase = .initiating(target)
            (creationRefusals, refusalsInCompany) = (0, 0)
            switch target {
            // No other peer is waited for meanwhile, so each peer has as long as a share of the list.
            case .peer where isListless: phaseEnd = pending.count > 1 ? now + Self.rotationInterval : nil
            case .peer: phaseEnd = now + Self.directTimeout
            case .filterAcceptList: phaseEnd = pending.count > capacity ? now + Self.rotationInterval : nil
            }
        case .cancel:
            phase = .cancelling
            cancelRefusals = 0
        }
        return nil
    }

    private mutating func refused(
        _ effect: Effect, _ status: HCIStatus, isAlone: Bool, isFull: Bool, at now: MonotonicTime
    ) -> Refusal? {
        func isFinal(_ refusals: Int) -> Bool { !status.mayPass || refusals >= Self.refusalLimit }
        switch effect {
        case .cancel:
            guard status != .commandDisallowed, let target = cancelled else {
                // Nothing to cancel any more: the Connection Complete came first.
                phaseEnd = nil
                return nil
            }
            // The attempt goes on.
            (phase, phaseEnd) = (.initiating(target), now + Self.retryDelay)
            cancelRefusals += 1
            return Refusal(effect: effect, status: status, isFinal: isFinal(cancelRefusals))
        case .removeFromList(let address) where status.mayPass || status == .unknownConnectionIdentifier:
            listed.removeAll { $0 == address }
            return nil
        case .removeFromList:
            // Without the removal, the host would connect to the peer again and again.
            (canRemove, isListKnown) = (false, false)
            return nil
        case .addToList where status == .memoryCapacityExceeded && !listed.isEmpty:
            // The list has less room than the controller has said.
            capacity = listed.count
            return nil
        case .addToList, .clearList:
            // The content of the controller's list is uncertain now. Begin anew after a pause, or go without the list.
            isListKnown = false
            listRefusals += 1
            isListless = isFinal(listRefusals)
            if isListless { capacity = 1 } else { phaseEnd = now + Self.retryDelay }
            return nil
        case .create:
            isListKnown = false
            // Beside other uses, the combination is at fault, and is learned as a combination. A controller at its
            // limit of links is learned too.
            let counts = !status.mayPass || isAlone && !isFull
            if counts { creationRefusals += 1 }
            if !isAlone, !isFull { refusalsInCompany += 1 }
            let isFinal = counts && (!status.mayPass || creationRefusals >= Self.creationRefusalLimit)
            if isFinal { creationRefusals = max(creationRefusals, Self.creationRefusalLimit) }
            let doublings = min(max(0, creationRefusals - Self.creationRefusalLimit), 6)
            phaseEnd = now + (isFinal ? min(Self.firstPause * (1 << doublings), Self.lastPause) : Self.retryDelay)
            return Refusal(
                effect: effect, status: status, isFinal: isFinal,
                isOfCombination: !isAlone && !isFull && status.isOfCombination(after: refusalsInCompany))
        }
    }

    /// The next attempt need not wait for the end of a pause, because it will be another command.
    package mutating func startAnew() {
        guard phase == .idle else { return }
        (creationRefusals, refusalsInCompany, phaseEnd) = (0, 0, nil)
    }

    /// Takes LE Connection Complete, whatever its status.
    package mutating func completed(_ status: HCIStatus, peer: DeviceAddress, at now: MonotonicTime) {
        if case .initiating(.peer(let address)) = phase { sighted.removeValue(forKey: address) }
        let wasCancelled = phase == .cancelling || phase == .commanding(.cancel)
        if case .commanding = phase { phase = .settling } else { phase = .idle }
        phaseEnd = nil
        // The controller does connect. A command disallowed now only came too early.
        (creationRefusals, refusalsInCompany) = (0, 0)
        if status == .success {
            unwant(peer)
        } else if wasCancelled {
            rotate()
        } else if status == .connectionFailedToBeEstablished {
            // The peer was there a moment ago, and most connections succeed at the second try. Other peers need not
            // wait for a pause. ``ConnectionWishes`` counts the failures and ends the attempts.
        } else {
            phaseEnd = now + Self.retryDelay
        }
    }

    private mutating func rotate() {
        sighted.removeAll()
        guard pending.count > capacity else { return }
        let first = pending.prefix(capacity)
        pending.removeFirst(capacity)
        pending.append(contentsOf: first)
    }
}
