// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Health
import Logging
import Operations
import Platform
import Readings
import Synchronization

extension GatewayService {
    /// The gateway runs in a flashed image of this version: `martlet update` may report updates, and clients can ask
    /// for them.
    ///
    /// - Parameter helper: The path of the socket of ``UpdateHelper``; nil if no helper installs updates.
    package func keepUpdates(ofImage version: String, helper: String?) {
        let keeper = UpdateKeeper(installed: version, journal: journal)
        updates.withLock { $0 = UpdatePart(keeper: keeper, helper: helper) }
        guard helper != nil, configuration.update.url != nil, configuration.update.looksDaily else { return }
        UpdateLooks.begin { [weak self] in
            guard let self else { return false }
            do throws(OperationError) {
                try update(.check)
            } catch {
                logger.notice("could not look for an update", metadata: ["cause": "\(error)"])
            }
            return true
        }
    }

    /// Nil if the gateway was not flashed.
    package var imageUpdate: ImageUpdate? { updates.withLock { $0?.keeper }?.update(at: .now) }

    /// Clients may request the installation of updates.
    package var canUpdate: Bool {
        configuration.update.url != nil && updates.withLock { $0?.helper != nil }
    }

    /// Looks for an update, or installs the update and restarts the machine. Does not wait: ``imageUpdate`` shows the
    /// progress.
    package func update(_ action: UpdateAction) throws(OperationError) {
        guard let part = updates.withLock({ $0 }) else {
            throw OperationError(.refused, "this gateway runs in no flashed image: its package is updated with apt")
        }
        guard configuration.update.url != nil else {
            throw OperationError(
                .refused, "the configuration does not say where updates are: give it \"url\" in [update]")
        }
        guard let helper = part.helper else {
            throw OperationError(
                .refused, Advice.here("this gateway has no helper for updates: run «\(.machine(.update))» on it"))
        }
        guard part.keeper.begin(at: .now) else {
            throw OperationError(.busy, "an update is being looked at or installed already")
        }
        do throws(OperationError) {
            try UpdateHelper.ask(for: action, at: helper)
        } catch {
            part.keeper.record(UpdateReport(.failed, error: error.description), at: .now)
            throw error
        }
        logger.notice("asked for an update", metadata: ["command": "\(action.rawValue)"])
    }

    func record(_ report: UpdateReport) throws(OperationError) -> ImageUpdate {
        guard let keeper = updates.withLock({ $0?.keeper }) else {
            throw OperationError(.refused, "this gateway runs in no flashed image")
        }
        keeper.record(report, at: .now)
        return keeper.update(at: .now)
    }
}

/// State and helper of image updates.
struct UpdatePart: Sendable {
    var keeper: UpdateKeeper
    /// The path of the helper's socket.
    var helper: String?
}

/// Looks for updates once a day, at a different time for each gateway.
enum UpdateLooks {
    private static let first: ClosedRange<Int> = 300...3_600
    private static let day: ClosedRange<Int> = 80_000...92_800

    /// - Parameter look: False ends the daily look.
    static func begin(_ look: @escaping @Sendable () -> Bool) {
        Task {
            var range = first
            repeat {
                await Waiting.pause(for: .seconds(Int.random(in: range)))
                range = day
            } while look()
        }
    }
}
