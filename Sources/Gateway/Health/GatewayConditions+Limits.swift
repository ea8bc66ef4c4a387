// SPDX-License-Identifier: Apache-2.0

import Collector
import Health
import Limits
import Readings

/// The crossed limits of sensors, and the webhook.
extension GatewayConditions {
    static func limits(_ status: GatewayStatus) -> [Condition] {
        let crossed = (status.limits ?? []).filter(\.isCrossed)
        var found: [Condition] = []
        for side in LimitSide.allCases {
            let sensors = Dictionary(grouping: crossed.filter { $0.side == side }, by: \.sensor)
            for (sensor, limits) in sensors.sorted(by: { $0.key < $1.key }) {
                let what = limits.map(words).joined(separator: "; ")
                found.append(Condition(side.problem, sensor, ["what": what]))
            }
        }
        if let webhook = status.limitDeliveries?.webhook, let error = webhook.lastError {
            let waiting = status.limitDeliveries?.waiting[LimitQueue.Reader.webhook.rawValue] ?? 0
            found.append(
                Condition(
                    .webhookFails, "",
                    [
                        "reason": "\(webhook.server): \(error)",
                        "waiting": waiting == 1 ? "1 event waits" : "\(waiting) events wait",
                    ]))
        }
        return found
    }

    private static func words(_ limit: LimitStatus) -> String {
        guard let key = limit.quantity else {
            return "no value has come for more than \(SpokenTime.of(Int64(limit.limit * 1_000)))"
        }
        let details = SensorLimits.quantity(ofKey: key)?.details
        let unit = details?.unit.map { " \($0)" } ?? ""
        let verb = limit.side == .above ? "above" : "below"
        let value = limit.value.map { ": \(number($0))\(unit)" } ?? ""
        return "\(details?.name ?? key) went \(verb) \(number(limit.limit))\(unit)\(value)"
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}

extension LimitSide {
    fileprivate var problem: ProblemCode {
        switch self {
        case .above: .limitAbove
        case .below: .limitBelow
        case .silent: .limitSilent
        }
    }
}
