// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Platform
import Synchronization

/// Answers requests on a Unix socket, on one small thread of its own.
///
/// Every process that may open the socket may send requests, so the server trusts no input: requests, clients and
/// waiting times are bounded (`ControlLimits`). A client that exceeds a bound is disconnected.
package final class ControlServer: Sendable {
    /// Answers a request line with a response line, in a task of its own. The task is cancelled if the client goes
    /// away.
    package typealias Handler = @Sendable ([UInt8]) async -> [UInt8]
    /// Makes the dialogue if a request line begins one. Called on the server's thread, before the handler; must not
    /// block.
    package typealias DialogueMaker = @Sendable ([UInt8]) -> ControlDialogue?

    private let path: String
    private let isInherited: Bool
    /// A close of this descriptor wakes the thread, which polls the other end.
    private let wakeUp: Int32
    private let finished = DispatchSemaphore(value: 0)
    private let isStopped = Atomic(false)

    /// Listens on `path` at once, or throws the reason.
    ///
    /// - Parameter inherited: a socket that listens there already; its file is left when the server stops.
    package init(
        path: String, inherited: Int32? = nil, limits: ControlLimits = ControlLimits(), logger: Logger,
        dialogues: @escaping DialogueMaker = { _ in nil }, handler: @escaping Handler
    ) throws(ControlError) {
        self.path = path
        isInherited = inherited != nil
        let listener =
            if let inherited { UnixSocket(adopting: inherited) } else { try UnixSocket.listening(on: path) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(operation: "listen on", path: path, errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let polled = ends[0]
        wakeUp = ends[1]
        let bell = WakeUp()
        let descriptor = listener.release()
        let thread = Thread { [finished] in
            var loop = ControlLoop(
                listener: descriptor, wakeUp: polled, bell: bell, limits: limits, logger: logger, dialogues: dialogues,
                handler: handler)
            loop.run()
            close(polled)
            finished.signal()
        }
        thread.name = "control"
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Stops listening, drops the clients and removes the socket file. Returns after the thread's end.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        close(wakeUp)
        finished.wait()
        if !isInherited { unlink(path) }
    }

    deinit { stop() }
}
