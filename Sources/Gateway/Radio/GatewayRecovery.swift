// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Configuration
import Dispatch
import Foundation
import Glibc
import HCITransport
import Synchronization

/// Takes the steps against a dead radio that the host cannot take by itself, within the configured limit.
final class GatewayRecovery: RecoveryHelper {
    private struct State {
        var book: RecoveryBook
        var restart: (@Sendable () -> Void)?
    }

    /// The adapter; nil for a controller that is not the kernel's.
    private let index: UInt16?
    private let limit: RecoveryStep
    /// The path of the helper's socket; nil without a helper.
    private let socket: String?
    private let folder: String
    private let disk: any ConfigurationDisk
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "martlet.radio.recovery")

    init(
        controller: String, limit: RecoveryStep, socket: String?, stateDirectory: String, disk: any ConfigurationDisk
    ) {
        if case .hci(let index) = TransportAddress(controller) { self.index = index } else { index = nil }
        self.limit = limit
        self.socket = socket.flatMap { $0.isEmpty ? nil : $0 }
        self.disk = disk
        folder = stateDirectory
        state = Mutex(State(book: RecoveryBook(disk, Self.path(in: stateDirectory))))
    }

    private static func path(in folder: String) -> String { folder + "/recoveries.json" }
    private var path: String { Self.path(in: folder) }

    /// Sets the callback that ends the process for a restart.
    func onRestart(_ restart: @escaping @Sendable () -> Void) { state.withLock { $0.restart = restart } }

    var available: Set<RecoveryStep> {
        let hasHelper = socket.map { access($0, F_OK) == 0 } ?? false
        let now = Int64(time(nil))
        let steps: [RecoveryStep] = [.power, .rebind, .process, .reboot]
        return state.withLock { state in
            Set(
                steps.filter { step in
                    guard step <= limit else { return false }
                    return switch step {
                    case .power, .rebind: hasHelper && index != nil
                    case .process: state.restart != nil && hasBudget(step, state.book, now)
                    case .reboot: hasHelper && hasBudget(step, state.book, now)
                    case .scan, .reset, .reopen: false
                    }
                })
        }
    }

    private func hasBudget(_ step: RecoveryStep, _ book: RecoveryBook, _ now: Int64) -> Bool {
        book.count(step.rawValue, at: now) < step.daily
    }

    func perform(_ step: RecoveryStep, done: @escaping @Sendable (String?) -> Void) {
        queue.async { [self] in done(perform(step)) }
    }

    private func perform(_ step: RecoveryStep) -> String? {
        switch step {
        case .power, .rebind:
            guard let socket, let index else { return "the controller is no adapter of the kernel's" }
            return RadioHelper.ask(step == .power ? .power(index) : .rebind(index), at: socket)
        case .process:
            guard let restart = state.withLock({ $0.restart }) else { return "no service would restart the gateway" }
            guard let failure = enter(step) else {
                restart()
                return nil
            }
            return failure
        case .reboot:
            guard let socket else { return "no helper may restart the machine" }
            return enter(step) ?? RadioHelper.ask(.reboot, at: socket)
        case .scan, .reset, .reopen: return "the host takes that step"
        }
    }

    /// Records a step on disk before the gateway takes it. Returns nil, or the reason why the record failed; without a
    /// record there is no step.
    private func enter(_ step: RecoveryStep) -> String? {
        let book = state.withLock { state in
            state.book.record(step.rawValue, at: Int64(time(nil)))
            return state.book
        }
        do {
            try disk.replace(path, with: Array(JSONEncoder().encode(book)), in: folder)
            return nil
        } catch {
            return "\(path), where it has to be written first: \(error)"
        }
    }
}
