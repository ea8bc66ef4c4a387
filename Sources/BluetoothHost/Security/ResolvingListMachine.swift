// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// Brings the controller's resolving list to its wanted state, one command at a time. Core 5.4, Vol 6, Part B, 6.
///
/// The list changes only while the controller neither advertises, scans nor initiates. The radio's plan pauses all
/// three uses while ``wantsPause(at:)`` holds. The host resolves the peers for which the controller has no room, or
/// which it refuses.
package struct ResolvingListMachine: Sendable {
    /// A peer with its Identity Resolving Key, and our key.
    package struct Entry: Hashable, Sendable {
        package let identity: DeviceAddress
        package let key: SecretKey
        /// Zeros: the controller makes no private addresses for us.
        package let localKey: SecretKey

        package init(identity: DeviceAddress, key: SecretKey, localKey: SecretKey = .zero) {
            self.identity = identity
            self.key = key
            self.localKey = localKey
        }
    }

    package enum Effect: Equatable, Sendable {
        case clear
        case add(Entry)
        /// The peer may use its identity address as well.
        case setDeviceMode(DeviceAddress)
        case remove(DeviceAddress)
        case setEnabled(Bool)
    }

    package static let retryDelay: Duration = .seconds(1)
    /// After this many refusals in a row, a refusal is final.
    package static let refusalLimit = 6

    /// The number of entries in the controller's list; 0: there is no list, or a useless list.
    package private(set) var capacity = 0
    /// The revision of the keys at the last ``want(_:revision:)``.
    package private(set) var revision: UInt64 = 0
    /// Our own key in the entries.
    package private(set) var localKey = SecretKey.zero
    /// Peers that the controller resolves.
    package private(set) var resolved: Set<DeviceAddress> = []
    private var wanted: [Entry] = []
    /// The controller's entries. The last entry may still be in network privacy mode.
    private var listed: [Entry] = []
    private var lacksMode = false
    /// The content of the list is unknown.
    private var isUnknown = true
    private var isEnabled = false
    /// Entries that the controller does not accept, or does not find.
    private var unfit: Set<Entry> = []
    private var command: Effect?
    private var step: Effect?
    private var retry: MonotonicTime?
    private var refusals = 0

    package init() {}

    /// The controller was set up anew. `capacity`: the size of its list, by its own claim.
    package mutating func restart(capacity: Int) {
        self = Self(keeping: self)
        self.capacity = capacity
        update()
    }

    private init(keeping old: Self) {
        (wanted, revision, localKey) = (old.wanted, old.revision, old.localKey)
    }

    /// Replaces the peers that the controller should resolve. If there are too many peers for the list, present entries
    /// stay. `localKey`: ours, for addresses that the controller makes for us.
    package mutating func want(_ entries: [Entry], localKey: SecretKey = .zero, revision: UInt64) {
        (self.revision, self.localKey) = (revision, localKey)
        wanted = entries.map { Entry(identity: $0.identity, key: $0.key, localKey: localKey) }
        unfit.formIntersection(wanted)
        update()
    }

    /// Towards peers of the list, the controller uses private addresses that it makes.
    package var makesAddresses: Bool { localKey != .zero && !resolved.isEmpty }

    package func resolves(_ identity: DeviceAddress) -> Bool { resolved.contains(identity) }

    /// The controller let an address of this peer pass unresolved. From now on, the host resolves this peer.
    package mutating func failed(_ identity: DeviceAddress) {
        unfit.formUnion(listed.filter { $0.identity == identity })
        update()
    }

    /// The controller does not answer. The list stays unchanged, and the host resolves all other peers.
    package mutating func giveUp() {
        capacity = 0
        update()
    }

    // MARK: Steps

    /// The radio has to be off for the next step, or for the step under way.
    package func wantsPause(at now: MonotonicTime) -> Bool {
        command != nil || step != nil && retry.map { $0 <= now } ?? true
    }

    /// When ``wantsPause(at:)`` should be asked again though nothing happened.
    package var deadline: MonotonicTime? { command == nil && step != nil ? retry : nil }

    /// The next command, if any; only while the radio is off. Ask again after its answer.
    package mutating func next(at now: MonotonicTime) -> Effect? {
        guard command == nil, wantsPause(at: now) else { return nil }
        retry = nil
        command = step
        return step
    }

    private mutating func update() {
        step = nextStep
        let ready = lacksMode ? listed.dropLast() : listed[...]
        resolved = isEnabled ? Set(ready.filter { !unfit.contains($0) }.map(\.identity)) : []
    }

    private var nextStep: Effect? {
        guard capacity > 0 else { return nil }
        let fit = wanted.filter { !unfit.contains($0) }
        if isUnknown { return fit.isEmpty ? nil : .clear }
        let wishes = Set(fit)
        let kept = listed.filter(wishes.contains)
        let target = kept + fit.filter { !kept.contains($0) }.prefix(max(0, capacity - kept.count))
        guard kept.count < listed.count || target.count > kept.count || lacksMode else {
            return isEnabled == target.isEmpty ? .setEnabled(!target.isEmpty) : nil
        }
        if isEnabled { return .setEnabled(false) }
        if let stale = listed.first(where: { !wishes.contains($0) }) { return .remove(stale.identity) }
        if lacksMode, let last = listed.last { return .setDeviceMode(last.identity) }
        return target.first { !listed.contains($0) }.map { .add($0) }
    }

    /// Takes the status of the command from ``next(at:)``.
    package mutating func answered(_ status: HCIStatus, at now: MonotonicTime) {
        guard let command else { return }
        self.command = nil
        if status == .success {
            refusals = 0
            succeeded(command)
        } else {
            refused(command, status, at: now)
        }
        update()
    }

    private mutating func succeeded(_ command: Effect) {
        switch command {
        case .clear: (listed, lacksMode, isUnknown) = ([], false, false)
        case .add(let entry):
            listed.append(entry)
            lacksMode = true
        case .setDeviceMode: lacksMode = false
        case .remove(let identity):
            if listed.last?.identity == identity { lacksMode = false }
            listed.removeAll { $0.identity == identity }
        case .setEnabled(let isOn): isEnabled = isOn
        }
    }

    private mutating func refused(_ command: Effect, _ status: HCIStatus, at now: MonotonicTime) {
        refusals += 1
        let mayPass = status == .commandDisallowed || status == .controllerBusy
        if mayPass, refusals < Self.refusalLimit {
            retry = now + Self.retryDelay
            return
        }
        switch command {
        case .add where status == .memoryCapacityExceeded: capacity = listed.count
        case .add(let entry): unfit.insert(entry)
        // In network privacy mode, the peer would not be heard under its identity address.
        case .setDeviceMode: unfit.formUnion(listed.suffix(1))
        case .remove where status == .unknownConnectionIdentifier: succeeded(command)
        // The list can no longer be changed or switched, so it stays unchanged.
        case .clear, .remove, .setEnabled: capacity = 0
        }
    }
}
