// SPDX-License-Identifier: Apache-2.0

import Collector
import Health

/// The account of a gateway's health, with the parts that find problems, and the word of operators; a value.
package struct GatewayHealth: Sendable {
    private var account: HealthAccount
    private let installation: Installation
    private var losses: LossWatch
    private var effects = EffectWatch()
    private var backlog = BacklogWatch()
    /// The word of operators on problems and sensors.
    package var word = OperatorWord()
    /// For the publisher.
    package private(set) var news = ProblemNews()

    /// - Parameter isPatient: False for tests: each problem is shown at once, and so are losses of former runs.
    package init(isPatient: Bool = true, on installation: Installation = .package) {
        account = HealthAccount(isPatient: isPatient, on: installation)
        self.installation = installation
        losses = LossWatch(countsAll: !isPatient)
    }

    /// Takes a new status, and writes into it which problems there are and which effects were seen.
    ///
    /// - Parameter now: Milliseconds since boot.
    package mutating func judge(_ status: inout GatewayStatus, at now: Int64) -> [HealthAccount.Change] {
        status.proofs = effects.look(status, at: now)
        status.backlog = backlog.look(status, at: now)
        word.review(account.names, at: now)
        let conditions =
            GatewayConditions.of(status, on: installation) + losses.look(status)
            + word.conditions(at: now, SpokenTime.of)
        let changes = account.judge(conditions, at: now).map { change in
            change.mapped { word.marked([$0], at: now, SpokenTime.of).first ?? $0 }
        }
        let problems = word.marked(account.problems(at: now), at: now, SpokenTime.of)
        status.problems = problems
        news.record(changes, problems, at: now)
        return changes
    }
}
