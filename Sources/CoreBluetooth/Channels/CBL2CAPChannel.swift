// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Names a channel that a peripheral has published; dynamic ones are 0x0080…0x00FF.
public typealias CBL2CAPPSM = UInt16

/// An open channel: a stream of octets in each direction. The channel closes when both streams are closed, and when its
/// last reference is released.
///
/// A program may schedule the streams in a run loop, with a delegate, or read and write them from any thread without a
/// delegate. Then `read` waits for octets and `write` for room.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
    // Sound: immutable; the pipe protects its mutable state by a lock.

    private let device: CBPeer
    private let input: ChannelInputStream
    private let output: ChannelOutputStream
    let pipe: ChannelPipe

    private let number: CBL2CAPPSM

    init(pipe: ChannelPipe, peer: CBPeer, psm: CBL2CAPPSM) {
        self.pipe = pipe
        number = psm
        device = peer
        input = ChannelInputStream(pipe: pipe)
        output = ChannelOutputStream(pipe: pipe)
    }

    deinit { pipe.abandon() }

    /// The channel's PSM.
    open var psm: CBL2CAPPSM { number }
    /// The device at the other end: a `CBPeripheral` if this side is the central.
    open var peer: CBPeer! { device }
    /// The octets from the peer.
    open var inputStream: InputStream! { input }
    /// The octets to the peer.
    open var outputStream: OutputStream! { output }

    open override var description: String {
        "<CBL2CAPChannel peer = \(device.identifier), psm = \(psm)>"
    }
}
