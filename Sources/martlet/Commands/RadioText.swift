// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway

/// The steps against radio faults, in words.
enum RadioText {
    /// A cured fault is shown for this time, in milliseconds.
    private static let recent: Int64 = 3_600_000

    static func troubles(_ health: RadioHealth, at now: Int64?) -> [String] {
        (health.refusals ?? []).map { refusal in
            let consequence =
                refusal.use == .scan ? "; sensors whose entries have addresses are connected to all the same" : ""
            return "! radio: \(Text.plain(refusal.reason)); sensors are not to blame\(consequence)"
        }
            + fault(health, at: now)
    }

    private static func fault(_ health: RadioHealth, at now: Int64?) -> [String] {
        if let trouble = health.trouble {
            let step = health.events.last { $0.outcome != .cured }.flatMap(done)
            return ["! radio: \(Text.plain(trouble))" + (step.map { "; \($0)" } ?? "")]
        }
        // While a refusal lasts, no step has cured it.
        guard health.refusals == nil else { return [] }
        let last = health.events.last { $0.outcome == .taken }
        guard let cure = health.events.last, cure.outcome == .cured, let last, let now,
            now - cure.uptimeMs < recent
        else { return [] }
        return [
            "! radio: brought back \(StatusText.duration(Int((now - cure.uptimeMs) / 1_000))) ago, "
                + "after \(StatusText.duration(Int((cure.lastedMs ?? 0) / 1_000))): \(Text.plain(last.reason)); "
                + (last.step.map(words) ?? "")
        ]
    }

    /// The step, or why it failed.
    private static func done(_ event: RadioHealth.Event) -> String? {
        guard event.outcome == .failed else { return event.step.map(words) }
        return event.step.map { "\($0.rawValue) could not be done: \(Text.plain(event.reason))" }
    }

    /// The step, in words.
    static func words(_ step: RecoveryStep) -> String {
        switch step {
        case .scan: "the scan was started again"
        case .reset: "the controller was reset"
        case .reopen: "the controller was closed and opened"
        case .power: "the adapter's power was cycled"
        case .rebind: "the adapter was taken from its driver and given back"
        case .process: "the gateway was started again"
        case .reboot: "the machine was started again"
        }
    }
}
