// SPDX-License-Identifier: Apache-2.0

import Glibc
import MQTT
import Platform

/// The waits of a publisher before its next connection attempt.
///
/// A machine without a network, for example in its first seconds, is no burden for any broker. It tries again soon, so
/// the first readings go out when the network is up. If the broker does not answer, waits are doubled.
struct ReconnectPauses {
    private static let longestWithoutNetwork: Duration = .seconds(2)

    private var withoutNetwork: Backoff
    private var others: Backoff

    init(_ range: ClosedRange<Duration>) {
        others = Backoff(range)
        let longest = min(max(Self.longestWithoutNetwork, range.lowerBound), range.upperBound)
        withoutNetwork = Backoff(range.lowerBound...longest)
    }

    mutating func reset() {
        withoutNetwork.reset()
        others.reset()
    }

    /// - Parameter spread: 0.5…1.5, the used share of the wait.
    mutating func wait(after failure: MQTTFailure, spread: Double) -> Duration {
        if Self.tellsOfNoNetwork(failure) { return withoutNetwork.wait(spread: spread) }
        withoutNetwork.reset()
        return others.wait(spread: spread)
    }

    private static func tellsOfNoNetwork(_ failure: MQTTFailure) -> Bool {
        switch failure {
        case .system(let number): number == ENETUNREACH || number == ENETDOWN
        // No name server is known, or no name server answers.
        case .unknownHost(let code): code == EAI_AGAIN
        default: false
        }
    }
}
