// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The stream of octets from the peer.
final class ChannelInputStream: InputStream, ChannelStream {
    private let pipe: ChannelPipe

    init(pipe: ChannelPipe) {
        self.pipe = pipe
        // The base class has no other initialiser for subclasses; its own octets are never asked for.
        super.init(data: Data())
    }

    deinit { pipe.close(.input) }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        len > 0 ? pipe.read(into: UnsafeMutableBufferPointer(start: buffer, count: len)) : 0
    }

    /// False: the octets lie in several pieces.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { pipe.hasOctets }
    override var streamStatus: Stream.Status { pipe.status(.input) }
    override var streamError: (any Error)? { pipe.error }
    override func open() { pipe.open(.input) }
    override func close() { pipe.close(.input) }

    override var delegate: (any StreamDelegate)? {
        get { pipe.delegate(.input) }
        set { pipe.setDelegate(newValue, .input) }
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        pipe.schedule(StreamBell(self, in: aRunLoop, mode: mode), .input)
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        pipe.unschedule(.input, from: aRunLoop, mode)
    }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    func deliver() {
        while let event = pipe.nextEvent(.input) {
            delegate?.stream(self, handle: event)
            // Reading or writing rings again; meanwhile the run loop has its turn.
            if event == .hasBytesAvailable { break }
        }
    }
}
