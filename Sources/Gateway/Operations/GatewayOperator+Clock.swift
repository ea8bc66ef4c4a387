// SPDX-License-Identifier: Apache-2.0

import Operations
import Platform

extension GatewayOperator {
    package func clock() async -> ClockStatus { gateway.clock.status }

    package func setClock(unixMilliseconds: Int64, insists: Bool) async throws(OperationError) -> ClockStatus {
        switch gateway.clock.trust(unixMilliseconds: unixMilliseconds, insists: insists) {
        case .taken:
            gateway.clockKeeper.look()
            return gateway.clock.status
        case .notNeeded(let difference):
            throw OperationError(
                .refused,
                "the system's clock counts as right already, and stays; "
                    + "what was given is \(difference) ms ahead of it")
        case .doubtful(let doubt):
            throw OperationError(.refused, "\(doubt); if it is right all the same, insist on it with --force")
        case .implausible:
            throw OperationError(
                .notValid, "no reading is given a time before 15 September 2025 or after the year 2099")
        }
    }
}
