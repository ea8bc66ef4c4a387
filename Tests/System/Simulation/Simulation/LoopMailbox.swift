// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Synchronization

/// The data that crosses between a loop's thread and other threads.
final class LoopMailbox: Sendable {
    private struct State {
        var openings: [Opening] = []
        var isEnding = false
        var counts = SimulationCounts()
        var isOver = false
    }

    let wakeUp = WakeUp()
    private let state = Mutex(State())

    func put(_ opening: Opening) {
        state.withLock { $0.openings.append(opening) }
        wakeUp.signal()
    }

    func takeOpenings() -> [Opening] {
        state.withLock { state in
            defer { state.openings = [] }
            return state.openings
        }
    }

    /// Makes every gateway say goodbye.
    func end() {
        state.withLock { $0.isEnding = true }
        wakeUp.signal()
    }

    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// The newest state of the loop; `isOver` marks the last state.
    func report(_ counts: SimulationCounts, isOver: Bool) {
        state.withLock { state in
            state.counts = counts
            state.isOver = isOver
        }
    }

    var counts: SimulationCounts { state.withLock { $0.counts } }
    var isOver: Bool { state.withLock { $0.isOver } }
}
