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
                found.append(Condition(side.problem, sensor, parts: limits.map(phrase)))
            }
        }
        if let webhook = status.limitDeliveries?.webhook, let error = webhook.lastError {
            let waiting = status.limitDeliveries?.waiting[LimitQueue.Reader.webhook.rawValue] ?? 0
            found.append(
                Condition(
                    .webhookFails, "", ["server": webhook.server, "error": error, "waiting": "\(waiting)"],
                    variant: waiting == 1 ? .single : nil))
        }
        return found
    }

    private static func phrase(_ limit: LimitStatus) -> ProblemPhrase {
        guard let key = limit.quantity else {
            return ProblemPhrase(.noValue, ["time": SpokenTime.of(Int64(limit.limit * 1_000))])
        }
        let details = SensorLimits.quantity(ofKey: key)?.details
        let unit = details?.unit.map { " \($0)" } ?? ""
        // A reader in another language has a name of its own for the key.
        var arguments = ["quantity": details?.name ?? key, "key": key, "limit": number(limit.limit) + unit]
        guard let value = limit.value else {
            return ProblemPhrase(limit.side == .above ? .above : .below, arguments)
        }
        arguments["value"] = number(value) + unit
        return ProblemPhrase(limit.side == .above ? .aboveValue : .belowValue, arguments)
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
