// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Gateway
import Logging
import NetworkControl
import Operations
import Platform
import Synchronization

/// Applies changes, restores former settings, and resets to factory settings.
extension ProvisioningService {
    /// Begins to apply. Notifications report the progress. Applying continues after the phone has gone.
    func apply(by phone: String) async throws(WriteRefusal) {
        do throws(OperationError) { try phones.admit(.settingsApply) } catch { throw WriteRefusal(error) }
        let settings = await settings(isFresh: true)
        let beginning = state.withLock { state -> Result<Result<ApplyPlan, WriteRefusal>, WriteRefusal> in
            guard !state.isApplying else { return .failure(.applying) }
            let staged = state.staging.changes(of: phone)
            guard !staged.isEmpty else {
                return .failure(
                    state.staging.isEmpty
                        ? WriteRefusal(.nothingThere, "There is nothing to apply: write settings first.")
                        : WriteRefusal(.busy, "Another phone has changes that wait for Apply."))
            }
            state.isApplying = true
            do throws(WriteRefusal) {
                return .success(.success(try staged.plan(for: settings)))
            } catch {
                return .success(.failure(error))
            }
        }
        switch try beginning.get() {
        case .success(let plan):
            work { service in
                let runner = ApplyRunner(
                    operations: service.parts.operations, network: service.parts.network, logger: service.logger)
                let last = LastLine()
                let outcome = await runner.run(plan) { message in
                    // The last line is sent after all its effects: a phone may act on it at once.
                    if message.step == .done || message.step == .rolledBack {
                        last.message = message
                    } else {
                        service.tell(message)
                    }
                }
                guard let outcome else { return }
                await service.applied(outcome)
                if let message = last.message { service.tell(message) }
            }
        case .failure(let refusal):
            tell(ProgressMessage(.check, .running, limit: Int(ApplyMachine.limit(of: .check).components.seconds)))
            tell(ProgressMessage(.check, .failed, reason: "not-valid", text: refusal.text))
            state.withLock { $0.isApplying = false }
            tell(ProgressMessage(.rolledBack, .done))
        }
        sendStatusSoon()
    }

    private func applied(_ outcome: ApplyMachine.Outcome) async {
        state.withLock { state in
            state.isApplying = false
            if outcome == .kept { state.staging.clear() }
        }
        _ = await settings(isFresh: true)
        sendStatusSoon()
    }

    private func tell(_ message: ProgressMessage) {
        state.withLock { $0.progress = message }
        sender.add(message.line, to: .apply)
    }

    func rollBack(_ what: String, by phone: String) async throws(WriteRefusal) {
        switch what {
        case "staged":
            try state.withLock { state -> Result<Void, WriteRefusal> in
                guard !state.isApplying else { return .failure(.applying) }
                guard !state.staging.isEmpty else {
                    return .failure(WriteRefusal(.nothingThere, "Nothing waits for Apply."))
                }
                guard !state.staging.changes(of: phone).isEmpty else {
                    return .failure(WriteRefusal(.busy, "Another phone's changes wait for Apply."))
                }
                state.staging.clear()
                return .success(())
            }.get()
        case "applied": try await undo()
        default: throw WriteRefusal(.notValid, "Write “staged” or “applied”.")
        }
        sendStatusSoon()
    }

    private func undo() async throws(WriteRefusal) {
        let before = await settings(isFresh: true)
        guard before.canUndo else {
            throw WriteRefusal(.nothingThere, "There is nothing to go back to.")
        }
        let isFree = state.withLock { state in
            defer { state.isApplying = true }
            return !state.isApplying
        }
        guard isFree else { throw .applying }
        defer { state.withLock { $0.isApplying = false } }
        let present = before.keptNetwork
        do throws(OperationError) {
            let former = try await phones.ask(OperationTable.settingsUndo).network
            // The network of that time was deleted when the present one was settled; without this one there would be none.
            if former != present { try await parts.operations.keep(network: present ?? "") }
        } catch {
            throw WriteRefusal(error)
        }
        _ = await settings(isFresh: true)
    }

    /// The answer goes first, because the reset ends the connection.
    func resetToFactory() throws(WriteRefusal) {
        do throws(OperationError) { try phones.admit(.factoryReset) } catch { throw WriteRefusal(error) }
        let isFree = state.withLock { state in
            defer { state.isApplying = true }
            return !state.isApplying
        }
        guard isFree else { throw .applying }
        logger.notice("a phone resets the gateway to the factory's settings")
        work { service in
            guard await Waiting.pause(for: service.limits.farewell) else { return }
            do throws(NetworkFailure) {
                try await service.parts.network.settle(nil)
            } catch {
                service.logger.error("the networks are not forgotten", metadata: ["reason": "\(error.rawValue)"])
            }
            // Before the process ends: phones with keys for the gateway see a new device, instead of a device that lost
            // their keys.
            await service.parts.changeIdentity()
            do throws(OperationError) {
                try await service.phones.ask(.factoryReset)
            } catch {
                service.logger.error("the gateway is not reset", metadata: ["error": "\(error)"])
            }
            service.state.withLock { state in
                state.isApplying = false
                state.staging.clear()
            }
        }
    }

    /// Only one task uses this object.
    private final class LastLine: @unchecked Sendable {
        var message: ProgressMessage?
    }
}
