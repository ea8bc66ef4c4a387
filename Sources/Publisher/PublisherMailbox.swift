// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Readings
import Synchronization

/// Requests of other threads to the publisher's thread, and its reports to them.
final class PublisherMailbox: Sendable {
    struct Requests {
        /// Changed availabilities.
        var availability: [String: PublisherMachine.Availability] = [:]
        /// Entities to drop, by sensor.
        var droppedEntities: [String: Set<EntityKey>] = [:]
        /// Sensors of which the table says something new.
        var described: Set<String> = []
        /// How strong sensors are heard, dBm; nil for one that was not.
        var signals: [String: Int?] = [:]
        var historyMode: HistoryMode?
        var information: GatewayInformation?
        /// Finished commands in their order; no more than may be in progress.
        var answers: [(CommandRequest, CommandAnswer)] = []
        var hasNewRows = false
        var decodersChanged = false
    }

    private struct State {
        var requests = Requests()
        var stopBy: MonotonicTime?
        var statistics: PublisherStatistics
    }

    let wakeUp = WakeUp()
    private let state: Mutex<State>
    /// The course of connection attempts, for a watcher; nil without a watcher.
    let progress: ConnectionProgress?

    init(broker: String, tellsProgress: Bool = false) {
        progress = tellsProgress ? ConnectionProgress() : nil
        state = Mutex(State(statistics: PublisherStatistics(broker: broker)))
    }

    func request(_ change: (inout Requests) -> Void) {
        state.withLock { change(&$0.requests) }
        wakeUp.signal()
    }

    func take() -> Requests {
        state.withLock { state in
            defer { state.requests = Requests() }
            return state.requests
        }
    }

    func requestStop(by deadline: MonotonicTime) {
        state.withLock { state in
            guard state.stopBy == nil else { return }
            state.stopBy = deadline
        }
        wakeUp.signal()
    }

    /// The deadline for the end of the thread; nil without a request to stop.
    var stopBy: MonotonicTime? { state.withLock { $0.stopBy } }

    var statistics: PublisherStatistics { state.withLock { $0.statistics } }

    func updateStatistics(_ change: (inout PublisherStatistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }
}
