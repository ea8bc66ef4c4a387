// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The stream of octets to the peer.
final class ChannelOutputStream: OutputStream, ChannelStream {
    private let pipe: ChannelPipe?

    init(pipe: ChannelPipe) {
        self.pipe = pipe
        // The base class has no other initialiser for subclasses; its own octets are never asked for.
        super.init(toMemory: ())
    }

    /// Never called: the base class requires the initialiser.
    required init(toMemory: ()) {
        pipe = nil
        super.init(toMemory: ())
    }

    deinit { pipe?.close(.output) }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard let pipe else { return -1 }
        return len > 0 ? pipe.write(UnsafeBufferPointer(start: buffer, count: len)) : 0
    }

    override var hasSpaceAvailable: Bool { pipe?.hasRoom ?? false }
    override var streamStatus: Stream.Status { pipe?.status(.output) ?? .notOpen }
    override var streamError: (any Error)? { pipe?.error }
    override func open() { pipe?.open(.output) }
    override func close() { pipe?.close(.output) }

    override var delegate: (any StreamDelegate)? {
        get { pipe?.delegate(.output) }
        set { pipe?.setDelegate(newValue, .output) }
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        pipe?.schedule(StreamBell(self, in: aRunLoop, mode: mode), .output)
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        pipe?.unschedule(.output, from: aRunLoop, mode)
    }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    func deliver() {
        while let event = pipe?.nextEvent(.output) {
            delegate?.stream(self, handle: event)
            // Reading or writing rings again; meanwhile the run loop has its turn.
            if event == .hasSpaceAvailable { break }
        }
    }
}
