// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch

/// The work on a sensor's link beside its values: the question for maker and model, the remedies for silence, the commands
/// of its entry, and the indicated value that waits for the disk.
struct LinkUpkeep {
    var quest = InformationQuest()
    var quiet = QuietLink()
    var indications = IndicationHold()
    var commands = CommandSchedule()

    /// When to act.
    var deadline: DispatchTime? { [indications.deadline, commands.deadline].compactMap(\.self).min() }

    /// The link must not be cut off now.
    var isBusy: Bool { !indications.isEmpty || quiet.isChecking }

    /// Whether to renew the link now. If so, the renewal counts as done. A renewal would lose an indicated value that
    /// waits for the disk.
    ///
    /// - Parameters:
    ///   - since: When the last value came before the silence, in milliseconds since boot.
    ///   - limit: Of a silence, in milliseconds.
    /// - Returns: The length of the silence in milliseconds; nil if the link stays.
    mutating func takeRenewal(silentSince since: Int64, limit: Int64, at now: Int64) -> Int64? {
        guard indications.isEmpty else { return nil }
        let lasted = now.subtractingSaturated(since)
        return quiet.takeRenewal(silentFor: lasted, limit: limit, at: now) ? lasted : nil
    }

    /// The link is gone, or is given up. The quest is told on its own: it asks who ended the link.
    mutating func linkEnded() {
        indications.drop()
        commands.linkEnded()
        quiet.reset()
    }

    /// The sensor is let go. The remedies for silence end later, with the link.
    mutating func sensorRemoved() {
        indications.drop()
        commands.linkEnded()
    }
}
