// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

extension Process {
    /// Runs a program that signals can reach.
    ///
    /// A child inherits the signal mask of the thread that starts it. libdispatch's threads block nearly all signals: a
    /// program would be deaf to SIGTERM, and a shell would wait for ever for a child that has ended (SIGCHLD).
    /// - Throws: the error of `run()`.
    package func runReachable() throws {
        try withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 2) { sets in
            guard let none = sets.baseAddress else { return try run() }
            let before = none + 1
            sigemptyset(none)
            pthread_sigmask(SIG_SETMASK, none, before)
            defer { pthread_sigmask(SIG_SETMASK, before, nil) }
            try run()
        }
    }
}
