// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Gateway
import Health
import Logging
import Synchronization

/// Lets phones pair while the window is open. Owns the controller's pairing policy and agent for devices that connect
/// to the gateway, but not for sensors.
///
/// ``WindowMachine`` decides. One serial queue carries its effects out in order, and waits for the disk where an effect
/// requires it.
package final class WindowKeeper: PairingWindow {
    package struct Parts: Sendable {
        package var controller: CBController
        /// nil: all state ends with the process, and there is no label.
        package var store: LabelStore?
        package var limits: WindowMachine.Limits
        package var monitor: MonitorProbe
        /// Gives the gateway a new identity address. All bonds of the old address end.
        package var changeIdentity: @Sendable () async -> Void
        package var makePasskey: @Sendable () -> String

        package init(
            controller: CBController, store: LabelStore?, limits: WindowMachine.Limits = WindowMachine.Limits(),
            monitor: MonitorProbe = MonitorProbe(), changeIdentity: @escaping @Sendable () async -> Void = {},
            makePasskey: @escaping @Sendable () -> String = WindowKeeper.randomPasskey
        ) {
            self.controller = controller
            self.store = store
            self.limits = limits
            self.monitor = monitor
            self.changeIdentity = changeIdentity
            self.makePasskey = makePasskey
        }
    }

    /// Events of the window, for a person who watches.
    package enum Notice: Equatable, Sendable {
        case state(WindowState)
        case began
        /// Answer with ``WindowKeeper/answerComparison(_:)``.
        case compare(digits: String)
        case ended(WindowMachine.Outcome, String)
    }

    struct Inside {
        var machine: WindowMachine
        var state = WindowState()
        var watchers: [Int: @Sendable (Notice) -> Void] = [:]
        var lastWatcher = 0
        var request: CBPairingRequest?
        var outOfBand: CBOutOfBandData?
        var dialogues = 0
        var comparers = 0
        var hasMonitor = false
        var timer: (any DispatchSourceTimer)?
        var isStopped = false
    }

    /// Time between two checks for a monitor.
    private static let monitorInterval: Duration = .seconds(2)

    let parts: Parts
    let logger: Logger
    let queue = DispatchQueue(label: "martlet.window")
    private let notices = DispatchQueue(label: "martlet.window.notices")
    let inside: Mutex<Inside>

    package init(isProvisioned: Bool, _ parts: Parts, logger: Logger) {
        self.parts = parts
        self.logger = logger
        var (label, trouble): (LabelRecord?, String?) = (nil, nil)
        do throws(LabelStore.Trouble) {
            label = try parts.store?.load()
        } catch {
            trouble = Advice.here("the record of the label's passkey is damaged; run: \(.martlet(.provisionLabel))")
            logger.error("the label's passkey is void: its record cannot be read", metadata: ["error": "\(error)"])
        }
        inside = Mutex(
            Inside(
                machine: WindowMachine(
                    isProvisioned: isProvisioned, label: label, labelTrouble: trouble, limits: parts.limits)))
    }

    package static func randomPasskey() -> String {
        let digits = String(UInt32.random(in: 0...999_999))
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    package func start() {
        parts.controller.setPeripheralPairingAgent(self, queue: queue)
        parts.controller.peripheralPairingPolicy = policy(nil)
        queue.sync {
            perform { $0.start(at: $1) }
            lookForMonitor()
        }
        parts.controller.watchConnectedCentrals { [weak self] count in
            self?.queue.async { [weak self] in self?.perform { $0.setHasCentrals(count > 0, at: $1) } }
        }
    }

    /// Closes the window, and gives an unused attempt back to the label.
    package func stop() {
        queue.sync {
            perform { $0.close(at: $1) }
            inside.withLock { inside in
                inside.isStopped = true
                inside.timer?.cancel()
                inside.timer = nil
            }
        }
        parts.controller.setPeripheralPairingAgent(nil)
    }

    // MARK: PairingWindow

    package var state: WindowState { inside.withLock { $0.state } }
    package func open(by opener: WindowState.Opener) { open(by: opener, for: nil) }

    package func open(by opener: WindowState.Opener, for duration: Duration?) {
        queue.sync {
            lookForMonitor()
            perform { $0.open(by: opener, for: duration, at: $1) }
        }
    }

    package func close() { queue.sync { perform { $0.close(at: $1) } } }

    package func setProvisioned(_ isProvisioned: Bool) {
        queue.sync { perform { $0.setProvisioned(isProvisioned, at: $1) } }
    }

    package func observe(_ observer: @escaping @Sendable (WindowState) -> Void) -> WindowObservation {
        watch { if case .state(let state) = $0 { observer(state) } }
    }

    /// Begins with the present state.
    package func watch(_ watcher: @escaping @Sendable (Notice) -> Void) -> WindowObservation {
        let number = inside.withLock { inside in
            inside.lastWatcher += 1
            inside.watchers[inside.lastWatcher] = watcher
            let state = inside.state
            notices.async { watcher(.state(state)) }
            return inside.lastWatcher
        }
        return WindowObservation { [weak self] in
            self?.inside.withLock { _ = $0.watchers.removeValue(forKey: number) }
        }
    }

    // MARK: Screens

    /// A person watches a terminal. `compares`: the person also confirms whether a phone shows the same digits.
    package func addDialogue(compares: Bool) { changeDialogues(by: 1, compares: compares) }
    package func removeDialogue(compares: Bool) { changeDialogues(by: -1, compares: compares) }

    private func changeDialogues(by count: Int, compares: Bool) {
        queue.sync {
            inside.withLock { inside in
                inside.dialogues += count
                inside.comparers += compares ? count : 0
            }
            setScreens()
        }
    }

    private func lookForMonitor() {
        let isThere = parts.monitor.isThere
        inside.withLock { $0.hasMonitor = isThere }
        setScreens()
    }

    private func setScreens() {
        let screens = inside.withLock { inside -> WindowMachine.Screens in
            var screens: WindowMachine.Screens = []
            if inside.dialogues > 0 { screens.insert(.dialogue) }
            if inside.hasMonitor { screens.insert(.monitor) }
            return screens
        }
        perform { $0.setScreens(screens, at: $1) }
    }

    // MARK: Carrying out

    func perform(_ change: (inout WindowMachine, ContinuousClock.Instant) -> [WindowMachine.Effect]) {
        var effects = inside.withLock { $0.isStopped ? [] : change(&$0.machine, ContinuousClock.now) }[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .makePasskey:
                let passkey = Secret(parts.makePasskey())
                effects += inside.withLock { $0.machine.supply(passkey, at: ContinuousClock.now) }
            case .keep(let record):
                guard !save(record) else { continue }
                effects = inside.withLock { $0.machine.diskFailed(at: ContinuousClock.now) }[...]
            case .refuse: parts.controller.peripheralPairingPolicy = policy(nil)
            case .admit(let passkey): parts.controller.peripheralPairingPolicy = policy(passkey)
            case .tell: reportState()
            }
        }
        schedule()
    }

    private func save(_ record: LabelRecord) -> Bool {
        guard let store = parts.store else { return false }
        do {
            try store.save(record)
            return true
        } catch {
            logger.error("the record of the label's passkey is not written", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// nil: no phone may pair.
    private func policy(_ passkey: Secret?) -> CBPairingPolicy {
        let (compares, usesLabel) = inside.withLock { ($0.comparers > 0, $0.machine.label?.isAtRisk == true) }
        var policy = CBPairingPolicy()
        policy.capability = compares ? .displayAndConfirmation : .display
        policy.models = compares ? [.passkeyEntry, .numericComparison] : [.passkeyEntry]
        policy.requiresAuthentication = true
        policy.replacement = .unlessWeaker
        var outOfBand: CBOutOfBandData?
        if let passkey, let digits = CBPasskey(passkey.revealed) {
            policy.incoming = .open
            policy.nextPasskey = digits
            // A label cannot carry data that is good for only one attempt.
            if !usesLabel {
                outOfBand = CBOutOfBandData()
                policy.models.insert(.outOfBand)
                policy.outOfBandData = outOfBand
            }
        }
        inside.withLock { $0.outOfBand = outOfBand }
        return policy
    }

    private func reportState() {
        let state = inside.withLock { inside in
            inside.state = inside.machine.state
            return inside.state
        }
        logger.debug(
            "pairing window changed",
            metadata: ["open": "\(state.isOpen)", "failures": "\(state.failures)"])
        tell(.state(state))
    }

    func tell(_ notice: Notice) {
        let watchers = inside.withLock { $0.watchers.values.map { $0 } }
        notices.async { for watcher in watchers { watcher(notice) } }
    }

    /// Schedules the next check of the time and the monitor.
    private func schedule() {
        inside.withLock { inside in
            inside.timer?.cancel()
            inside.timer = nil
            guard inside.machine.isOpen, !inside.isStopped else { return }
            let next = ContinuousClock.now + Self.monitorInterval
            let left = ContinuousClock.now.duration(to: min(inside.machine.deadline ?? next, next))
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in
                self?.lookForMonitor()
                self?.perform { $0.timePassed(at: $1) }
            }
            timer.schedule(deadline: .now() + .milliseconds(Int(clamping: max(0, left.wholeMilliseconds) + 1)))
            inside.timer = timer
            timer.activate()
        }
    }
}
