// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Logging
import Platform
import Synchronization

/// Keeps the account of health of a running gateway: takes each status that anybody asks for, and looks by itself now and then.
final class HealthKeeper: Sendable {
    /// Seconds between two looks. Delays of problems are as exact as that.
    private static let period = 5
    private static let patience: Duration = .seconds(2)

    /// The collector writes lines of its own about these, with more words.
    private static let toldByCollector: Set<ProblemCode> = [
        .sensorTrouble, .sensorFails, .sensorLacks, .sensorSilent, .sensorNotUnderstood, .sensorAwaited,
    ]

    private let health: Mutex<GatewayHealth>
    private let rounds = Mutex<Task<Void, Never>?>(nil)
    /// Is told whether there is a failure, when that changes.
    private struct Light {
        var show: (@Sendable (_ hasFailure: Bool) -> Void)?
        var hasFailure = false
    }

    private let light = Mutex(Light())
    /// The clock with which the word of operators was kept: milliseconds since 1970 minus milliseconds since boot.
    let offset = Mutex<Int64?>(nil)
    private let logger: Logger
    /// Remedies name the commands of this installation.
    let installation: Installation

    init(on installation: Installation, logger: Logger) {
        self.installation = installation
        health = Mutex(GatewayHealth(on: installation))
        self.logger = logger
    }

    /// - Parameter look: Asks for the status, which comes back by ``judge(_:at:)``.
    func start(_ look: @escaping @Sendable (_ patience: Duration) async -> Bool) {
        let task = Task {
            while !Task.isCancelled, await look(Self.patience) {
                await Waiting.pause(for: .seconds(Self.period))
            }
        }
        rounds.withLock { $0 = task }
    }

    /// The body is called when the first failure appears, and when the last one is gone or an operator knows of it.
    func onFailure(_ body: @escaping @Sendable (_ hasFailure: Bool) -> Void) { light.withLock { $0.show = body } }

    func stop() { rounds.withLock { $0.take() }?.cancel() }

    var word: OperatorWord { health.withLock { $0.word } }

    /// Changes the word of operators.
    func change<Result>(_ body: (inout OperatorWord) -> Result) -> Result where Result: Sendable {
        health.withLock { body(&$0.word) }
    }

    /// The problems that are shown, and their newest changes.
    var news: ProblemNews { health.withLock { $0.news } }

    /// Writes into the status which problems there are.
    ///
    /// - Parameter now: Milliseconds since boot.
    func judge(_ status: GatewayStatus, at now: Int64) -> GatewayStatus {
        var status = status
        let changes = health.withLock { $0.judge(&status, at: now) }
        let hasFailure = status.failures.isEmpty == false
        let show = light.withLock { light in
            guard light.hasFailure != hasFailure else { return nil as (@Sendable (Bool) -> Void)? }
            light.hasFailure = hasFailure
            return light.show
        }
        show?(hasFailure)
        for change in changes {
            guard !Self.toldByCollector.contains(change.problem.code) else { continue }
            var metadata: Logger.Metadata = [
                "problem.code": "\(change.problem.code.rawValue)", "cause": "\(change.problem.text)",
            ]
            metadata["sensor"] = change.problem.sensor.map { "\($0)" }
            switch change {
            case .shown(let problem): logger.log(level: problem.logLevel, "a problem", metadata: metadata)
            case .gone: logger.notice("a problem is over", metadata: metadata)
            }
        }
        return status
    }
}

extension Problem {
    /// The level of the line that tells of the problem.
    var logLevel: Logger.Level {
        switch severity {
        case .failure: .error
        case .warning: .warning
        case .notice: .notice
        }
    }
}
