// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Connections that the page waits for, in one stage of a request. The library only ends silent connections: a few
/// clients that send or read an octet now and then would keep all others out for ever.
final class ConnectionWatch: Sendable {
    /// The peer of the connection.
    enum Visitor: Int, Comparable, Sendable {
        case stranger, known

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Wait {
        var visitor: Visitor
        var began: ContinuousClock.Instant
        var end: ContinuousClock.Instant
    }

    /// A further waiting connection displaces another: a stranger's before a logged-in visitor's, and among equals the
    /// connection that has waited longest. A visitor at normal speed has left the stage by then.
    let capacity: Int

    /// By descriptor. Code that removes an entry may end its connection only under the lock: afterwards, the descriptor
    /// may belong to another connection.
    private let waiting = Mutex<[Int32: Wait]>([:])

    init(capacity: Int) { self.capacity = capacity }

    /// A connection begins this stage, which may take `patience`.
    func begin(
        _ descriptor: Int32, of visitor: Visitor = .stranger, patience: Duration,
        at now: ContinuousClock.Instant = .now
    ) {
        waiting.withLock { waiting in
            waiting[descriptor] = Wait(visitor: visitor, began: now, end: now + patience)
            guard waiting.count > capacity,
                let slowest = waiting.min(by: {
                    ($0.value.visitor, $0.value.began) < ($1.value.visitor, $1.value.began)
                })
            else { return }
            Self.end(slowest.key, &waiting)
        }
    }

    /// The stage is over, or the connection is about to be closed.
    func remove(_ descriptor: Int32) { waiting.withLock { $0[descriptor] = nil } }

    /// Ends connections whose time is over.
    func look(at now: ContinuousClock.Instant = .now) {
        waiting.withLock { waiting in
            for (descriptor, wait) in waiting where now >= wait.end { Self.end(descriptor, &waiting) }
        }
    }

    /// The library notices the shutdown, and closes the descriptor.
    private static func end(_ descriptor: Int32, _ waiting: inout [Int32: Wait]) {
        waiting[descriptor] = nil
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    var count: Int { waiting.withLock { $0.count } }
}

/// The stages of a request in which its visitor may be slow. Each stage has places of its own.
struct PageStages: Sendable {
    /// Places in a stage.
    static let capacity = 32
    static let headerPatience: Duration = .seconds(30)
    static let answerPatience: Duration = .seconds(30)

    private let headers = ConnectionWatch(capacity: capacity)
    private let bodies = ConnectionWatch(capacity: capacity)
    /// Answers to strangers. Logged-in visitors have no limit: events have no end, and a bundle is large.
    private let answers = ConnectionWatch(capacity: capacity)

    /// A new connection, or an answered request: a header may come.
    func expectHeader(on descriptor: Int32) {
        leave(descriptor)
        headers.begin(descriptor, patience: Self.headerPatience)
    }

    /// The header has come.
    func expectBody(on descriptor: Int32, of visitor: ConnectionWatch.Visitor) {
        headers.remove(descriptor)
        bodies.begin(descriptor, of: visitor, patience: PageServer.Limit.upload(of: visitor))
    }

    /// The body has come.
    func expectTaking(on descriptor: Int32, by visitor: ConnectionWatch.Visitor) {
        bodies.remove(descriptor)
        if visitor == .stranger { answers.begin(descriptor, patience: Self.answerPatience) }
    }

    /// The connection is about to be closed.
    func leave(_ descriptor: Int32) { for watch in [headers, bodies, answers] { watch.remove(descriptor) } }

    /// Ends connections that have taken too long.
    func look() { for watch in [headers, bodies, answers] { watch.look() } }
}
