// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway

/// The steps against radio faults, in words.
enum RadioText {
    /// How long a cure is told of, in milliseconds.
    private static let recent: Int64 = 3_600_000

    /// A radio that was brought back not long ago. A present trouble is a problem of the account.
    static func cures(_ health: RadioHealth, at now: Int64?) -> [String] {
        guard health.trouble == nil else { return [] }
        // No step has helped against a refusal that is still there.
        guard health.refusals == nil else { return [] }
        let last = health.events.last { $0.outcome == .taken }
        guard let cure = health.events.last, cure.outcome == .cured, let last, let now,
            now - cure.uptimeMs < recent
        else { return [] }
        return [
            "! radio: brought back \(StatusText.duration(Int((now - cure.uptimeMs) / 1_000))) ago, "
                + "after \(StatusText.duration(Int((cure.lastedMs ?? 0) / 1_000))): \(Text.plain(last.reason)); "
                + (last.step?.done ?? "")
        ]
    }
}
