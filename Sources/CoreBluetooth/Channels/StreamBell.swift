// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Calls a stream on the thread of its run loop when another thread rings; any thread may ring.
///
/// A run loop source makes `run(mode:before:)` return after the call, as applications expect of streams. A signalled
/// source does not wake its run loop; a timer in the run loop does when its fire date is set.
final class StreamBell: RunLoop._Source {
    private weak var stream: (any ChannelStream)?
    private let timer: Timer
    private let runLoop: RunLoop
    private let mode: RunLoop.Mode

    init(_ stream: any ChannelStream, in runLoop: RunLoop, mode: RunLoop.Mode) {
        self.stream = stream
        self.runLoop = runLoop
        self.mode = mode
        timer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { _ in }
        super.init(order: 0)
        runLoop._add(self, forMode: mode)
        runLoop.add(timer, forMode: mode)
    }

    func isFor(_ runLoop: RunLoop, _ mode: RunLoop.Mode) -> Bool { self.runLoop === runLoop && self.mode == mode }

    override func perform() { stream?.deliver() }

    func ring() {
        signal()
        timer.fireDate = Date()
    }

    /// Takes the source out of its run loop, for good.
    func remove() {
        timer.invalidate()
        runLoop._remove(self, for: mode)
        invalidate()
    }
}

/// A stream with events for a delegate.
protocol ChannelStream: Stream {
    /// On the thread of a run loop that the stream is scheduled in.
    func deliver()
}
