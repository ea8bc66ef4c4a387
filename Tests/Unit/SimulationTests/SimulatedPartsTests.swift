// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Simulation

/// Parts of a simulated gateway, each by itself.
@Suite("Parts of a simulated gateway")
struct SimulatedPartsTests {
    private func at(_ seconds: Int64) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func `sensors take turns, and values that nobody took in time are never made`() {
        var turns = ReadingTurns(sensors: 2, gap: .seconds(1), phase: .seconds(1))
        func take(_ second: Int64) -> SimulatedReading? {
            turns.take(at: at(second), uptime: .seconds(second), unix: 0)
        }
        #expect(take(5) == nil, "there was no connection")
        turns.begin(at: at(10))
        turns.begin(at: at(20))
        #expect(turns.next == at(11))
        let first = [take(10), take(11), take(12)].map { $0?.sensor }
        #expect(first == [nil, 0, 1])
        // Due at 13…20: each sensor's newest readings are those due at 19 and 20.
        let late = [take(20), take(20), take(20)].map { $0?.sensor }
        #expect(late == [0, 1, nil])
        #expect(turns.made == 4 && turns.skipped == 6)
    }

    @Test func `no sensors are no reason to trap`() {
        var turns = ReadingTurns(sensors: 0, gap: .zero, phase: .zero)
        turns.begin(at: at(1))
        #expect(turns.take(at: at(1), uptime: .zero, unix: 0)?.n == 1)
    }

    @Test(arguments: [false, true])
    func `the beginning and the end are said once a connection`(clears: Bool) {
        var speech = GatewaySpeech(sensors: 1, clears: clears)
        for _ in 0..<2 {
            speech.begin()
            let beginning = (0..<4).map { _ in speech.nextAnnouncement() }
            #expect(beginning == [.online, .information, .availability(0), nil])
            #expect(speech.hasAnnounced && !speech.isLeaving)
            let end = (0..<5).map { _ in speech.nextFarewell() }
            let erased: [SimulatedMessage?] = [
                .erasure(.online), .erasure(.information), .erasure(.availability(0)), nil,
            ]
            #expect(end == [.offline] + (clears ? erased : [nil, nil, nil, nil]))
            #expect(speech.isLeaving && speech.hasLeft)
        }
    }
}
