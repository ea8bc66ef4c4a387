// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// Keeps the controller's resolving list as it should be, one command at a time. Core 5.4, Vol 6, Part B, 6.
///
/// The list changes only while the controller neither advertises, scans nor initiates: the radio's plan pauses all of
/// that while ``wantsPause(at:)`` holds. Whom the controller does not resolve, because there is no room or because it
/// refuses, the host resolves.
package struct ResolvingListMachine: Sendable {
    /// A peer with its Identity Resolving Key, and ours.
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
    /// Refusals in a row that may pass.
    package static let refusalLimit = 6

    /// Entries that the controller has room for; 0: it has no list, or one that is of no use.
    package private(set) var capacity = 0
    /// Which keys ``want(_:revision:)`` was told last.
    package private(set) var revision: UInt64 = 0
    /// Our own key in the entries.
    package private(set) var localKey = SecretKey.zero
    /// The controller resolves these.
    package private(set) var resolved: Set<DeviceAddress> = []
    private var wanted: [Entry] = []
    /// What the controller has. The last one may still be in network privacy mode.
    private var listed: [Entry] = []
    private var lacksMode = false
    /// Nobody knows what is in the list.
    private var isUnknown = true
    private var isEnabled = false
    /// What the controller does not take, or does not find.
    private var unfit: Set<Entry> = []
    private var command: Effect?
    private var step: Effect?
    private var retry: MonotonicTime?
    private var refusals = 0

    package init() {}

    /// The controller was set up anew. `capacity`: what it says of its list.
    package mutating func restart(capacity: Int) {
        self = Self(keeping: self)
        self.capacity = capacity
        update()
    }

    private init(keeping old: Self) {
        (wanted, revision, localKey) = (old.wanted, old.revision, old.localKey)
    }

    /// Replaces whom the controller should resolve; of more than it has room for, those that it has already stay.
    /// `localKey`: ours, for the addresses that it makes for us.
    package mutating func want(_ entries: [Entry], localKey: SecretKey = .zero, revision: UInt64) {
        (self.revision, self.localKey) = (revision, localKey)
        wanted = entries.map { Entry(identity: $0.identity, key: $0.key, localKey: localKey) }
        unfit.formIntersection(wanted)
        update()
    }

    /// Towards those that it resolves, the controller is on the air with addresses that it makes.
    package var makesAddresses: Bool { localKey != .zero && !resolved.isEmpty }

    package func resolves(_ identity: DeviceAddress) -> Bool { resolved.contains(identity) }

    /// The controller let an address of this peer pass unresolved: the host does it from now on.
    package mutating func failed(_ identity: DeviceAddress) {
        unfit.formUnion(listed.filter { $0.identity == identity })
        update()
    }

    /// The controller does not answer: the list stays as it is, and whom it does not resolve, the host resolves.
    package mutating func giveUp() {
        capacity = 0
        update()
    }

    // MARK: Steps

    /// The radio has to be off for the next step, or for the one that is under way.
    package func wantsPause(at now: MonotonicTime) -> Bool {
        command != nil || step != nil && retry.map { $0 <= now } ?? true
    }

    /// When ``wantsPause(at:)`` should be asked again though nothing happened.
    package var deadline: MonotonicTime? { command == nil && step != nil ? retry : nil }

    /// What to do now, if anything; only while the radio is off. After an effect, ask again once it was answered.
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

    /// Takes the status of the command that ``next(at:)`` asked for.
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
        // In network privacy mode it would not be heard under its identity address.
        case .setDeviceMode: unfit.formUnion(listed.suffix(1))
        case .remove where status == .unknownConnectionIdentifier: succeeded(command)
        // What is in the list, or whether it is on, does not change any more: it stays as it is.
        case .clear, .remove, .setEnabled: capacity = 0
        }
    }
}
