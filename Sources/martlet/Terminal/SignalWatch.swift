// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Turns signals into calls on a queue, for as long as it is kept.
final class SignalWatch {
    private var sources: [any DispatchSourceSignal] = []

    func on(_ signals: Int32..., queue: DispatchQueue, perform action: @escaping @Sendable () -> Void) {
        for number in signals {
            // Without this the signal's default action would still end the process.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: action)
            source.activate()
            sources.append(source)
        }
    }

    deinit { for source in sources { source.cancel() } }
}
