// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway
@testable import Publisher
@testable import Readings
@testable import martlet

@Suite("A backlog's rate")
struct BacklogWatchTests {
    /// Expectations call no mutating members.
    private final class Watch {
        private var watch = BacklogWatch()
        func look(_ status: GatewayStatus, at now: Int64) -> Backlog? { watch.look(status, at: now) }
    }

    private func status(delivered: Int, buffered: Int, connected: Bool = true) -> GatewayStatus {
        GatewayHealthTests.status {
            $0.mqtt.connected = connected
            ($0.journal.delivered, $0.journal.buffered) = (delivered, buffered)
        }
    }

    @Test func `the rate is that of the last minute, and the time left is by the shrinking of the backlog`() {
        let watch = Watch()
        #expect(watch.look(status(delivered: 0, buffered: 3_000), at: 0) == nil)
        // 50 a second go out, and 10 a second come in.
        #expect(
            watch.look(status(delivered: 500, buffered: 2_600), at: 10_000)
                == Backlog(rows: 2_600, perSecond: 50, secondsLeft: 65))
        // Readings of more than a minute ago no longer count: nothing went out since.
        _ = watch.look(status(delivered: 500, buffered: 2_600), at: 15_000)
        #expect(
            watch.look(status(delivered: 500, buffered: 2_700), at: 75_000)
                == Backlog(rows: 2_700, perSecond: 0, secondsLeft: nil))
    }

    @Test func `without a connection, or with a few readings on their way, there is no backlog`() {
        let watch = Watch()
        for at in [Int64(0), 10_000] {
            #expect(watch.look(status(delivered: 0, buffered: 99), at: at) == nil)
            #expect(watch.look(status(delivered: 0, buffered: 900, connected: false), at: at) == nil)
        }
        #expect(watch.look(status(delivered: 0, buffered: 900), at: 20_000) == nil)
    }

    @Test func `a hundred readings are a backlog`() {
        let watch = Watch()
        #expect(watch.look(status(delivered: 0, buffered: 100), at: 0) == nil, "no rate yet")
        #expect(watch.look(status(delivered: 40, buffered: 100), at: 4_000)?.rows == 100)
    }

    @Test func `books that begin anew give no negative rate`() {
        let watch = Watch()
        _ = watch.look(status(delivered: 5_000, buffered: 900), at: 0)
        #expect(watch.look(status(delivered: 10, buffered: 900), at: 10_000) == nil)
        #expect(watch.look(status(delivered: .max, buffered: .max), at: .max) == nil)
    }

    @Test func `status shows how many wait, how fast they go, and how long it takes`() {
        var status = status(delivered: 0, buffered: 2_600)
        status.backlog = Backlog(rows: 2_600, perSecond: 50, secondsLeft: 65)
        let line = StatusText.lines(status).first { $0.hasPrefix("backlog") }
        #expect(line == "backlog     2600 readings wait, 50 a second go out, about 65 s left")
    }
}
